import { holdThing } from '../held.js';
import { askInterrupt, interruptOf } from '../interrupts.js';
import { isObject, type JsonObject, parseJson, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import type { LangGraphStep, OpenRun } from './state.js';

/** What the graph waits for comes before its end, once for each graph that it is within. */
export function keepInterrupt(step: LangGraphStep, run: OpenRun, name: string, value: unknown): void {
  if (name !== '' && run.interrupts.some((known) => known.name === name)) return;
  const json = JSON.stringify(value ?? null);
  if (run.interrupts.length >= step.context.limits.openBlocks)
    throw pastLimit('openBlocks', step.context.limits);
  holdThing(step, name + json);
  run.interrupts.push({ name, json });
}

/** The same in the state of the graph. */
export function keepInterrupts(
  step: LangGraphStep,
  run: OpenRun,
  { __interrupt__: given }: JsonObject,
): void {
  for (const interrupt of Array.isArray(given) ? given : []) {
    if (!isObject(interrupt)) step.ignored.push('not_an_event');
    else keepInterrupt(step, run, stringAt(interrupt, 'id') ?? '', interrupt.value);
  }
}

/** Asks what the run waits for at its end. */
export function askAll(step: LangGraphStep, run: OpenRun): void {
  for (const [at, { name, json }] of run.interrupts.entries()) {
    const key = name === '' ? [run.id, at] : ['interrupt', name];
    askInterrupt(step, interruptOf(step, parseJson(json)), ...key);
  }
}
