import { holdThing } from '../held.js';
import { askInterrupt, interruptOf } from '../interrupts.js';
import { isObject, type JsonObject, listAt, parseJson, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import { UNKNOWN_TOOL } from '../titles.js';
import { callIdOf } from './calls.js';
import type { AgUiStep, OpenRun } from './state.js';

/** Agents that speak the protocol as it was before it had interrupts tell them as data of this name, before the run's end. */
export const OLD_INTERRUPT = 'on_interrupt';

export function keepInterrupt(step: AgUiStep, run: OpenRun, value: unknown): void {
  const json = JSON.stringify(value ?? null);
  if (run.interrupts.length >= step.context.limits.openBlocks)
    throw pastLimit('openBlocks', step.context.limits);
  holdThing(step, json);
  run.interrupts.push(json);
}

/** Asks what the run waits for at its end. Whether that is anything. */
export function askAll(step: AgUiStep, run: OpenRun, outcome: JsonObject): boolean {
  const given = outcome.type === 'interrupt' ? listAt(outcome, 'interrupts').filter(isObject) : [];
  const interrupts = given.slice(0, step.context.limits.openBlocks);
  for (const [at, interrupt] of interrupts.entries()) ask(step, run, interrupt, at);
  if (interrupts.length > 0) return true;
  for (const [at, json] of run.interrupts.entries()) {
    askInterrupt(step, interruptOf(step, withinText(parseJson(json))), run.id, at);
  }
  return run.interrupts.length > 0;
}

/** What is no text is sent as one that holds JSON. */
const withinText = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value;

function ask(step: AgUiStep, run: OpenRun, interrupt: JsonObject, at: number): void {
  const name = stringAt(interrupt, 'id');
  const key = name ? ['interrupt', name] : [run.id, at];
  const toolCallId = stringAt(interrupt, 'toolCallId');
  const title = toolCallId === undefined ? UNKNOWN_TOOL.title : waitFor(step, toolCallId);
  const asked = interruptOf(step, interrupt);
  // The words of what is asked about a call may tell its arguments (P10).
  if (interrupt.reason === 'tool_call') askInterrupt(step, { ...asked, calls: [title] }, ...key);
  else if (interrupt.reason !== 'confirmation') askInterrupt(step, asked, ...key);
  else askInterrupt(step, { ...asked, schema: asked.schema ?? { type: 'boolean' } }, ...key);
}

/** The call stays open for the answer. Gives its title. */
function waitFor(step: AgUiStep, toolCallId: string): string {
  const { activities, waiting } = step.state;
  const call = activities.find(({ activityId }) => activityId === callIdOf(step, toolCallId));
  if (call !== undefined && !waiting.includes(call.activityId)) waiting.push(call.activityId);
  return call?.title ?? UNKNOWN_TOOL.title;
}
