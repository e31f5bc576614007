import { activityIdOf } from '../activities.js';
import { holdIn, holdThingIn, letGo } from '../held.js';
import { type JsonObject, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import type { Completion } from '../message.js';
import { parseToolInput } from '../tool-input.js';
import { settleCall, tellCall } from '../unclaimed-calls.js';
import { messageIdOf } from './messages.js';
import type { AgUiStep, InRun, OpenInput, OpenRun } from './state.js';

export const CALL_EVENTS: ReadonlyMap<string, InRun> = new Map<string, InRun>([
  ['TOOL_CALL_START', openInput],
  ['TOOL_CALL_ARGS', addInput],
  ['TOOL_CALL_END', endInput],
  ['TOOL_CALL_RESULT', endCall],
]);

/** A call keeps its id through all runs: one that waited for an answer goes on in the next. */
export const callIdOf = (step: AgUiStep, name: string): string => activityIdOf(step, 'call', name);

function nameIn(step: AgUiStep, value: JsonObject): string | undefined {
  const name = stringAt(value, 'toolCallId') || undefined;
  if (name === undefined) step.ignored.push('not_an_event');
  return name;
}

export const inputOf = (run: OpenRun, name: string): OpenInput | undefined =>
  run.inputs.find((input) => input.name === name);

/** The input that an event is about; one that is not open is counted. */
function openInputOf(step: AgUiStep, run: OpenRun, value: JsonObject): OpenInput | undefined {
  const name = nameIn(step, value);
  const input = name === undefined ? undefined : inputOf(run, name);
  if (name !== undefined && input === undefined) step.ignored.push('late_delta');
  return input;
}

/** Begun again while it is open, it is sent again. */
export function openInput(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = nameIn(step, value);
  if (name === undefined) return;
  const before = inputOf(run, name);
  if (before !== undefined) takeInput(step, run, before);
  if (run.inputs.length >= step.context.limits.openBlocks) throw pastLimit('openBlocks', step.context.limits);
  const tool = stringAt(value, 'toolCallName') ?? '';
  const parent = stringAt(value, 'parentMessageId');
  const messageId = parent ? messageIdOf(step, 'agent', parent) : run.id;
  const input = { name, activityId: callIdOf(step, name), messageId, tool, input: '', held: 0 };
  holdThingIn(step, input, name + tool);
  run.inputs.push(input);
}

export function addInput(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const input = openInputOf(step, run, value);
  if (input === undefined) return;
  const piece = stringAt(value, 'delta') ?? '';
  holdIn(step, input, piece);
  input.input += piece;
}

export function endInput(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const input = openInputOf(step, run, value);
  if (input !== undefined) completeInput(step, run, input);
}

function takeInput(step: AgUiStep, run: OpenRun, input: OpenInput): void {
  run.inputs = run.inputs.filter((other) => other !== input);
  letGo(step, input);
}

/** The stream says that the input is complete, so the call is told whatever it is. */
function completeInput(step: AgUiStep, run: OpenRun, input: OpenInput): void {
  takeInput(step, run, input);
  tellCall(step, input, input.tool, parseToolInput(step, input.input) ?? {});
}

/** Inputs whose end never came: they are complete if their run is, and if they can be read. */
export function closeInputs(step: AgUiStep, run: OpenRun, completion: Completion): void {
  for (const input of run.inputs) {
    takeInput(step, run, input);
    const parsed = completion === 'COMPLETE' ? parseToolInput(step, input.input) : undefined;
    if (parsed === undefined) step.ignored.push('unfinished_tool_input');
    else tellCall(step, input, input.tool, parsed);
  }
}

function endCall(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = nameIn(step, value);
  if (name === undefined) return;
  const input = inputOf(run, name);
  if (input !== undefined) completeInput(step, run, input);
  settleCall(step, callIdOf(step, name), stringAt(value, 'error') ? 'FAILED' : 'COMPLETED');
}
