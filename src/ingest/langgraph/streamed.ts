import { countAt, type JsonObject, objectAt, stringAt } from '../json.js';
import { settleCall } from '../unclaimed-calls.js';
import { callOf, completionOf, typeOf } from './content.js';
import type { Envelope } from './envelopes.js';
import {
  addCall,
  addText,
  callIdOf,
  closeMessage,
  endThinking,
  openMessage,
  setText,
  tellCalls,
  think,
} from './messages.js';
import type { LangGraphStep, OpenMessage, OpenRun } from './state.js';

/** The `messages` channel of protocol v2: messages of blocks, piece by piece. */
export function reduceStreamed(step: LangGraphStep, run: OpenRun, { namespace, data }: Envelope): void {
  const event = stringAt(data, 'event') ?? '';
  // Models at work at once are told apart by their run; without one, by where they are.
  const key = JSON.stringify([namespace, stringAt(data, 'run_id') ?? '']);
  const onMessage = MESSAGE_EVENTS.get(event);
  if (event === 'message-start') startMessage(step, run, key, namespace.length <= 1, data);
  else if (event === 'usage') return;
  else if (onMessage === undefined) step.ignored.push('unknown_event');
  else {
    const message = run.messages.find((open) => open.key === key);
    if (message === undefined) step.ignored.push('late_delta');
    else onMessage(step, run, message, data);
  }
}

/** One whose end was lost ends where the next takes its place. */
function startMessage(
  step: LangGraphStep,
  run: OpenRun,
  key: string,
  isOwn: boolean,
  data: JsonObject,
): void {
  const before = run.messages.find((open) => open.key === key);
  if (before !== undefined) closeMessage(step, run, before, 'TRUNCATED');
  const name = stringAt(data, 'id') ?? '';
  const type = data.role === undefined ? 'ai' : typeOf({ type: data.role });
  const result = stringAt(data, 'tool_call_id');
  const activityId = type === 'tool' && result ? callIdOf(step, result) : null;
  openMessage(step, run, { key, name, type, isOwn, activityId });
}

type OnMessage = (step: LangGraphStep, run: OpenRun, message: OpenMessage, data: JsonObject) => void;

const MESSAGE_EVENTS: ReadonlyMap<string, OnMessage> = new Map<string, OnMessage>([
  ['content-block-start', startBlock],
  ['content-block-delta', advanceBlock],
  ['content-block-finish', endBlock],
  ['message-finish', (step, run, message, data) => closeMessage(step, run, message, completionOf(data))],
  // Whether the graph tries again, or fails, it says.
  ['error', (step, run, message) => closeMessage(step, run, message, 'TRUNCATED')],
]);

const indexOf = (data: JsonObject): number => countAt(data, 'index') ?? 0;

/** Text and reasoning may share an index: what a block is, each of its pieces says. */
function startBlock(step: LangGraphStep, _: OpenRun, message: OpenMessage, data: JsonObject): void {
  const content = objectAt(data, 'content') ?? {};
  if (content.type === 'text') addText(step, message, indexOf(data), stringAt(content, 'text') ?? '');
  else if (content.type === 'reasoning') think(message);
  else if (!CALLS.has(String(content.type)) && !SILENT_BLOCKS.has(String(content.type))) {
    step.ignored.push('unknown_block');
  }
}

const CALLS = new Set(['tool_call', 'tool_call_chunk', 'tool_use', 'input_json_delta']);
const SILENT_BLOCKS = new Set([
  'server_tool_call_chunk',
  'server_tool_call',
  'server_tool_result',
  'invalid_tool_call',
]);

function advanceBlock(step: LangGraphStep, _: OpenRun, message: OpenMessage, data: JsonObject): void {
  const delta = objectAt(data, 'delta') ?? {};
  const fields = objectAt(delta, 'fields') ?? {};
  if (delta.type === 'text-delta') addText(step, message, indexOf(data), stringAt(delta, 'text') ?? '');
  else if (delta.type === 'reasoning-delta') think(message);
  else if (delta.type === 'block-delta') {
    if (fields.type === 'text' && typeof fields.text === 'string')
      setText(step, message, indexOf(data), fields);
  } else if (delta.type !== 'data-delta' && delta.type !== 'tool-call-delta') {
    step.ignored.push('unknown_delta');
  }
}

/** A block is whole: what is in it beats what came before. The pieces of a call are not read, each comes in two forms. */
function endBlock(step: LangGraphStep, _: OpenRun, message: OpenMessage, data: JsonObject): void {
  const content = objectAt(data, 'content') ?? {};
  const type = String(content.type);
  const call = callOf(content, indexOf(data));
  if (type === 'text') setText(step, message, indexOf(data), content);
  else if (type === 'reasoning') {
    think(message);
    endThinking(step, message);
  } else if (CALLS.has(type)) addCall(step, message, call);
  else if (message.isTold && type === 'server_tool_call') tellCalls(step, { ...message, calls: [call] });
  else if (message.isTold && type === 'server_tool_result') endServed(step, content);
}

/** The model's service ran it. */
function endServed(step: LangGraphStep, result: JsonObject): void {
  const name = stringAt(result, 'tool_call_id');
  if (!name) step.ignored.push('not_an_event');
  else settleCall(step, callIdOf(step, name), result.status === 'error' ? 'FAILED' : 'COMPLETED');
}
