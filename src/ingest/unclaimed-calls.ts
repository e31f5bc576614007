import { settleActivity, settleOpen } from './activities.js';
import { type Call, startCall } from './calls.js';
import type { JsonObject } from './json.js';
import { publicTool } from './redaction.js';
import type { Step } from './reducer.js';
import { goOn, idle, type RunState, rest } from './run.js';
import { UNKNOWN_TOOL } from './titles.js';

/*
 * Calls of which no stream says who runs them: the agent, whose result comes, or its caller, whose does not. They are their caller's
 * until a result or the agent's next words say otherwise, and keep their id through all runs: a run that goes on after an answer may
 * tell again what the run before told.
 */

/** The part of a format's state that such calls need. */
export interface UnclaimedState {
  /** Activities that wait for an answer: they end by a result of their own, however long that takes. */
  waiting: string[];
  /** Calls that ended well, newest last. */
  over: string[];
}

type UnclaimedStep = Step<RunState & UnclaimedState>;

/** How many calls are remembered. */
const REMEMBERED_CALLS = 256;

/** Another run begins: its caller has what it called for, but what waits for an answer goes on waiting. */
export function goOnFromCalls(step: UnclaimedStep): void {
  const { state } = step;
  completing(step, () => goOn(step, (activityId) => state.waiting.includes(activityId)));
  state.waiting = state.waiting.filter((id) => state.activities.some(({ activityId }) => activityId === id));
}

/** Tells of a call whose input is complete, by the name of its tool. */
export function tellCall(
  step: UnclaimedStep,
  { activityId, messageId }: Pick<Call, 'activityId' | 'messageId'>,
  name: string,
  input: JsonObject,
): void {
  const { activities, over } = step.state;
  const isKnown = over.includes(activityId) || activities.some((open) => open.activityId === activityId);
  const tool = publicTool(step.context.titles, name);
  if (isKnown) step.ignored.push('repeated_event');
  else startCall(step, { activityId, tool, messageId, isCallers: true }, input);
}

/** The agent speaks after its calls, other than in the message that made them: so it has what it called for, and nobody owes it. */
export function speakAfterCalls({ state }: UnclaimedStep, speaking: string): void {
  state.activities = state.activities.map((activity) =>
    activity.messageId === speaking || state.waiting.includes(activity.activityId)
      ? activity
      : { ...activity, isCallers: false },
  );
}

export function settleCall(
  step: UnclaimedStep,
  activityId: string,
  outcome: 'COMPLETED' | 'FAILED',
  title = UNKNOWN_TOOL.title,
): void {
  const { state } = step;
  state.waiting = state.waiting.filter((waiting) => waiting !== activityId);
  if (state.over.includes(activityId)) step.ignored.push('repeated_event');
  else {
    settleActivity(step, { activityId, title }, outcome);
    if (outcome === 'COMPLETED') rememberOver(state, [activityId]);
  }
}

/** A result that the conversation repeats: it ends the call if that is open, else it is history. */
export function settleIfOpen(step: UnclaimedStep, activityId: string, outcome: 'COMPLETED' | 'FAILED'): void {
  if (step.state.activities.some((open) => open.activityId === activityId))
    settleCall(step, activityId, outcome);
}

/** The run has ended. `isAsking`: and waits for an answer. */
export function restFromCalls(step: UnclaimedStep, isAsking: boolean): void {
  // A call that nobody spoke of any more was not permitted.
  if (!isAsking) settleOpen(step, 'FAILED', ({ activityId }) => step.state.waiting.includes(activityId));
  completing(step, () => (isAsking ? idle(step, { isAsking }) : rest(step)));
}

/** Does what may complete calls, and remembers which it did. */
function completing({ state }: UnclaimedStep, work: () => void): void {
  const before = state.activities.map(({ activityId }) => activityId);
  work();
  const open = new Set(state.activities.map(({ activityId }) => activityId));
  rememberOver(
    state,
    before.filter((activityId) => !open.has(activityId)),
  );
}

function rememberOver(state: UnclaimedState, activityIds: readonly string[]): void {
  state.over = [...state.over, ...activityIds].slice(-REMEMBERED_CALLS);
}
