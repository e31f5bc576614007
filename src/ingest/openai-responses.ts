import { settleOpen } from './activities.js';
import { DECLINED, type Failure, SERVICE_FAILED, SERVICE_REFUSED, TIMED_OUT } from './failures.js';
import { letGo } from './held.js';
import { digest, nameOf, resourceId } from './ids.js';
import { countAt, type JsonObject, objectAt, stringAt } from './json.js';
import type { Completion } from './message.js';
import { nextOccurrence } from './occurrences.js';
import { advanceItem, closeItems, endItem, startItem, takeOutput } from './openai/items.js';
import type { OpenAiState, OpenAiStep, OpenResponse } from './openai/state.js';
import type { Reducer } from './reducer.js';
import { endStream, failRun, goOn, idle, rest, startRun, stopRun } from './run.js';

/** The events of the OpenAI Responses API, and of what speaks like it: responses of items. One message item, one agent_message. */
export const openAiResponses: Reducer<OpenAiState> = {
  // Not only its beginning: a recording may have lost that.
  recognises: ({ value, event }) => (stringAt(value, 'type') ?? event ?? '').startsWith('response.'),
  start: () => ({ ...startRun(), response: null, seen: [] }),
  reduce: (step, frame) => {
    const type = stringAt(frame.value, 'type') ?? frame.event;
    if (type === undefined) step.ignored.push('not_an_event');
    else if (!SILENT.has(type)) reduceEvent(step, type, frame.value);
  },
  end: (step, why) => endStream(step, why, closeOpen),
  turn: ({ newest }) => newest || undefined,
};

/** Events that are understood and say nothing public. */
const SILENT = new Set(['response.queued', 'response.in_progress', 'keepalive']);

function reduceEvent(step: OpenAiStep, type: string, value: JsonObject): void {
  if (type === 'response.created') startResponse(step, objectAt(value, 'response') ?? {});
  else if (isRepeated(step, value)) step.ignored.push('repeated_event');
  else if (type === 'error') fail(step, objectAt(value, 'error') ?? value);
  else if (ENDINGS.has(type)) endResponse(step, type, objectAt(value, 'response') ?? {});
  else reduceItem(step, type, value);
}

/** A service that goes on where a connection broke may send again what it had sent. */
function isRepeated({ state: { response } }: OpenAiStep, value: JsonObject): boolean {
  const sequence = countAt(value, 'sequence_number');
  if (response === null || sequence === undefined) return false;
  if (sequence <= response.sequence) return true;
  response.sequence = sequence;
  return false;
}

function startResponse(step: OpenAiStep, given: JsonObject): void {
  const upstream = digest(nameOf(step.context, stringAt(given, 'id')));
  const before = step.state.response;
  if (before?.upstream === upstream) {
    step.ignored.push('repeated_event');
    return;
  }
  if (before !== null) dropResponse(step, before);
  openResponse(step, upstream);
}

/** Its service began anew, or its end was lost. What was whole was told; what is open is dropped, and came to nothing. */
function dropResponse(step: OpenAiStep, response: OpenResponse): void {
  if (response.items.length > 0) step.ignored.push('dropped_message');
  for (const item of response.items) letGo(step, item);
  settleOpen(step, 'FAILED', ({ isCallers }) => !isCallers);
}

function openResponse(step: OpenAiStep, upstream: string): OpenResponse {
  const { state, context } = step;
  goOn(step);
  const responseId = resourceId(context, 'msg', upstream, nextOccurrence(state, upstream));
  state.newest = responseId;
  state.response = {
    responseId,
    upstream,
    sequence: -1,
    items: [],
    nextIndex: 0,
    hasThought: false,
    hasRefused: false,
    hasAsked: false,
    files: 0,
  };
  return state.response;
}

const ITEM_ADDED = 'response.output_item.added';

function reduceItem(step: OpenAiStep, type: string, value: JsonObject): void {
  const index = countAt(value, 'output_index');
  if (index === undefined) {
    step.ignored.push('unknown_event');
    return;
  }
  const { run } = step.state;
  const response = step.state.response ?? (run === 'none' || type === ITEM_ADDED ? implied(step) : null);
  const item = objectAt(value, 'item') ?? {};
  if (response === null) step.ignored.push('outside_message');
  else if (type === ITEM_ADDED) startItem(step, response, index, item);
  else if (type === 'response.output_item.done') endItem(step, response, index, item);
  else advanceItem(step, response, index, type, value);
}

/** A response whose beginning was lost, or came in an earlier stream. */
const implied = (step: OpenAiStep): OpenResponse => openResponse(step, digest(nameOf(step.context)));

type Ending = (step: OpenAiStep, response: OpenResponse, given: JsonObject) => void;

const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ['response.completed', complete],
  ['response.incomplete', breakOff],
  ['response.failed', (step, _, given) => fail(step, objectAt(given, 'error') ?? {})],
  ['response.cancelled', (step) => stopRun(step, closeOpen)],
]);

function endResponse(step: OpenAiStep, type: string, given: JsonObject): void {
  const { run, response } = step.state;
  if (response === null && run === 'failed') step.ignored.push('repeated_error');
  else if (response === null && run !== 'none') step.ignored.push('outside_message');
  else ENDINGS.get(type)?.(step, response ?? implied(step), given);
}

/** Publishes what is open, and lets go of the response. */
function closeOpen(step: OpenAiStep, completion: Completion): void {
  const { response } = step.state;
  if (response !== null) closeItems(step, response, completion);
  step.state.response = null;
}

function complete(step: OpenAiStep, response: OpenResponse, given: JsonObject): void {
  takeOutput(step, response, given);
  closeOpen(step, 'COMPLETE');
  if (response.hasRefused) failRun(step, DECLINED, closeOpen);
  else if (response.hasAsked) idle(step, { isAsking: true });
  else rest(step);
}

/** The model ran into the end of what it may write: the message is cut, the run did not fail. */
function breakOff(step: OpenAiStep, response: OpenResponse, given: JsonObject): void {
  const reason = stringAt(objectAt(given, 'incomplete_details') ?? {}, 'reason');
  takeOutput(step, response, given);
  if (reason === 'content_filter') {
    failRun(step, DECLINED, closeOpen);
    return;
  }
  if (reason !== 'max_output_tokens') step.ignored.push('unknown_stop_reason');
  closeOpen(step, 'TRUNCATED');
  if (response.hasRefused) failRun(step, DECLINED, closeOpen);
  else idle(step, { isCut: true });
}

const FAILURES: readonly (readonly [code: RegExp, failure: Failure])[] = [
  [/timeout/, TIMED_OUT],
  [/policy/, DECLINED],
  [
    /^(?:insufficient_quota|context_length_exceeded|model_not_found|permission_denied|billing_.*)$/,
    SERVICE_REFUSED,
  ],
  [/invalid|authentication|unsupported|image/, SERVICE_REFUSED],
];

function fail(step: OpenAiStep, error: JsonObject): void {
  // The same failure comes as an `error` and again as the end of its response.
  if (step.state.response === null && step.state.run === 'failed') {
    step.ignored.push('repeated_error');
    return;
  }
  const code = stringAt(error, 'code') ?? stringAt(error, 'type') ?? '';
  const failure = FAILURES.find(([codes]) => codes.test(code))?.[1] ?? SERVICE_FAILED;
  failRun(step, failure, closeOpen);
}
