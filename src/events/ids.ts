import { randomUUID } from 'node:crypto';
import { asUuid } from '../accounts/uuids.js';
import { noSuchSession } from '../sessions/access.js';
import { hashOf } from './content-hash.js';

/** An opaque id that the same parts give again: how a repeated call finds the event that it made the first time. */
export const derivedId = (...parts: readonly unknown[]): string =>
  hashOf(parts).subarray(0, 16).toString('base64url');

export const randomId = (): string => randomUUID();

/** At the door: a sessionId is a UUID, in lower case. @throws NOT_FOUND for what cannot be one (P9). */
export function sessionIdOf(text: string): string {
  const sessionId = asUuid(text);
  if (sessionId === undefined) throw noSuchSession();
  return sessionId;
}
