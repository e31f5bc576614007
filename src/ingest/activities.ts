import { type ConfiguredDelivery, deliverConfigured } from './deliveries.js';
import { emit, resourceId } from './ids.js';
import { pastLimit } from './limits.js';
import { withdrawSearches } from './methods.js';
import { dropQuestions, type QuestionState } from './questions.js';
import type { PublicSearch } from './redaction.js';
import type { Step } from './reducer.js';

/** A call that was told as STARTED and whose end is still to come. */
export interface OpenActivity {
  readonly activityId: string;
  readonly title: string;
  /** The upstream message that made the call, by its public id. */
  readonly messageId: string;
  /** Whether the agent's caller runs it: its result then shows only in that the agent goes on. */
  readonly isCallers: boolean;
  /** The searches that are known through this call; they did not run if it fails. */
  readonly searches: readonly PublicSearch[];
  /** What it will have delivered if it ends well. */
  readonly delivery?: ConfiguredDelivery;
}

/** The part of a format's state that activities need: `searches` are the run's, for its methods. */
export interface ActivityState extends QuestionState {
  activities: OpenActivity[];
  searches: PublicSearch[];
}

type Outcome = 'COMPLETED' | 'FAILED';
type Told = Pick<OpenActivity, 'activityId' | 'title'>;

/** `key`: what the stream calls the activity by. */
export const activityIdOf = (step: Step<unknown>, ...key: unknown[]): string =>
  resourceId(step.context, 'act', ...key);

/** Tells that a call was made, and remembers it until it settles. Throws the fault of `openBlocks`. */
export function startActivity<State extends ActivityState>(step: Step<State>, activity: OpenActivity): void {
  const { activities } = step.state;
  if (activities.length >= step.context.limits.openBlocks) throw pastLimit('openBlocks', step.context.limits);
  activities.push(activity);
  tell(step, activity, 'STARTED');
}

/** Tells how a call ended, open or not: its start may have come in an earlier stream. */
export function settleActivity<State extends ActivityState>(
  step: Step<State>,
  told: Told,
  outcome: Outcome,
): void {
  const { state } = step;
  const open = state.activities.find(({ activityId }) => activityId === told.activityId);
  state.activities = state.activities.filter((activity) => activity !== open);
  dropQuestions(state, told.activityId);
  if (outcome === 'FAILED' && open) state.searches = withdrawSearches(state.searches, open.searches);
  if (outcome === 'COMPLETED' && open?.delivery) deliverConfigured(step, open.delivery);
  tell(step, open ?? told, outcome);
}

/** Settles the open calls that `which` picks, oldest first. */
export function settleOpen<State extends ActivityState>(
  step: Step<State>,
  outcome: Outcome,
  which: (activity: OpenActivity) => boolean = () => true,
): void {
  for (const activity of step.state.activities.filter(which)) settleActivity(step, activity, outcome);
}

/** An activity that is over as soon as it can be told, such as thinking. */
export function tellWhole(step: Step<unknown>, told: Told): void {
  tell(step, told, 'STARTED');
  tell(step, told, 'COMPLETED');
}

function tell(step: Step<unknown>, { activityId, title }: Told, status: 'STARTED' | Outcome): void {
  emit(step, { kind: 'activity', activityId, status, title }, activityId, status === 'STARTED' ? 1 : 2);
}
