import { settleOpen } from '../activities.js';
import { goOn, idle } from '../run.js';
import { type ClaudeStep, isGoing } from './state.js';

/** The agent is at work: a run goes on, or another begins. */
export function begin(step: ClaudeStep): void {
  const { state } = step;
  if (!isGoing(state)) {
    state.hasActed = false;
    state.hasSpoken = false;
    state.isCut = false;
  }
  goOn(step);
}

/** The run is over; work in the background is not. */
export function rest(step: ClaudeStep): void {
  const { state } = step;
  const { isCut } = state;
  const background = state.activities.filter(({ activityId }) => state.background.includes(activityId));
  state.activities = state.activities.filter((activity) => !background.includes(activity));
  idle(step, { isCut });
  state.activities.push(...background);
}

/** The process is over, and all that it did beside its runs. */
export const endBackground = (step: ClaudeStep): void => settleOpen(step, 'FAILED');
