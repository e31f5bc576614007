import { activityIdOf, startActivity } from '../activities.js';
import { digest } from '../ids.js';
import { type JsonObject, objectAt, stringAt } from '../json.js';
import { publicTool } from '../redaction.js';
import { putInBackground, settle } from './calls.js';
import type { ClaudeStep } from './state.js';

/** A task begins: a call's work, which that call shows, or work of its own. */
export function startTask(step: ClaudeStep, value: JsonObject): void {
  const id = stringAt(value, 'task_id');
  if (id) openTask(step, id, stringAt(value, 'tool_use_id'));
  else step.ignored.push('not_an_event');
}

function openTask(step: ClaudeStep, id: string, call: string | undefined): void {
  const { state, context } = step;
  const task = digest([id]);
  if (state.tasks.some((open) => open.task === task)) return;
  const callId = activityIdOf(step, 'call', call);
  const isCalls = state.activities.some(({ activityId }) => activityId === callId);
  const activityId = isCalls ? callId : activityIdOf(step, 'task', id);
  state.tasks = [...state.tasks, { task, activityId }].slice(-context.limits.openBlocks);
  if (isCalls) return;
  const { title } = publicTool(context.titles, 'Task');
  startActivity(step, { activityId, title, messageId: state.newest, isCallers: false, searches: [] });
  putInBackground(step, activityId);
}

const OUTCOMES: ReadonlyMap<string, 'COMPLETED' | 'FAILED'> = new Map([
  ['completed', 'COMPLETED'],
  ['failed', 'FAILED'],
  ['stopped', 'FAILED'],
  ['killed', 'FAILED'],
]);

/** A task is told as over in two ways, of which either may be the only one. */
export function updateTask(step: ClaudeStep, value: JsonObject): void {
  const status = stringAt(value, 'status') ?? stringAt(objectAt(value, 'patch') ?? {}, 'status') ?? '';
  const outcome = OUTCOMES.get(status);
  const task = digest([stringAt(value, 'task_id')]);
  const open = step.state.tasks.find((other) => other.task === task);
  if (outcome === undefined || open === undefined) return;
  settle(step, open.activityId, outcome);
}
