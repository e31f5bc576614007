import { settleOpen } from './activities.js';
import { CALL_EVENTS, RESULT_EVENTS } from './ai-sdk/calls.js';
import { addData, PART_EVENTS } from './ai-sdk/parts.js';
import type { AiSdkState, AiSdkStep, OpenMessage } from './ai-sdk/state.js';
import { finishStep, publishStep, resetStep, startStep, stepOf, withdrawStep } from './ai-sdk/steps.js';
import { DECLINED, SERVICE_FAILED } from './failures.js';
import { digest, nameOf, resourceId } from './ids.js';
import { type JsonObject, stringAt } from './json.js';
import type { Completion } from './message.js';
import { nextOccurrence } from './occurrences.js';
import { publicTool } from './redaction.js';
import type { Reducer } from './reducer.js';
import { endStream, failRun, goOn, idle, rest, startRun, stopRun } from './run.js';

/** The UI message stream of the Vercel AI SDK: messages of steps, steps of parts. One step with text, one agent_message. */
export const aiSdk: Reducer<AiSdkState> = {
  recognises: ({ value }) => /^start(?:-step)?$/.test(stringAt(value, 'type') ?? ''),
  start: () => ({ ...startRun(), message: null, seen: [], waiting: [] }),
  reduce: (step, { value }) => {
    const type = stringAt(value, 'type');
    if (type === undefined) step.ignored.push('not_an_event');
    else if (type.startsWith('data-')) reduceData(step, type, value);
    else if (!SILENT.has(type)) reduceEvent(step, type, value);
  },
  end: (step, why) => {
    // The stream itself said that this step is over.
    const { message } = step.state;
    if (message?.step?.isOver) publishStep(step, message, 'COMPLETE');
    endStream(step, why, closeOpen);
  },
  // A message may go on in a stream of another run: its caller's result or its user's answer came in between.
  turn: ({ newest }, { run }) => (newest === '' ? undefined : digest([newest, run])),
};

/** Events that are understood and say nothing public. */
const SILENT = new Set(['message-metadata', 'tool-approval-response', 'reasoning-file']);

/** What an application sends beside the agent's words: told if the title map has its name. Only what is kept is missed. */
function reduceData(step: AiSdkStep, type: string, value: JsonObject): void {
  const { titles } = step.context;
  const { message } = step.state;
  if (value.transient === true) return;
  if (titles.get(type)?.delivers === undefined) step.ignored.push('unmapped_data');
  else if (message === null) step.ignored.push('outside_message');
  else addData(step, message, publicTool(titles, type), value);
}

type InMessage = (step: AiSdkStep, message: OpenMessage, value: JsonObject) => void;

const MESSAGE_EVENTS: ReadonlyMap<string, InMessage> = new Map<string, InMessage>([
  ...RESULT_EVENTS,
  ['start-step', startStep],
  ['finish-step', finishStep],
  ['reset-step', resetStep],
]);

const STEP_EVENTS = new Map([...PART_EVENTS, ...CALL_EVENTS]);

function reduceEvent(step: AiSdkStep, type: string, value: JsonObject): void {
  const inMessage = MESSAGE_EVENTS.get(type);
  const inStep = STEP_EVENTS.get(type);
  if (type === 'start') startMessage(step, value);
  else if (ENDINGS.has(type)) endMessage(step, type, value);
  else if (inMessage === undefined && inStep === undefined) step.ignored.push('unknown_event');
  else {
    const message = step.state.message ?? implied(step, type);
    if (message === undefined) step.ignored.push('outside_message');
    else if (inStep === undefined) inMessage?.(step, message, value);
    else inStep(step, message, stepOf(step, message), value);
  }
}

/** What a message without its `start` may begin with once another is over; a stream may begin anywhere in one. */
const BEGINNINGS = new Set(['start-step', 'text-start', 'reasoning-start', 'tool-input-start']);

const implied = (step: AiSdkStep, type: string): OpenMessage | undefined =>
  step.state.run === 'none' || BEGINNINGS.has(type) ? openMessage(step) : undefined;

function startMessage(step: AiSdkStep, value: JsonObject): void {
  const { message } = step.state;
  const name = stringAt(value, 'messageId') || undefined;
  const isSame = name !== undefined && message?.upstream === upstreamOf(step, name);
  if (message !== null && (isSame || message.steps === 0)) restart(step, message);
  else {
    if (message !== null) dropMessage(step, message);
    openMessage(step, name);
  }
}

const upstreamOf = (step: AiSdkStep, name: string | undefined): string => digest(nameOf(step.context, name));

/** The stream is sent again from its beginning, or begins twice. */
function restart(step: AiSdkStep, message: OpenMessage): void {
  step.ignored.push('duplicate_message_start');
  if (message.step !== null) withdrawStep(step, message.step);
  Object.assign(message, { step: null, steps: 0, files: 0, sources: [] });
}

/** Another message begins in the middle of one: what was not told is dropped, its calls came to nothing. */
function dropMessage(step: AiSdkStep, message: OpenMessage): void {
  const { step: open } = message;
  if (open?.isOver) publishStep(step, message, 'COMPLETE');
  else if (open !== null) withdrawStep(step, open);
  settleOpen(step, 'FAILED', ({ messageId }) => messageId === message.id);
}

/** A message may have no name, and its beginning may be lost. */
function openMessage(step: AiSdkStep, name?: string): OpenMessage {
  const { state, context } = step;
  const upstream = upstreamOf(step, name);
  goOn(step, (activityId) => state.waiting.includes(activityId));
  state.waiting = state.waiting.filter((id) => state.activities.some(({ activityId }) => activityId === id));
  const id = resourceId(context, 'msg', upstream, nextOccurrence(state, upstream));
  state.newest = id;
  state.message = { id, upstream, steps: 0, step: null, sources: [], hasAsked: false, files: 0 };
  return state.message;
}

type Ending = (step: AiSdkStep, message: OpenMessage, value: JsonObject) => void;

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ['finish', finish],
  ['error', (step) => failRun(step, SERVICE_FAILED, closeOpen)],
  ['abort', (step) => stopRun(step, closeOpen)],
]);

function endMessage(step: AiSdkStep, type: string, value: JsonObject): void {
  const { message, run } = step.state;
  if (message === null && run === 'failed') step.ignored.push('repeated_error');
  else if (message === null && type !== 'error') step.ignored.push('outside_message');
  else ENDINGS.get(type)?.(step, message ?? openMessage(step), value);
}

/** Publishes what is open, and lets go of the message. */
function closeOpen(step: AiSdkStep, completion: Completion): void {
  const { message } = step.state;
  if (message === null) return;
  publishStep(step, message, message.step?.isOver ? 'COMPLETE' : completion);
  // No text came for them to support.
  for (const _ of message.sources) step.ignored.push('surplus');
  step.state.message = null;
}

/** Reasons to finish that say nothing more. */
const PLAIN_REASONS = new Set(['stop', 'tool-calls', 'other', 'unknown']);

function finish(step: AiSdkStep, message: OpenMessage, value: JsonObject): void {
  const reason = stringAt(value, 'finishReason');
  if (reason === 'error') failRun(step, SERVICE_FAILED, closeOpen);
  else if (reason === 'content-filter') cutStep(step, message, () => failRun(step, DECLINED, closeOpen));
  else if (reason === 'length') cutStep(step, message, () => idle(step, { isCut: true }));
  else {
    if (reason !== undefined && !PLAIN_REASONS.has(reason)) step.ignored.push('unknown_stop_reason');
    closeOpen(step, 'COMPLETE');
    finishRun(step, message, reason);
  }
}

/** The model was cut, and its last step with it. */
function cutStep(step: AiSdkStep, message: OpenMessage, end: () => void): void {
  if (message.step !== null) message.step.isOver = false;
  closeOpen(step, 'TRUNCATED');
  end();
}

function finishRun(step: AiSdkStep, message: OpenMessage, reason: string | undefined): void {
  const { state } = step;
  const isAsking = message.hasAsked && state.waiting.length > 0;
  // A call that nobody spoke of any more was not permitted.
  if (!isAsking) settleOpen(step, 'FAILED', ({ activityId }) => state.waiting.includes(activityId));
  if (isAsking || reason === 'stop') idle(step, { isAsking });
  else rest(step);
}
