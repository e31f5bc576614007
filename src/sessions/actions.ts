import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import { asUuid } from '../accounts/uuids.js';
import { transact } from '../database/transact.js';
import type { Pulled } from '../live/pulled.js';
import { watch } from '../live/signals.js';
import { id, optional, parse, text } from '../parse.js';
import { noSuchSession, requireNotRun } from './access.js';
import { sessionById } from './loaders.js';
import { lockSession, type SessionRow, writeTitle } from './store.js';
import { announce, sessionOfLogKey, topicsOf } from './topics.js';

/** A session's title, 1 to 1,000 UTF-16 units. */
export const title = () => text(1_000, 1);

const updateInput = z.strictObject({ sessionId: id(), title: optional(title()) });

/**
 * Changes what is given of a session: its title.
 * @throws FORBIDDEN for RUN credentials, BAD_USER_INPUT, NOT_FOUND unless the viewer may write to it.
 */
export async function updateSession(operation: Operation, input: unknown): Promise<SessionRow> {
  requireNotRun(operation.viewer, 'Updating a session');
  const { sessionId, title } = parse(updateInput, input);
  const id = asUuid(sessionId);
  if (id === undefined) throw noSuchSession();
  const { session, changed } = await transact(operation.database, async (tx) => {
    const session = await lockSession(tx, operation.viewer, id);
    if (title === undefined || session.title === title) return { session, changed: false };
    return { session: await writeTitle(tx, id, title), changed: true };
  });
  if (changed) announce(operation, session);
  return session;
}

/** A session of the viewer's list has changed; or, without one, the list is to be read again. */
export interface SessionChange {
  readonly session: SessionRow | null;
  readonly resync: boolean;
}

/** What `watchSessions` gives, to be read with `readChange`. */
export type SessionSignal = { readonly key: string } | { readonly resync: true };

/**
 * Signals for the viewer's list of sessions, by the topics of what it may read; `resync` first.
 * @throws FORBIDDEN for RUN credentials.
 */
export function watchSessions({ viewer, bus }: Operation): Pulled<SessionSignal> {
  requireNotRun(viewer, 'sessionChanged');
  return watch(bus, topicsOf(viewer));
}

/** Reads what a signal is about, as the viewer may see it now; what cannot be seen is a reason to read the list again. */
export async function readChange(operation: Operation, signal: SessionSignal): Promise<SessionChange> {
  const id = 'key' in signal ? sessionOfLogKey(signal.key) : undefined;
  const session = id === undefined ? null : await sessionById(operation).load(id);
  return { session, resync: session === null };
}
