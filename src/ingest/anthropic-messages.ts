import { applyDelta, startBlock, stopBlock } from './anthropic/blocks.js';
import { closeText, dropMessage, finishMessage } from './anthropic/endings.js';
import { type AnthropicState, type AnthropicStep, type OpenMessage, startState } from './anthropic/state.js';
import { type Failure, SERVICE_FAILED, SERVICE_REFUSED, TIMED_OUT } from './failures.js';
import { digest, nameOf, resourceId } from './ids.js';
import { countAt, isObject, type JsonObject, listAt, objectAt, stringAt } from './json.js';
import { nextOccurrence } from './occurrences.js';
import type { Reducer } from './reducer.js';
import { endStream, failRun, goOn } from './run.js';

/** The stream of the Anthropic Messages API: messages of blocks, each block filled by deltas. One message, one agent_message. */
export const anthropicMessages: Reducer<AnthropicState> = {
  recognises: ({ value, event }) => (stringAt(value, 'type') ?? event) === 'message_start',
  start: startState,
  reduce: (step, frame) => {
    const type = stringAt(frame.value, 'type') ?? frame.event;
    if (type === undefined) step.ignored.push('not_an_event');
    else if (type !== 'ping') reduceEvent(step, type, frame.value);
  },
  end: (step, why) => {
    const { message } = step.state;
    const isEnd = why === 'eof' || why === 'cutoff' || why === 'timeout';
    // A message that the service had said it finished is whole, even without its `message_stop`.
    if (isEnd && message !== null && message.stopReason !== null) finishMessage(step, message);
    endStream(step, why, closeText);
  },
  turn: ({ newest }) => newest || undefined,
};

function reduceEvent(step: AnthropicStep, type: string, value: JsonObject): void {
  const { message } = step.state;
  const within = WITHIN.get(type);
  if (type === 'message_start') startMessage(step, objectAt(value, 'message') ?? {});
  else if (type === 'error') reduceError(step, value);
  else if (within === undefined) step.ignored.push('unknown_event');
  else if (message === null) step.ignored.push('outside_message');
  else within(step, message, value);
}

type WithinMessage = (step: AnthropicStep, message: OpenMessage, value: JsonObject) => void;

/** What belongs to the message that is open. */
const WITHIN: ReadonlyMap<string, WithinMessage> = new Map<string, WithinMessage>([
  ['content_block_start', inBlock('content_block', startBlock)],
  ['content_block_delta', inBlock('delta', applyDelta)],
  ['content_block_stop', inBlock('', stopBlock)],
  ['message_delta', (_, message, value) => noteStopReason(message, objectAt(value, 'delta') ?? {})],
  ['message_stop', finishMessage],
]);

type WithinBlock = (step: AnthropicStep, message: OpenMessage, index: number, content: JsonObject) => void;

/** Blocks are told apart by their index within the message. */
function inBlock(key: string, apply: WithinBlock): WithinMessage {
  return (step, message, value) => {
    const index = countAt(value, 'index');
    if (index === undefined) step.ignored.push('not_an_event');
    else apply(step, message, index, objectAt(value, key) ?? {});
  };
}

/** There may be several, and usage alone says nothing. */
function noteStopReason(message: OpenMessage, from: JsonObject): void {
  message.stopReason = stringAt(from, 'stop_reason') ?? message.stopReason;
}

function startMessage(step: AnthropicStep, given: JsonObject): void {
  const { state } = step;
  const upstream = digest(nameOf(step.context, stringAt(given, 'id')));
  const before = state.message;
  if (before !== null && before.upstream === upstream) {
    step.ignored.push('duplicate_message_start');
    return;
  }
  if (before !== null && before.stopReason !== null) finishMessage(step, before);
  else if (before !== null) dropMessage(step, before);
  goOn(step);
  const message = openMessage(step, upstream);
  // An attempt that replaces another thinks again; it was told already.
  message.hasThought = before !== null && before.stopReason === null && before.hasThought;
  addWholeBlocks(step, message, given);
}

function openMessage(step: AnthropicStep, upstream: string): OpenMessage {
  const { state } = step;
  const messageId = resourceId(step.context, 'msg', upstream, nextOccurrence(state, upstream));
  state.newest = messageId;
  state.message = {
    messageId,
    upstream,
    parts: [],
    blocks: [],
    stopReason: null,
    hasThought: false,
    isApart: false,
    citations: 0,
    files: 0,
  };
  return state.message;
}

/** Some services send blocks whole, inside the message that they begin. */
function addWholeBlocks(step: AnthropicStep, message: OpenMessage, given: JsonObject): void {
  listAt(given, 'content').forEach((block, index) => {
    if (!isObject(block)) return;
    startBlock(step, message, index, block);
    stopBlock(step, message, index);
  });
  noteStopReason(message, given);
}

const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['timeout_error', TIMED_OUT],
  ['invalid_request_error', SERVICE_REFUSED],
  ['authentication_error', SERVICE_REFUSED],
  ['billing_error', SERVICE_REFUSED],
  ['permission_error', SERVICE_REFUSED],
  ['not_found_error', SERVICE_REFUSED],
  ['request_too_large', SERVICE_REFUSED],
]);

function reduceError(step: AnthropicStep, value: JsonObject): void {
  // Services and gateways repeat a failure in their own words.
  if (step.state.run === 'failed') {
    step.ignored.push('repeated_error');
    return;
  }
  const error = objectAt(value, 'error') ?? value;
  const failure = FAILURES.get(stringAt(error, 'type') ?? '') ?? SERVICE_FAILED;
  failRun(step, failure, closeText, stringAt(value, 'request_id'));
}
