import { z } from 'zod';
import { badUserInput } from './errors.js';

/** The longest text of an event, in UTF-16 units. */
export const MAX_TEXT = 2 * 1024 * 1024;

/**
 * Text as the database can hold it: U+0000 is refused (PostgreSQL stores none), a lone surrogate becomes U+FFFD, as it would in
 * any UTF-8 encoder. `max` is in UTF-16 units.
 */
export const text = (max = MAX_TEXT, min = 0) =>
  z
    .string()
    .min(min, min === 1 ? 'expected some text, got an empty string' : `expected at least ${min} characters`)
    .max(max, `expected at most ${max.toLocaleString('en')} characters`)
    .refine((value) => !value.includes('\u0000'), 'expected text without U+0000 (NUL)')
    .transform((value) => value.toWellFormed());

/** An id as its writer gave it, byte for byte: 1 to 512 characters. */
export const id = () => text(512, 1);

/** A whole number that JSON carries exactly. */
export const safeInt = () =>
  z.number().int().min(0).max(Number.MAX_SAFE_INTEGER, 'expected a whole number up to 2^53-1');

/** GraphQL's Int. */
export const int32 = () =>
  z
    .number()
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1);

/** An explicit null reads as absent, everywhere. */
export const optional = <T extends z.ZodType>(schema: T) =>
  // Not a union: that would hide, behind "invalid input", where in the value the fault is and what was expected there.
  schema
    .nullish()
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();

/** For `superRefine`: no two items of a list have the same `key`. `where` and what to do instead go into the message. */
export const eachOnce =
  <K extends string>(key: K, where: string) =>
  <T extends Readonly<Record<K, string>>>(items: T[], context: z.RefinementCtx<T[]>) => {
    const seen = new Set<string>();
    for (const [index, { [key]: value }] of items.entries()) {
      if (seen.has(value)) {
        const message = `expected each ${key} once in ${where}`;
        context.addIssue({ code: 'custom', path: [index, key], message });
      }
      seen.add(value);
    }
  };

/** Parses what came from outside; the error names the path of the first fault, what was expected there and what to do. */
export function parse<T extends z.ZodType>(schema: T, value: unknown, root = 'input'): z.output<T> {
  const result = schema.safeParse(value, { error: inOurWords });
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const path = formatPath(root, first?.path ?? []);
  throw badUserInput(`${path}: ${first?.message ?? 'not understood'}.`, { path });
}

/** Of a fault for which a schema has no words of its own. */
function inOurWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPES[issue.expected] ?? 'another kind of value'}, got ${kindOf(issue.input)}`;
    case 'invalid_value':
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum.toLocaleString('en')}${UNITS[issue.origin] ?? ''}`;
    case 'too_big':
      return `expected at most ${issue.maximum.toLocaleString('en')}${UNITS[issue.origin] ?? ''}`;
    case 'unrecognized_keys':
      return `expected known fields only, got ${JSON.stringify(`${issue.keys[0]}`.slice(0, 64))}`;
    default:
      return 'expected another value';
  }
}

/** What zod's types are called here. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'an instant',
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/** What came, without saying what was in it. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'none';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'another number';
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'true or false' : 'an object';
}

function formatPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    root,
  );
}

/** How many lists and objects of a JSON value may be inside each other: far beyond use, short of what makes a recursive reader fail. */
const MAX_JSON_DEPTH = 100;

/** A JSON object of unknown shape. Names that somebody chose may be those of `Object.prototype`: ask `Object.hasOwn`. */
export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON value, its texts checked as `text` checks them, its numbers such as lose no digits, at most 100 levels deep; `root` names it in an
 * error. */
export function checkedJson(value: unknown, root = 'JSON', depth = 0): unknown {
  if (typeof value === 'string') return checkedText(value, root);
  if (typeof value === 'number') return checkedNumber(value, root);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_JSON_DEPTH)
    throw badUserInput(`${root}: expected at most ${MAX_JSON_DEPTH} levels, got more.`);
  if (Array.isArray(value)) return value.map((item) => checkedJson(item, root, depth + 1));
  // Built from entries, so that a key such as __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [checkedText(key, root), checkedJson(item, root, depth + 1)]),
  );
}

function checkedText(value: string, root: string): string {
  if (value.includes('\u0000')) throw badUserInput(`${root}: expected text without U+0000 (NUL).`);
  return value.toWellFormed();
}

/**
 * 1e400 is read as infinity, which would be stored as null. JSON writes whole numbers below 10^21 with all their digits, and beyond 2^53
 * those need not be the ones that were sent.
 */
function checkedNumber(value: number, root: string): number {
  if (!Number.isFinite(value))
    throw badUserInput(`${root}: expected numbers of up to 1.7976931348623157e308, got a larger one.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    throw badUserInput(`${root}: expected whole numbers of up to 2^53-1, got one beyond. Send it as text.`);
  return value;
}
