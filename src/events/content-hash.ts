import { hash } from 'node:crypto';
import type { EventContent } from './content.js';

/** What the schema fills in where nothing was sent: said or left out, it is the same content (P3). */
const DECLARED_DEFAULTS: Readonly<Record<string, unknown>> = {
  historical: false,
  isInitial: false,
  completion: 'COMPLETE',
};

/**
 * SHA-256, 32 bytes, of an event as it was sent: sorted keys, null and absent dropped, defaults not filled in. Tells a repetition from
 * a contradiction (P3). `createdAt` counts only if it was sent, so a retry under another clock is still the same.
 */
export function contentHash(content: EventContent): Buffer {
  const { kind, ...fields } = content;
  // A payload of an unknown kind is data: a null in it says something.
  const payload = 'payload' in fields ? canonicalJson(fields.payload) : null;
  const sent = Object.entries(fields).filter(([key, value]) => key !== 'payload' && !isFilledIn(key, value));
  return hashOf([kind, Object.fromEntries(sent), payload]);
}

/** SHA-256, 32 bytes, of any value: keys sorted, null and absent properties dropped, dates as ISO with milliseconds. */
export const hashOf = (value: unknown): Buffer<ArrayBuffer> =>
  Buffer.from(hash('sha256', JSON.stringify(sortedWithoutNulls(value)), 'buffer'));

/** No files and an empty list of them are stored and shown alike. */
const isFilledIn = (key: string, value: unknown): boolean =>
  DECLARED_DEFAULTS[key] === value || (key === 'files' && Array.isArray(value) && value.length === 0);

/** As `canonicalJson` orders keys, but in one go: every event comes this way. */
function sortedWithoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(sortedWithoutNulls);
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.sort(byKey).map(([key, item]) => [key, sortedWithoutNulls(item)]));
}

/** JSON with the keys of every object in the order of their UTF-16 units: two values are the same if this is. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, sortKeys);

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(byKey));
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
