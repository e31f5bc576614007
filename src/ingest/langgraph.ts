import { failureCalled } from './failure-names.js';
import { letGo } from './held.js';
import { digest, nameOf, resourceId } from './ids.js';
import { stringAt } from './json.js';
import { channelOf } from './langgraph/channels.js';
import { type Envelope, openEnvelope } from './langgraph/envelopes.js';
import { closeMessages } from './langgraph/messages.js';
import { askAll } from './langgraph/questions.js';
import type { LangGraphState, LangGraphStep, OpenRun } from './langgraph/state.js';
import type { Completion } from './message.js';
import { nextOccurrence } from './occurrences.js';
import { asEnding, type Reducer } from './reducer.js';
import { endStream, failRun, startRun, stopRun } from './run.js';
import { goOnFromCalls, restFromCalls } from './unclaimed-calls.js';

/** What LangGraph streams, by protocol v2 or as its platform did before it. One message of the model, one agent_message. */
export const langGraph: Reducer<LangGraphState> = {
  recognises: (frame) => {
    const envelope = openEnvelope(frame);
    return envelope?.isClassic ? isBeginning(envelope) : envelope !== undefined;
  },
  start: () => ({ ...startRun(), open: null, seen: [], told: [], waiting: [], over: [] }),
  reduce: (step, frame) => {
    const envelope = openEnvelope(frame);
    if (envelope === undefined) step.ignored.push('not_an_event');
    else reduceEnvelope(step, envelope);
  },
  end: (step, why) => {
    const { open } = step.state;
    // Not every server says at last that the run has ended.
    if (why === 'eof' && open !== null && isOver(step, open)) endRun(asEnding(step), open, false);
    endStream(step, why, closeOpen);
  },
  turn: ({ newest }) => newest || undefined,
};

const isBeginning = ({ method, data }: Envelope): boolean =>
  method === 'metadata' && typeof data.run_id === 'string';

const isOver = (
  { state }: LangGraphStep,
  { isClassic, isAnswered, messages, interrupts }: OpenRun,
): boolean =>
  isClassic &&
  !messages.some(({ isTold }) => isTold) &&
  (interrupts.length > 0 || (isAnswered && state.activities.length === 0));

function reduceEnvelope(step: LangGraphStep, envelope: Envelope): void {
  const { method, namespace } = envelope;
  const onRun = ON_RUN.get(method);
  if (onRun !== undefined) {
    // What becomes of graphs within the graph shows in what they say.
    if (namespace.length === 0) onRun(step, envelope);
  } else if (isRepeated(step, envelope)) step.ignored.push('repeated_event');
  else if (!SILENT.has(method)) reduceInRun(step, envelope);
}

/** A connection that is made again may bring again what came. */
function isRepeated({ state: { open } }: LangGraphStep, { seq }: Envelope): boolean {
  if (open === null || seq === undefined) return false;
  if (seq <= open.seq) return true;
  open.seq = seq;
  return false;
}

type OnRun = (step: LangGraphStep, envelope: Envelope) => void;

const ON_RUN: ReadonlyMap<string, OnRun> = new Map<string, OnRun>([
  ['lifecycle', reduceLifecycle],
  ['metadata', beginRun],
  ['error', fail],
  ['end', (step) => withRun(step, (run) => endRun(step, run, false))],
]);

/** Events that are understood and say nothing public. */
const SILENT = new Set([
  'checkpoints',
  'tasks',
  'debug',
  'events',
  'feedback',
  'messages/metadata',
  'input.answered',
]);

function reduceInRun(step: LangGraphStep, envelope: Envelope): void {
  const { method } = envelope;
  const inRun = channelOf(method);
  const run = inRun === undefined ? null : (step.state.open ?? implied(step, envelope));
  if (inRun === undefined) step.ignored.push('unknown_event');
  else if (run === null) step.ignored.push('outside_message');
  else inRun(step, run, envelope);
}

/** A run whose beginning was lost. After another is over, only what the model says begins one; after a failure, nothing but itself. */
function implied(step: LangGraphStep, { isClassic, method, data }: Envelope): OpenRun | null {
  const { run } = step.state;
  const isSaid =
    method === 'messages/partial' || (method === 'messages' && (isClassic || data.event === 'message-start'));
  const isOver = run === 'idle' || run === 'owing';
  return run === 'none' || (isOver && isSaid) ? openRun(step, upstreamOf(step, undefined), isClassic) : null;
}

/** A run may have no name. */
const upstreamOf = ({ context }: LangGraphStep, name: string | undefined): string =>
  digest(nameOf(context, name));

function openRun(step: LangGraphStep, upstream: string, isClassic: boolean): OpenRun {
  const { state, context } = step;
  goOnFromCalls(step);
  const id = resourceId(context, 'msg', 'run', upstream, nextOccurrence(state, upstream));
  state.newest = id;
  state.open = {
    id,
    upstream,
    isClassic,
    seq: -1,
    messages: [],
    spoken: [],
    nameless: 0,
    isAnswered: false,
    interrupts: [],
    data: 0,
  };
  return state.open;
}

function beginRun(step: LangGraphStep, { isClassic, data, seq }: Envelope): void {
  const { open } = step.state;
  const upstream = upstreamOf(step, stringAt(data, 'run_id'));
  const isAgain =
    open !== null && (isClassic ? open.upstream === upstream : (seq ?? Number.MAX_VALUE) <= open.seq);
  if (open !== null && isAgain) restart(step, open);
  else if (open === null || isClassic) {
    // The end of the other was lost.
    closeOpen(step, 'TRUNCATED');
    openRun(step, upstream, isClassic);
  }
  if (step.state.open !== null) step.state.open.seq = seq ?? -1;
}

/** The run is sent again from its beginning, or its server tries again. What was told of it is known. */
function restart(step: LangGraphStep, run: OpenRun): void {
  step.ignored.push('duplicate_message_start');
  for (const message of run.messages) letGo(step, message);
  Object.assign(run, { messages: [], nameless: 0, isAnswered: false, interrupts: [], data: 0 });
}

function reduceLifecycle(step: LangGraphStep, envelope: Envelope): void {
  const event = stringAt(envelope.data, 'event') ?? '';
  if (event === 'running' || event === 'started') beginRun(step, envelope);
  else if (isRepeated(step, envelope)) step.ignored.push('repeated_event');
  else if (event === 'completed') withRun(step, (run) => endRun(step, run, false));
  else if (event === 'interrupted') withRun(step, (run) => interrupt(step, run));
  else if (event === 'failed') fail(step, envelope);
  else step.ignored.push('unknown_event');
}

/** The end of a run; of one whose beginning was lost, too. */
function withRun(step: LangGraphStep, end: (run: OpenRun) => void): void {
  const { open, run } = step.state;
  if (open === null && run !== 'none') step.ignored.push('outside_message');
  else end(open ?? openRun(step, upstreamOf(step, undefined), true));
}

/** `isWaiting`: for somebody, whether or not it says for what. */
function endRun(step: LangGraphStep, run: OpenRun, isWaiting: boolean): void {
  const { state } = step;
  closeOpen(step, 'COMPLETE');
  const isAsking = isWaiting || run.interrupts.length > 0;
  if (isAsking) state.waiting = state.activities.map(({ activityId }) => activityId);
  askAll(step, run);
  restFromCalls(step, isAsking);
}

/** By itself, or by whoever cancelled it in the middle of a word. */
function interrupt(step: LangGraphStep, run: OpenRun): void {
  if (run.interrupts.length === 0 && run.messages.length > 0) stopRun(step, closeOpen);
  else endRun(step, run, true);
}

/** Publishes what is open, and lets go of the run. */
function closeOpen(step: LangGraphStep, completion: Completion): void {
  const { open } = step.state;
  if (open === null) return;
  closeMessages(step, open, completion);
  step.state.open = null;
}

/** An exception by its name; protocol v2 has it before the message, if at all. */
function fail(step: LangGraphStep, { data }: Envelope): void {
  const { open, run } = step.state;
  if (open === null && run === 'failed') {
    step.ignored.push('repeated_error');
    return;
  }
  if (run === 'none') openRun(step, upstreamOf(step, undefined), true);
  const name = /^\w+/.exec(stringAt(data, 'error') ?? '')?.[0] ?? '';
  if (CANCELLED.test(name)) stopRun(step, closeOpen);
  else failRun(step, failureCalled(name), closeOpen);
}

const CANCELLED = /^(?:cancell?ed|abort|userinterrupt)/i;
