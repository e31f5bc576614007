import { isDeeperThan } from '../json.js';
import { isObject, type JsonObject, parseJson } from './json.js';
import type { Step } from './reducer.js';

/**
 * A tool's input, parsed once, when it is complete: its pieces are cut inside escapes and surrogate pairs. Empty is `{}`; undefined
 * is what is no JSON object, such as half of one.
 */
export function parseToolInput(step: Step<unknown>, json: string): JsonObject | undefined {
  if (json.trim() === '') return {};
  if (isDeeperThan(json, step.context.limits.jsonDepth)) {
    // An input is the tool's affair; nobody has to read one that is this deep to tell of the call.
    step.ignored.push('deep_tool_input');
    return {};
  }
  const value = parseJson(json);
  return isObject(value) ? value : undefined;
}
