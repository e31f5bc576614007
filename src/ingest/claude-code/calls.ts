import { activityIdOf, settleActivity } from '../activities.js';
import { startCall } from '../calls.js';
import { type JsonObject, objectAt, stringAt } from '../json.js';
import { tellQuestions } from '../questions.js';
import { publicTool } from '../redaction.js';
import type { ClaudeStep } from './state.js';

/** A call, by the id that its result will name; one without an id, by its place. */
const callIdOf = (step: ClaudeStep, id: string | undefined): string =>
  id
    ? activityIdOf(step, 'call', id)
    : activityIdOf(step, 'call', step.state.newest, step.state.calls.length);

/** How many calls are remembered beyond their end. */
const REMEMBERED_CALLS = 256;

/** Tells a call whose input is complete, once, and asks at once what it asks: the answer is its result, in the same stream. */
export function tellCall(step: ClaudeStep, id: string | undefined, name: string, input: JsonObject): void {
  const { state } = step;
  const activityId = callIdOf(step, id);
  if (state.calls.includes(activityId)) return;
  state.calls = [...state.calls, activityId].slice(-REMEMBERED_CALLS);
  state.hasActed = true;
  if (input.run_in_background === true) putInBackground(step, activityId);
  const tool = publicTool(step.context.titles, name);
  startCall(step, { activityId, tool, messageId: state.newest, isCallers: false }, input);
  tellQuestions(step);
}

/** Bounded like the open activities, of which they are some. */
export function putInBackground({ state }: ClaudeStep, activityId: string): void {
  const isOpen = (id: string) => state.activities.some((activity) => activity.activityId === id);
  state.background = [...state.background.filter(isOpen), activityId];
}

/** A result ends its call, unless it only says that the work has begun, in the background. */
export function takeResult(step: ClaudeStep, block: JsonObject): void {
  const { state } = step;
  const activityId = callIdOf(step, stringAt(block, 'tool_use_id'));
  if (!state.calls.includes(activityId)) {
    step.ignored.push('outside_message');
    return;
  }
  const hasFailed = block.is_error === true || isErrorContent(block);
  const isTask =
    state.background.includes(activityId) && state.tasks.some((task) => task.activityId === activityId);
  if (hasFailed || !isTask) settle(step, activityId, hasFailed ? 'FAILED' : 'COMPLETED');
}

/** Tools of the service say so in their content. */
const isErrorContent = (block: JsonObject): boolean =>
  /_error$/.test(stringAt(objectAt(block, 'content') ?? {}, 'type') ?? '');

/** Ends an activity, once. */
export function settle(step: ClaudeStep, activityId: string, outcome: 'COMPLETED' | 'FAILED'): void {
  const open = step.state.activities.find((activity) => activity.activityId === activityId);
  if (open !== undefined) settleActivity(step, open, outcome);
}
