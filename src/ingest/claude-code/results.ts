import { activityIdOf } from '../activities.js';
import {
  CUT_OFF,
  DECLINED,
  type Failure,
  OUT_OF_TURNS,
  SERVICE_FAILED,
  SERVICE_REFUSED,
  TIMED_OUT,
} from '../failures.js';
import { countAt, type JsonObject, objectAt, stringAt } from '../json.js';
import { askPermission } from '../permissions.js';
import { publicTool } from '../redaction.js';
import { failRun, stopRun } from '../run.js';
import { settle } from './calls.js';
import { addText, closeText, isCutOff, messageOf } from './messages.js';
import { begin, rest } from './runs.js';
import { type ClaudeState, type ClaudeStep, isGoing } from './state.js';

/** The run is over, as its result says. The process may live on, and begin another. */
export function readResult(step: ClaudeStep, value: JsonObject): void {
  const { state } = step;
  // That it failed or was stopped was told.
  if (state.run === 'failed' || state.run === 'stopped') return;
  const failure = failureOf(state, value);
  if (/^aborted/.test(stringAt(value, 'terminal_reason') ?? '')) {
    if (isGoing(state)) stopRun(step, closeText);
  } else if (failure !== undefined) failRun(step, failure, closeText, stringAt(value, 'uuid'));
  else if (state.run !== 'idle') finish(step, value);
}

function finish(step: ClaudeStep, value: JsonObject): void {
  const { state } = step;
  begin(step);
  state.isCut ||= isCutOff(stopReasonOf(state, value));
  closeText(step, state.isCut ? 'TRUNCATED' : 'COMPLETE');
  if (!state.hasSpoken) sayResult(step, value);
  askDeferred(step, objectAt(value, 'deferred_tool_use'));
  rest(step);
}

const stopReasonOf = (state: ClaudeState, value: JsonObject): string | null | undefined =>
  stringAt(value, 'stop_reason') ?? state.message?.stopReason;

/** Some write nothing but the result. Else it repeats the last message, or its beginning. */
function sayResult(step: ClaudeStep, value: JsonObject): void {
  const text = stringAt(value, 'result') ?? '';
  if (text.trim() === '') return;
  addText(step, messageOf(step, stringAt(value, 'uuid')), text);
  closeText(step, step.state.isCut ? 'TRUNCATED' : 'COMPLETE');
}

/** The run ended before a call that somebody has to permit. */
function askDeferred(step: ClaudeStep, call: JsonObject | undefined): void {
  const id = call && stringAt(call, 'id');
  if (call === undefined || !id) return;
  settle(step, activityIdOf(step, 'call', id), 'FAILED');
  askPermission(step, publicTool(step.context.titles, stringAt(call, 'name') ?? '').title, 'deferred', id);
}

const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['error_max_turns', OUT_OF_TURNS],
  ['error_max_budget_usd', OUT_OF_TURNS],
  ['error_max_structured_output_retries', OUT_OF_TURNS],
]);

/** Undefined if it did not fail. What it says of that is not told (P10). */
function failureOf(state: ClaudeState, value: JsonObject): Failure | undefined {
  const subtype = stringAt(value, 'subtype') ?? '';
  // A model that wrote all it may has not failed.
  if (state.isCut) return undefined;
  if (/^error/.test(subtype)) return FAILURES.get(subtype) ?? CUT_OFF;
  if (value.is_error === true) return serviceFailure(countAt(value, 'api_error_status'));
  return stopReasonOf(state, value) === 'refusal' ? DECLINED : undefined;
}

const REFUSALS = new Set([400, 401, 402, 403, 404, 413]);
const TIMEOUTS = new Set([408, 504]);

function serviceFailure(status = 0): Failure {
  if (TIMEOUTS.has(status)) return TIMED_OUT;
  return REFUSALS.has(status) ? SERVICE_REFUSED : SERVICE_FAILED;
}
