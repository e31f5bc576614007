import { activityIdOf, settleActivity, startActivity, tellWhole } from '../activities.js';
import { holdThing } from '../held.js';
import { type JsonObject, stringAt } from '../json.js';
import { publicTool } from '../redaction.js';
import type { AgUiStep, InRun, OpenRun } from './state.js';

/** Stretches of a run that the agent names. */
export const STAGE_EVENTS: ReadonlyMap<string, InRun> = new Map<string, InRun>([
  ['STEP_STARTED', startStage],
  ['STEP_FINISHED', endStage],
]);

/** What it thinks, in the words of the protocol and in its older ones. */
export const THOUGHT_EVENTS: ReadonlyMap<string, InRun> = new Map<string, InRun>([
  ['REASONING_START', think],
  ['REASONING_MESSAGE_START', think],
  ['REASONING_MESSAGE_CONTENT', think],
  ['REASONING_MESSAGE_CHUNK', think],
  ['REASONING_MESSAGE_END', endThinking],
  ['REASONING_END', endThinking],
  ['THINKING_START', think],
  ['THINKING_CONTENT', think],
  ['THINKING_TEXT_MESSAGE_START', think],
  ['THINKING_TEXT_MESSAGE_CONTENT', think],
  ['THINKING_TEXT_MESSAGE_END', endThinking],
  ['THINKING_END', endThinking],
]);

/** Told by the title of its name, like a tool. */
function startStage(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = stringAt(value, 'stepName') ?? '';
  const activityId = activityIdOf(step, 'stage', run.id, run.stagesBegun++);
  // A run that is sent again tells its stages again.
  if (step.state.activities.some((activity) => activity.activityId === activityId)) return;
  const { title } = publicTool(step.context.titles, name);
  holdThing(step, name);
  startActivity(step, { activityId, title, messageId: run.id, isCallers: false, searches: [] });
  run.stages.push({ name, activityId });
}

function endStage(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = stringAt(value, 'stepName') ?? '';
  const stage = run.stages.findLast((open) => open.name === name);
  if (stage === undefined) {
    step.ignored.push('late_delta');
    return;
  }
  run.stages = run.stages.filter((open) => open !== stage);
  settleActivity(step, { activityId: stage.activityId, title: '' }, 'COMPLETED');
}

function think(_: AgUiStep, run: OpenRun): void {
  if (run.thinking === 'none') run.thinking = 'open';
}

/** That it thought, never what (P10); once a run, however often it pauses to think. */
export function endThinking(step: AgUiStep, run: OpenRun): void {
  if (run.thinking !== 'open') return;
  run.thinking = 'told';
  tellWhole(step, { activityId: activityIdOf(step, 'thinking', run.id), title: 'Thinking' });
}
