import { type ActivityState, settleOpen } from './activities.js';
import { CUT_OFF, type Failure, PAST_LIMIT, TIMED_OUT } from './failures.js';
import type { HeldState } from './held.js';
import { aboutOf, emit } from './ids.js';
import type { Completion, Published } from './message.js';
import { publishMethods } from './methods.js';
import { tellQuestions } from './questions.js';
import { asEnding, type EndReason, type Step } from './reducer.js';

/**
 * Where a run is: `none` before anything came · `open` while the agent speaks · `owing` its caller owes a tool result · `paused` by
 * the service, to be continued · `idle`, `failed` and `stopped` when it is over; whatever comes next then begins a new run.
 */
export type Run = 'none' | 'open' | 'owing' | 'paused' | 'idle' | 'failed' | 'stopped';

/** The part of a format's state that a run needs. */
export interface RunState extends ActivityState, HeldState {
  run: Run;
  /** The public id of what the run said last, which lifecycle events and errors are about; '' before anything. */
  newest: string;
  /** The newest message that this run published. */
  answer: Published | null;
}

export const startRun = (): RunState => ({
  run: 'none',
  newest: '',
  answer: null,
  activities: [],
  searches: [],
  questions: [],
  held: 0,
});

/** How a format publishes the text that is open, as far as it came, and lets go of it. */
export type CloseText<State> = (step: Step<State>, completion: Exclude<Completion, 'COMPLETE'>) => void;

/** The agent speaks again. Its caller's calls are over, for no service goes on without their results. */
export function goOn<State extends RunState>(
  step: Step<State>,
  isWaiting: (activityId: string) => boolean = () => false,
): void {
  const { state } = step;
  settleOpen(step, 'COMPLETED', ({ isCallers, activityId }) => isCallers && !isWaiting(activityId));
  if (state.run === 'paused') emit(step, { kind: 'session_resumed' }, state.newest);
  state.run = 'open';
}

export function pause<State extends RunState>(step: Step<State>): void {
  step.state.run = 'paused';
  emit(step, { kind: 'session_paused' }, step.state.newest);
}

/** The agent has said what it had to say: the run rests, unless its caller owes results; of a question it is the user who does. */
export function rest<State extends RunState>(
  step: Step<State>,
  isOwing = step.state.activities.some(({ isCallers }) => isCallers),
): void {
  if (isOwing && step.state.questions.length === 0) step.state.run = 'owing';
  else idle(step);
}

/**
 * The run is over and did not fail: calls whose result the stream left out are taken to have ended with it. `isCut`: it ran into
 * the end of what it may write, and so did they. Where it asks something, its caller's calls stay open, for they wait for the answer;
 * `isAsking` says so of what was asked already.
 */
export function idle<State extends RunState>(
  step: Step<State>,
  { isCut = false, isAsking = false } = {},
): void {
  const { state } = step;
  const isWaiting = isAsking || state.questions.length > 0;
  settleOpen(step, isCut ? 'FAILED' : 'COMPLETED', ({ isCallers }) => !(isWaiting && isCallers));
  if (state.answer !== null) publishMethods(step, state.answer, state.searches);
  tellQuestions(step);
  emit(step, { kind: 'session_idle' }, state.newest);
  leave(step, 'idle');
}

/** One failure, one error: what is open fails, the text so far is kept, cut. `about` names what failed outside any message. */
export function failRun<State extends RunState>(
  step: Step<State>,
  failure: Failure,
  close: CloseText<State>,
  about = '',
): void {
  settleOpen(step, 'FAILED');
  close(step, 'TRUNCATED');
  emit(step, { kind: 'error', ...failure }, aboutOf(step.context, step.state.newest, about));
  leave(step, 'failed');
}

export function stopRun<State extends RunState>(step: Step<State>, close: CloseText<State>): void {
  settleOpen(step, 'FAILED');
  close(step, 'ABORTED');
  emit(step, { kind: 'session_stopped' }, step.state.newest);
  leave(step, 'stopped');
}

function leave<State extends RunState>({ state }: Step<State>, run: Run): void {
  state.run = run;
  state.searches = [];
  state.questions = [];
  state.answer = null;
  state.held = 0;
}

/** The stream is over, and with it what the agent was about to say. */
export function endStream<State extends RunState>(
  step: Step<State>,
  why: EndReason,
  close: CloseText<State>,
): void {
  const { run } = step.state;
  const ending = asEnding(step);
  switch (why) {
    case 'eof':
    case 'cutoff':
      if (run === 'open') failRun(ending, CUT_OFF, close);
      break;
    case 'timeout':
      if (run === 'open') failRun(ending, TIMED_OUT, close);
      break;
    case 'limit':
      failRun(ending, PAST_LIMIT, close);
      break;
    case 'stopped':
      if (run === 'open' || run === 'owing' || run === 'paused') stopRun(ending, close);
      break;
    default:
      why satisfies never;
  }
}
