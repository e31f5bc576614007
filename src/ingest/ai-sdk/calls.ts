import { activityIdOf, settleActivity } from '../activities.js';
import { startCall } from '../calls.js';
import { holdIn, holdThingIn } from '../held.js';
import { type JsonObject, objectAt, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import type { Completion } from '../message.js';
import { publicTool } from '../redaction.js';
import { UNKNOWN_TOOL } from '../titles.js';
import { parseToolInput } from '../tool-input.js';
import type { InStep } from './parts.js';
import type { AiSdkStep, OpenInput, OpenMessage, OpenStep } from './state.js';

/** What a step says of a call before it has run. */
export const CALL_EVENTS: ReadonlyMap<string, InStep> = new Map<string, InStep>([
  ['tool-input-start', openInput],
  ['tool-input-delta', addInput],
  ['tool-input-available', (step, message, open, value) => takeInput(step, message, open, value)],
  ['tool-input-error', refuseInput],
  ['tool-approval-request', askApproval],
]);

/** A call keeps its id through all streams about it: one that waited for permission goes on in the next. */
const callId = (step: AiSdkStep, value: JsonObject): string | undefined => {
  const id = stringAt(value, 'toolCallId');
  if (id) return activityIdOf(step, 'call', id);
  step.ignored.push('not_an_event');
  return undefined;
};

function openInput(step: AiSdkStep, _: OpenMessage, open: OpenStep, value: JsonObject): void {
  const activityId = callId(step, value);
  open.isApart = true;
  if (activityId === undefined || inputOf(open, activityId) !== undefined) return;
  if (open.inputs.length >= step.context.limits.openBlocks)
    throw pastLimit('openBlocks', step.context.limits);
  const name = stringAt(value, 'toolName') ?? '';
  holdThingIn(step, open, name);
  open.inputs.push({ activityId, name, isCallers: value.providerExecuted !== true, input: '' });
}

const inputOf = (open: OpenStep, activityId: string): OpenInput | undefined =>
  open.inputs.find((input) => input.activityId === activityId);

function addInput(step: AiSdkStep, _: OpenMessage, open: OpenStep, value: JsonObject): void {
  const activityId = callId(step, value);
  if (activityId === undefined) return;
  const input = inputOf(open, activityId);
  if (input === undefined) step.ignored.push('late_delta');
  else {
    const piece = stringAt(value, 'inputTextDelta') ?? '';
    holdIn(step, open, piece);
    input.input += piece;
  }
}

/** The input is complete: the call is told. Streams that are resumed tell it again. */
function takeInput(
  step: AiSdkStep,
  message: OpenMessage,
  open: OpenStep,
  value: JsonObject,
): string | undefined {
  const activityId = callId(step, value);
  open.isApart = true;
  if (activityId === undefined) return undefined;
  const name = stringAt(value, 'toolName') ?? inputOf(open, activityId)?.name ?? '';
  open.inputs = open.inputs.filter((input) => input.activityId !== activityId);
  const isCallers = value.providerExecuted !== true;
  tellCall(step, message, open, { activityId, name, isCallers }, objectAt(value, 'input') ?? {});
  return activityId;
}

/** What the model asked for is no input: the call was made, and came to nothing. */
function refuseInput(step: AiSdkStep, message: OpenMessage, open: OpenStep, value: JsonObject): void {
  const activityId = takeInput(step, message, open, value);
  if (activityId !== undefined) settle(step, activityId, 'FAILED');
}

function tellCall(
  step: AiSdkStep,
  message: OpenMessage,
  open: OpenStep,
  { activityId, name, isCallers }: Omit<OpenInput, 'input'>,
  input: JsonObject,
): void {
  if (step.state.activities.some((activity) => activity.activityId === activityId)) return;
  const tool = publicTool(step.context.titles, name);
  startCall(step, { activityId, tool, messageId: message.id, isCallers }, input);
  holdThingIn(step, open, activityId);
  open.calls.push(activityId);
}

/** Some services never say that an input is complete: it is when its step is over, unless that was cut. */
export function startInputs(
  step: AiSdkStep,
  message: OpenMessage,
  open: OpenStep,
  completion: Completion,
): void {
  const inputs = open.inputs;
  open.inputs = [];
  for (const input of inputs) {
    if (completion === 'COMPLETE') startInput(step, message, open, input);
    else step.ignored.push('unfinished_tool_input');
  }
}

function startInput(step: AiSdkStep, message: OpenMessage, open: OpenStep, input: OpenInput): void {
  const parsed = parseToolInput(step, input.input);
  if (parsed === undefined) step.ignored.push('unfinished_tool_input');
  else tellCall(step, message, open, input, parsed);
}

function askApproval(step: AiSdkStep, message: OpenMessage, open: OpenStep, value: JsonObject): void {
  const activityId = callId(step, value);
  if (activityId === undefined) return;
  claimInput(step, message, activityId);
  const { activities, waiting } = step.state;
  const call = activities.find((activity) => activity.activityId === activityId);
  const id = stringAt(value, 'approvalId') ?? activityId;
  holdThingIn(step, open, id);
  open.requests.push({ id, title: call?.title ?? UNKNOWN_TOOL.title });
  message.hasAsked = true;
  if (call !== undefined && !waiting.includes(activityId)) waiting.push(activityId);
}

/** Something comes of a call whose input was not said to be complete: it was. */
function claimInput(step: AiSdkStep, message: OpenMessage, activityId: string): void {
  const open = message.step;
  const input = open === null ? undefined : inputOf(open, activityId);
  if (open === null || input === undefined) return;
  open.inputs = open.inputs.filter((other) => other !== input);
  startInput(step, message, open, input);
}

type OnResult = (step: AiSdkStep, message: OpenMessage, value: JsonObject) => void;

/** How calls end, in whatever step that is. */
export const RESULT_EVENTS: ReadonlyMap<string, OnResult> = new Map<string, OnResult>([
  ['tool-output-available', (step, message, value) => endCall(step, message, value, 'COMPLETED')],
  ['tool-output-error', (step, message, value) => endCall(step, message, value, 'FAILED')],
  ['tool-output-denied', (step, message, value) => endCall(step, message, value, 'FAILED')],
]);

function endCall(
  step: AiSdkStep,
  message: OpenMessage,
  value: JsonObject,
  outcome: 'COMPLETED' | 'FAILED',
): void {
  const activityId = callId(step, value);
  // A tool may give several results, the last of which counts.
  if (activityId === undefined || value.preliminary === true) return;
  if (message.step !== null) message.step.isApart = true;
  claimInput(step, message, activityId);
  settle(step, activityId, outcome);
}

function settle(step: AiSdkStep, activityId: string, outcome: 'COMPLETED' | 'FAILED'): void {
  const { state } = step;
  state.waiting = state.waiting.filter((waiting) => waiting !== activityId);
  settleActivity(step, { activityId, title: UNKNOWN_TOOL.title }, outcome);
}
