import { badUserInput } from './errors.js';
import type { JsonObject } from './parse.js';

/** What a request may hold. */
const LIMITS = {
  /** The hundred of a JSON value, and what a request has around it. */
  depth: 128,
  /** Each array and object that is built takes far more than the two bytes that it was sent in. */
  values: 100_000,
};

/**
 * Reads JSON that somebody sent. What would be dear to build is refused before anything is built; a name that stands twice in an object
 * is refused too, since readers differ in which of the two they believe. `root` names it in an error, which quotes none of it.
 * @throws BAD_USER_INPUT
 */
export function readJson(text: string, root: string): unknown {
  const size = measureJson(text, LIMITS);
  if (size.depth > LIMITS.depth) throw tooLarge(root, 'levels', LIMITS.depth);
  if (size.values > LIMITS.values) throw tooLarge(root, 'values', LIMITS.values);
  const value = parsed(text, root);
  if (countNames(value) !== size.names)
    throw badUserInput(`${root}: expected each name once in an object, got one twice.`);
  return value;
}

const tooLarge = (root: string, what: string, maximum: number) =>
  badUserInput(`${root}: expected JSON of at most ${maximum} ${what}, got more. Send less at once.`, {
    maximum,
  });

function parsed(text: string, root: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badUserInput(`${root}: expected JSON, got something else.`);
  }
}

interface JsonSize {
  /** The most brackets that are open at a time. */
  readonly depth: number;
  /** At least as many as there are; a name in an object is part of its value. */
  readonly values: number;
  /** Names in objects, each as often as it stands there. */
  readonly names: number;
}

/**
 * Counts without recursion; what stands inside strings does not count. Ends early at what is more than enough; text that is no JSON gets
 * some answer.
 */
function measureJson(json: string, enough: Omit<JsonSize, 'names'>): JsonSize {
  let [open, depth, values, names] = [0, 0, 1, 0];
  for (let at = 0; at < json.length && depth <= enough.depth && values <= enough.values; at++) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) at = endOfString(json, at);
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      values++;
      if (++open > depth) depth = open;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) open--;
    else if (char === COMMA) values++;
    else if (char === COLON) names++;
  }
  return { depth, values, names };
}

/** Whether brackets nest deeper than `max`, found without recursion and before anything is parsed. */
export const isDeeperThan = (json: string, max: number): boolean =>
  // Nesting takes two characters a level, in JSON that can be parsed at all.
  json.length > 2 * max && measureJson(json, { depth: max, values: Number.POSITIVE_INFINITY }).depth > max;

/** Where the string that begins at `start` ends, or the text does. */
function endOfString(json: string, start: number): number {
  const quote = json.indexOf('"', start + 1);
  // Most have no escape before their end.
  if (quote !== -1 && json.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  let at = start + 1;
  for (; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === QUOTE) break;
  }
  return at;
}

/** Not recursive by names alone: at most as deep as was measured. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let names = 0;
    for (const item of value) names += countNames(item);
    return names;
  }
  let names = 0;
  // Parsed JSON inherits no names that would be listed.
  for (const name in value) names += 1 + countNames((value as JsonObject)[name]);
  return names;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
