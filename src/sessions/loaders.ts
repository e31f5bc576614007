import type { Operation } from '../accounts/operation.js';
import { asUuid } from '../accounts/uuids.js';
import { defineLoader, rowByKey } from '../database/loaders.js';
import { noSuchSession } from './access.js';
import { findSessions, readListHead, type SessionRow } from './store.js';

/** A visible session by its id, or null; one statement an operation, so every list of it is cut at the same head. */
export const sessionById = defineLoader<Operation, string, SessionRow | null>(async (ids, operation) =>
  rowByKey(ids, await findSessions(operation, ids), ({ id }) => id),
);

/**
 * A session by the id that a client gave.
 * @throws NOT_FOUND for one that is unknown, malformed or foreign, all alike (P9).
 */
export async function requireSession(operation: Operation, sessionId: string): Promise<SessionRow> {
  const id = asUuid(sessionId);
  const session = id === undefined ? null : await sessionById(operation).load(id);
  if (session === null) throw noSuchSession();
  return session;
}

/**
 * What a mutation has committed, as its transaction left it, for an operation that has read nothing yet: showing the session then takes
 * no read, and no fault of the database can make what took effect look as if it had failed.
 */
export function shownAsWritten<T extends { readonly session: SessionRow }>(
  operation: Operation,
  written: T,
): T {
  sessionById(operation).prime(written.session.id, written.session);
  return written;
}

/** Where all lists of sessions of an operation end, read once. */
export const listHead = defineLoader<Operation, 'head', number>(async (keys, operation) => {
  const head = await readListHead(operation);
  return keys.map(() => head);
});
