import { activityIdOf, settleActivity } from '../activities.js';
import { startCall } from '../calls.js';
import { deliver, deliveryOf } from '../deliveries.js';
import { holdIn, holdThing } from '../held.js';
import { base64Bytes, type JsonObject, objectAt, stringAt } from '../json.js';
import { addSearches } from '../methods.js';
import { publicSearches, publicTool } from '../redaction.js';
import { parseToolInput } from '../tool-input.js';
import type { CallItem, OpenAiStep, OpenResponse } from './state.js';

/** Calls that the agent's caller runs; the service runs the others. */
const CALLERS = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
]);

function isCallersCall(type: string, item: JsonObject): boolean {
  if (type === 'shell_call')
    return !/^container/.test(stringAt(objectAt(item, 'environment') ?? {}, 'type') ?? '');
  return CALLERS.has(type) || (type === 'tool_search_call' && item.execution === 'client');
}

/** Tools of the service have no name but their type. */
const nameOf = (type: string, item: JsonObject): string =>
  stringAt(item, 'name') ?? type.replace(/_call(?:_output)?$|_output$/, '');

/** A call begins. */
export function openCall(
  step: OpenAiStep,
  { responseId }: OpenResponse,
  index: number,
  type: string,
  item: JsonObject,
): CallItem {
  const callId = stringAt(item, 'call_id');
  const isCallers = isCallersCall(type, item);
  return {
    kind: 'call',
    index,
    type,
    activityId: callId ? activityIdOf(step, 'call', callId) : activityIdOf(step, 'item', responseId, index),
    tool: publicTool(step.context.titles, nameOf(type, item)),
    isCallers,
    hasResult: isCallers || Boolean(callId),
    input: '',
    isStarted: false,
    held: 0,
  };
}

/** Ends of events that say that the input is complete: a tool that runs has it. */
const COMPLETE_INPUT = /_code\.done$|\.(?:searching|interpreting|generating)$/;
const INPUT = /_(?:arguments|input)\.(delta|done)$/;

/** An event about a call that is open, named after its type. */
export function advanceCall(
  step: OpenAiStep,
  response: OpenResponse,
  call: CallItem,
  type: string,
  value: JsonObject,
): void {
  const input = INPUT.exec(type)?.[1];
  if (input === 'delta') {
    const piece = stringAt(value, 'delta') ?? '';
    holdIn(step, call, piece);
    call.input += piece;
  } else if (input === 'done') {
    call.input = stringAt(value, 'arguments') || stringAt(value, 'input') || call.input;
    tellCall(step, response, call);
  } else if (COMPLETE_INPUT.test(type)) tellCall(step, response, call);
}

/** The call ends, whole or as far as it came: `item` is all that the stream says of it at last. */
export function endCall(step: OpenAiStep, response: OpenResponse, call: CallItem, item: JsonObject): void {
  const status = stringAt(item, 'status');
  if (status === 'incomplete' && !call.isStarted) {
    step.ignored.push('unfinished_tool_input');
    return;
  }
  call.input = stringAt(item, 'arguments') || stringAt(item, 'input') || call.input;
  tellCall(step, response, call, item);
  const hasFailed = status === 'failed' || status === 'incomplete' || (item.error ?? null) !== null;
  if (call.hasResult && !hasFailed) return;
  if (!hasFailed) addRun(step, call, item);
  deliverImage(step, response, call, item);
  settleActivity(step, { activityId: call.activityId, ...call.tool }, hasFailed ? 'FAILED' : 'COMPLETED');
}

/** The input is complete: the call is told, once. */
function tellCall(
  step: OpenAiStep,
  { responseId }: OpenResponse,
  call: CallItem,
  item: JsonObject = {},
): void {
  if (call.isStarted) return;
  call.isStarted = true;
  const { activityId, isCallers } = call;
  // Of a call that the service runs it is known later whether it ran.
  const tool = call.hasResult ? call.tool : { ...call.tool, searches: undefined };
  startCall(step, { activityId, tool, messageId: responseId, isCallers }, inputOf(step, call, item));
}

/** As far as anything of it is told. The service's own tools say it in their `action`, or in the item itself. */
function inputOf(step: OpenAiStep, { tool, input }: CallItem, item: JsonObject): JsonObject {
  if (tool.searches === undefined && tool.asks === undefined && tool.delivers === undefined) return {};
  return objectAt(item, 'action') ?? (input === '' ? item : parseToolInput(step, input)) ?? {};
}

/** What a call that the service ran has searched for. */
function addRun(step: OpenAiStep, call: CallItem, item: JsonObject): void {
  const added = addSearches(step.state.searches, publicSearches(call.tool, inputOf(step, call, item)));
  for (const { query } of added) holdThing(step, query);
}

/** A result that is an item of its own, tied to its call by the id of the call; without one it says nothing. */
export function settleResult(step: OpenAiStep, type: string, item: JsonObject): void {
  const callId = stringAt(item, 'call_id');
  if (!callId) return;
  const { title } = publicTool(step.context.titles, nameOf(type, item));
  const outcome = item.status === 'failed' ? 'FAILED' : 'COMPLETED';
  settleActivity(step, { activityId: activityIdOf(step, 'call', callId), title }, outcome);
}

/** An image comes as base64 in the call that made it. */
function deliverImage(step: OpenAiStep, response: OpenResponse, call: CallItem, item: JsonObject): void {
  const image = stringAt(item, 'result');
  if (call.type !== 'image_generation_call' || !image) return;
  response.files++;
  const format = /^[a-z]{1,10}$/.exec(stringAt(item, 'output_format') ?? '')?.[0] ?? 'png';
  const file = {
    filename: `image-${response.files}.${format}`,
    mime_type: `image/${format}`,
    size_bytes: base64Bytes(image),
  };
  deliver(step, [deliveryOf(step, file, response.files, call.activityId)], call.activityId);
}
