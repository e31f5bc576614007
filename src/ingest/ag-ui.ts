import { settleOpen } from './activities.js';
import { CALL_EVENTS, closeInputs } from './ag-ui/calls.js';
import { CHUNK_EVENTS, endChunk } from './ag-ui/chunks.js';
import { closeMessages, MESSAGE_EVENTS } from './ag-ui/messages.js';
import { askAll, keepInterrupt, OLD_INTERRUPT } from './ag-ui/questions.js';
import { takeMessages } from './ag-ui/snapshots.js';
import { endThinking, STAGE_EVENTS, THOUGHT_EVENTS } from './ag-ui/stages.js';
import type { AgUiState, AgUiStep, InRun, OpenRun } from './ag-ui/state.js';
import { deliverData } from './deliveries.js';
import { failureCalled } from './failure-names.js';
import { letGo } from './held.js';
import { digest, nameOf, resourceId } from './ids.js';
import { type JsonObject, listAt, objectAt, stringAt } from './json.js';
import { pastLimit } from './limits.js';
import type { Completion } from './message.js';
import { nextOccurrence } from './occurrences.js';
import { publicTool } from './redaction.js';
import type { Reducer } from './reducer.js';
import { endStream, failRun, startRun } from './run.js';
import { goOnFromCalls, restFromCalls } from './unclaimed-calls.js';

/** The Agent User Interaction Protocol: runs of messages, calls and steps. One message of the assistant, one agent_message. */
export const agUi: Reducer<AgUiState> = {
  recognises: ({ value }) => {
    const type = stringAt(value, 'type') ?? '';
    return ON_RUN.has(type) || IN_RUN.has(type) || SILENT.has(type);
  },
  start: () => ({ ...startRun(), open: null, seen: [], told: [], waiting: [], over: [] }),
  reduce: (step, { value }) => {
    const type = stringAt(value, 'type');
    if (type === undefined) step.ignored.push('not_an_event');
    else if (!SILENT.has(type)) reduceEvent(step, type, value);
  },
  end: (step, why) => endStream(step, why, closeOpen),
  turn: ({ newest }) => newest || undefined,
};

/** Events that are understood and say nothing public: the state that agent and application share, and what it shows of that. */
const SILENT = new Set([
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'REASONING_ENCRYPTED_VALUE',
  'RAW',
]);

type OnRun = (step: AgUiStep, value: JsonObject) => void;

const ON_RUN: ReadonlyMap<string, OnRun> = new Map<string, OnRun>([
  ['RUN_STARTED', beginRun],
  ['RUN_FINISHED', finishRun],
  ['RUN_ERROR', fail],
  ['MESSAGES_SNAPSHOT', (step, value) => takeMessages(step, listAt(value, 'messages'))],
  ['CUSTOM', takeData],
]);

const IN_RUN = new Map([
  ...MESSAGE_EVENTS,
  ...CALL_EVENTS,
  ...CHUNK_EVENTS,
  ...STAGE_EVENTS,
  ...THOUGHT_EVENTS,
]);

/** What begins a run where its beginning was lost, after another is over; a stream may begin anywhere in one. */
const BEGINNINGS = new Set([
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CHUNK',
  'TOOL_CALL_START',
  'TOOL_CALL_CHUNK',
  'STEP_STARTED',
  'REASONING_START',
  'THINKING_START',
]);

function reduceEvent(step: AgUiStep, type: string, value: JsonObject): void {
  const onRun = ON_RUN.get(type);
  const inRun = IN_RUN.get(type);
  const { open } = step.state;
  // What a run that fails was about to say is cut.
  if (open !== null && !CHUNK_EVENTS.has(type) && type !== 'RUN_ERROR' && (onRun ?? inRun))
    endChunk(step, open);
  if (onRun !== undefined) onRun(step, value);
  else if (inRun !== undefined) reduceInRun(step, type, inRun, value);
  else step.ignored.push('unknown_event');
}

function reduceInRun(step: AgUiStep, type: string, inRun: InRun, value: JsonObject): void {
  const run = step.state.open ?? implied(step, type);
  if (run === undefined) {
    step.ignored.push('outside_message');
    return;
  }
  // Whatever comes of a thought ends it.
  if (!THOUGHT_EVENTS.has(type)) endThinking(step, run);
  inRun(step, run, value);
}

/** After a failure only a run that says so begins. */
function implied(step: AgUiStep, type: string): OpenRun | undefined {
  const { run } = step.state;
  const isOver = run === 'idle' || run === 'owing';
  return run === 'none' || (isOver && BEGINNINGS.has(type)) ? openRun(step, upstreamOf(step, {})) : undefined;
}

/** A run may have no name. */
const upstreamOf = ({ context }: AgUiStep, value: JsonObject): string =>
  digest(nameOf(context, stringAt(value, 'runId')));

function beginRun(step: AgUiStep, value: JsonObject): void {
  const { open } = step.state;
  const upstream = upstreamOf(step, value);
  if (open === null) openRun(step, upstream);
  else if (open.upstream === upstream) restart(step, open);
  else if (isWithin(step, open, value)) nest(step, open, upstream);
  else {
    // The end of the other was lost.
    closeOpen(step, 'TRUNCATED');
    settleOpen(step, 'FAILED', ({ isCallers }) => !isCallers);
    openRun(step, upstream);
  }
  takeMessages(step, listAt(objectAt(value, 'input') ?? {}, 'messages'));
}

function openRun(step: AgUiStep, upstream: string): OpenRun {
  const { state, context } = step;
  goOnFromCalls(step);
  const id = resourceId(context, 'msg', upstream, nextOccurrence(state, upstream));
  state.newest = id;
  state.open = { id, upstream, ...EMPTY_RUN(), thinking: 'none' };
  return state.open;
}

const EMPTY_RUN = () => ({
  within: [],
  messages: [],
  nameless: 0,
  inputs: [],
  chunk: null,
  stages: [],
  stagesBegun: 0,
  interrupts: [],
  data: 0,
});

/** The run is sent again from its beginning, or begins twice. What was told of it is known. */
function restart(step: AgUiStep, run: OpenRun): void {
  step.ignored.push('duplicate_message_start');
  for (const holder of [...run.messages, ...run.inputs]) letGo(step, holder);
  Object.assign(run, EMPTY_RUN());
}

function isWithin(step: AgUiStep, open: OpenRun, value: JsonObject): boolean {
  const parent = stringAt(value, 'parentRunId');
  if (!parent) return false;
  const upstream = upstreamOf(step, { runId: parent });
  return open.upstream === upstream || open.within.includes(upstream);
}

/** An agent may have others run within its run, and pass on what they say. */
function nest(step: AgUiStep, open: OpenRun, upstream: string): void {
  if (open.within.length >= step.context.limits.openBlocks)
    throw pastLimit('openBlocks', step.context.limits);
  open.within.push(upstream);
}

/** Publishes what is open, and lets go of the run. */
function closeOpen(step: AgUiStep, completion: Completion): void {
  const { open } = step.state;
  if (open === null) return;
  if (completion === 'COMPLETE') endThinking(step, open);
  closeMessages(step, open, completion);
  closeInputs(step, open, completion);
  step.state.open = null;
}

function finishRun(step: AgUiStep, value: JsonObject): void {
  const { state } = step;
  const upstream = upstreamOf(step, value);
  if (state.open?.within.includes(upstream)) {
    state.open.within = state.open.within.filter((within) => within !== upstream);
    return;
  }
  const run = state.open ?? (state.run === 'none' ? openRun(step, upstream) : undefined);
  if (run === undefined) step.ignored.push('outside_message');
  else endRun(step, run, objectAt(value, 'outcome') ?? {});
}

function endRun(step: AgUiStep, run: OpenRun, outcome: JsonObject): void {
  closeOpen(step, 'COMPLETE');
  settleOpen(step, 'COMPLETED', ({ activityId }) =>
    run.stages.some((stage) => stage.activityId === activityId),
  );
  restFromCalls(step, askAll(step, run, outcome));
}

function fail(step: AgUiStep, value: JsonObject): void {
  const { open, run } = step.state;
  if (open === null && run === 'failed') {
    step.ignored.push('repeated_error');
    return;
  }
  if (run === 'none') openRun(step, upstreamOf(step, value));
  failRun(step, failureCalled(stringAt(value, 'code') ?? ''), closeOpen);
}

/** What an application is sent beside the agent's words: told if the title map has its name. */
function takeData(step: AgUiStep, value: JsonObject): void {
  const { open } = step.state;
  const name = stringAt(value, 'name') ?? '';
  const isMapped = publicTool(step.context.titles, name).delivers !== undefined;
  if (name !== OLD_INTERRUPT && !isMapped) step.ignored.push('unmapped_data');
  else if (open === null) step.ignored.push('outside_message');
  else if (isMapped) deliverData(step, name, value.value, open.id, open.data++);
  else keepInterrupt(step, open, value.value);
}
