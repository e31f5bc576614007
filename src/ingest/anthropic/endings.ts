import { settleOpen } from '../activities.js';
import { CUT_OFF, DECLINED, type Failure, PAST_LIMIT, TIMED_OUT } from '../failures.js';
import { aboutOf, emit } from '../ids.js';
import { type Completion, publishAnswer } from '../message.js';
import { publishMethods } from '../methods.js';
import { asEnding, type EndReason } from '../reducer.js';
import { stopBlock } from './blocks.js';
import type { AnthropicStep, OpenMessage, Run } from './state.js';

/** The model ran into the end of what it may write: the message is cut, the run did not fail. */
const CUT_REASONS = new Set(['max_tokens', 'model_context_window_exceeded']);
const KNOWN_REASONS = new Set([
  'end_turn',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  ...CUT_REASONS,
]);

/** The message is whole: its text becomes one agent_message, and its stop reason says how the run goes on. */
export function finishMessage(step: AnthropicStep, message: OpenMessage): void {
  const reason = message.stopReason ?? 'end_turn';
  if (!KNOWN_REASONS.has(reason)) step.ignored.push('unknown_stop_reason');
  if (reason === 'refusal') failRun(step, DECLINED);
  else stopMessage(step, message, reason);
}

function stopMessage(step: AnthropicStep, message: OpenMessage, reason: string): void {
  const isCut = CUT_REASONS.has(reason);
  closeBlocks(step, message, isCut);
  closeMessage(step, message, isCut ? 'TRUNCATED' : 'COMPLETE');
  if (reason === 'pause_turn') pause(step);
  else if (reason === 'tool_use' || (!isCut && owesResult(step))) step.state.run = 'owing';
  else idle(step, isCut);
}

/** Blocks whose end never came end with their message. Where it was cut, a tool's input is only half there. */
function closeBlocks(step: AnthropicStep, message: OpenMessage, isCut: boolean): void {
  for (const block of message.blocks) {
    if (isCut && block.kind === 'tool') step.ignored.push('unfinished_tool_input');
    else stopBlock(step, message, block.index);
  }
  message.blocks = [];
}

function closeMessage(step: AnthropicStep, message: OpenMessage, completion: Completion): void {
  const { state } = step;
  state.answer = publishAnswer(step, message.messageId, message.parts, completion) ?? state.answer;
  releaseMessage(step);
}

/** What the run's searches cost stays held until the run ends. */
function releaseMessage({ state }: AnthropicStep): void {
  state.message = null;
  state.held = state.searches.reduce((sum, { query }) => sum + Buffer.byteLength(query), 0);
}

const owesResult = (step: AnthropicStep): boolean => step.state.activities.some(({ isCallers }) => isCallers);

function pause(step: AnthropicStep): void {
  step.state.run = 'paused';
  emit(step, { kind: 'session_paused' }, step.state.newest);
}

/** The run is over and did not fail: calls whose result the stream left out are taken to have ended with it. */
function idle(step: AnthropicStep, isCut: boolean): void {
  const { state } = step;
  settleOpen(step, isCut ? 'FAILED' : 'COMPLETED');
  if (state.answer !== null) publishMethods(step, state.answer, state.searches);
  emit(step, { kind: 'session_idle' }, state.newest);
  endRun(step, 'idle');
}

/** One failure, one error: what is open fails, the text so far is kept, cut. `about` names what failed outside any message. */
export function failRun(step: AnthropicStep, failure: Failure, about = ''): void {
  const { state, context } = step;
  settleOpen(step, 'FAILED');
  if (state.message !== null) closeMessage(step, state.message, 'TRUNCATED');
  emit(step, { kind: 'error', ...failure }, aboutOf(context, state.newest, about));
  endRun(step, 'failed');
}

function stopRun(step: AnthropicStep): void {
  const { state } = step;
  settleOpen(step, 'FAILED');
  if (state.message !== null) closeMessage(step, state.message, 'ABORTED');
  emit(step, { kind: 'session_stopped' }, state.newest);
  endRun(step, 'stopped');
}

function endRun(step: AnthropicStep, run: Run): void {
  const { state } = step;
  state.run = run;
  state.searches = [];
  state.answer = null;
  state.held = 0;
}

/** A gateway tried again in the middle: what the first attempt said is dropped, its calls came to nothing. */
export function dropMessage(step: AnthropicStep, message: OpenMessage): void {
  step.ignored.push('dropped_message');
  settleOpen(step, 'FAILED', ({ messageId }) => messageId === message.messageId);
  releaseMessage(step);
}

/** The stream is over. A message that the service had said it finished is whole, even without its `message_stop`. */
export function endStream(step: AnthropicStep, why: EndReason): void {
  const { message, run } = step.state;
  switch (why) {
    case 'eof':
    case 'cutoff':
      if (message !== null && message.stopReason !== null) finishMessage(step, message);
      else if (message !== null) failRun(asEnding(step), CUT_OFF);
      break;
    case 'timeout':
      if (message !== null) failRun(asEnding(step), TIMED_OUT);
      break;
    case 'limit':
      failRun(asEnding(step), PAST_LIMIT);
      break;
    case 'stopped':
      if (run === 'open' || run === 'owing' || run === 'paused') stopRun(asEnding(step));
      break;
    default:
      why satisfies never;
  }
}
