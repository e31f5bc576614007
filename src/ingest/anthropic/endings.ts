import { settleOpen } from '../activities.js';
import { DECLINED } from '../failures.js';
import { type Completion, publishAnswer } from '../message.js';
import { failRun, idle, pause, rest } from '../run.js';
import { stopBlock } from './blocks.js';
import type { AnthropicStep, OpenMessage } from './state.js';

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
  if (reason === 'refusal') failRun(step, DECLINED, closeText);
  else stopMessage(step, message, reason);
}

function stopMessage(step: AnthropicStep, message: OpenMessage, reason: string): void {
  const isCut = CUT_REASONS.has(reason);
  closeBlocks(step, message, isCut);
  closeText(step, isCut ? 'TRUNCATED' : 'COMPLETE');
  if (reason === 'pause_turn') pause(step);
  else if (reason === 'tool_use') rest(step, true);
  else if (isCut) idle(step, { isCut });
  else rest(step);
}

/** Blocks whose end never came end with their message. Where it was cut, a tool's input is only half there. */
function closeBlocks(step: AnthropicStep, message: OpenMessage, isCut: boolean): void {
  for (const block of message.blocks) {
    if (isCut && block.kind === 'tool') step.ignored.push('unfinished_tool_input');
    else stopBlock(step, message, block.index);
  }
  message.blocks = [];
}

/** Publishes the text of the message that is open, and lets go of it. */
export function closeText(step: AnthropicStep, completion: Completion): void {
  const { state } = step;
  const { message } = state;
  if (message === null) return;
  state.answer = publishAnswer(step, message.messageId, message.parts, completion) ?? state.answer;
  releaseMessage(step);
}

/** What the run's searches and questions cost stays held until the run ends. */
function releaseMessage({ state }: AnthropicStep): void {
  state.message = null;
  const kept = [...state.searches, ...state.questions].map((thing) => JSON.stringify(thing));
  state.held = kept.reduce((sum, thing) => sum + Buffer.byteLength(thing), 0);
}

/** A gateway tried again in the middle: what the first attempt said is dropped, its calls came to nothing. */
export function dropMessage(step: AnthropicStep, message: OpenMessage): void {
  step.ignored.push('dropped_message');
  settleOpen(step, 'FAILED', ({ messageId }) => messageId === message.messageId);
  releaseMessage(step);
}
