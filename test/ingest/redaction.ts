import type { EventInput } from '../../src/events/content.js';
import * as failures from '../../src/ingest/failures.js';
import { isObject, type JsonObject } from '../../src/ingest/json.js';
import { DEFAULT_TITLES, UNKNOWN_TOOL } from '../../src/ingest/titles.js';

/*
 * P10 over a recording: no string of six characters or more that occurs in it comes out of any event, be it a tool's name, an
 * argument, a result, thinking, a path, an id or an upstream error. Excepted is what is public: the agent's text, and the fields
 * that are mapped on purpose: a search's queries, a citation's quote and its source's title and address, a file's name and type, what a
 * question asks, and when a line was written.
 */

const MIN_LENGTH = 6;

/** What a recording says, pieced together. */
export interface Said {
  /** Public texts, and the values of excepted fields. */
  readonly shown: readonly string[];
  /** What is private and comes in pieces. */
  readonly hidden: readonly string[];
}

/** All strings in a value, keys too. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]) : [];
}

/** A text as a whole, its lines, and the paths in it. */
const piecesOf = (text: string): string[] => [
  text,
  ...text.split('\n').map((line) => line.trim()),
  ...(text.match(/(?:\/[\w.$-]+)+/g) ?? []),
];

/** What must not come out. */
export const secretsOf = (objects: readonly JsonObject[], { shown, hidden }: Said): string[] => [
  ...new Set(
    [...objects.flatMap(stringsIn), ...hidden]
      .flatMap(piecesOf)
      .filter((piece) => piece.length >= MIN_LENGTH)
      .filter((piece) => !shown.some((text) => text.includes(piece))),
  ),
];

/** Words of ours may be anybody's. */
const OURS = new Set([
  ...[...DEFAULT_TITLES.values()].map(({ title }) => title),
  ...Object.values(failures).map(({ message }) => message),
  UNKNOWN_TOOL.title,
  ...['approve', 'Approve', 'reject', 'Reject'],
]);
const OUR_FIELDS = new Set(['kind', 'status', 'completion', 'code', 'responseFormat', 'approach', 'source']);

function valuesOf(value: unknown): string[] {
  if (typeof value === 'string') return OURS.has(value) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    OUR_FIELDS.has(key) && typeof inner === 'string' ? [] : valuesOf(inner),
  );
}

/** The secrets that came out all the same. */
export const leaks = (objects: readonly JsonObject[], said: Said, events: readonly EventInput[]): string[] =>
  leaksInto(secretsOf(objects, said), events);

/** Those of the secrets that are in what was told, whatever that is. */
export function leaksInto(secrets: readonly string[], told: unknown): string[] {
  const texts = valuesOf(told).map((text) => text.replace(/<\/?citations>/g, ''));
  return secrets.filter((secret) => texts.some((text) => text.includes(secret)));
}
