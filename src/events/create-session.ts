import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import { uuid } from '../accounts/uuids.js';
import { transact } from '../database/transact.js';
import { id, optional, parse, text } from '../parse.js';
import { requireNotRun } from '../sessions/access.js';
import { title } from '../sessions/actions.js';
import { insertSession } from '../sessions/creation.js';
import type { SessionRow } from '../sessions/store.js';
import { announce } from '../sessions/topics.js';
import { announceAppended, appendPrepared, type PreparedEvent, prepareEvent } from './append.js';
import { hashOf } from './content-hash.js';
import { derivedId, randomId } from './ids.js';

const creation = z.strictObject({
  sessionId: optional(uuid('a sessionId')),
  title: optional(title()),
  text: optional(text(undefined, 1)),
  accountId: optional(id()),
});

/**
 * Creates a session, with its initial user_message if there is a text. Creating it again, for the same owner with the same content,
 * gives the session as it is now.
 * @throws FORBIDDEN for RUN, and for a PERSONAL credential that names another account; BAD_USER_INPUT; NOT_FOUND for an account that
 * the runtime does not serve; CONFLICT when the sessionId is taken, with `current` if the viewer may see by what.
 */
export async function createSession(operation: Operation, input: unknown): Promise<SessionRow> {
  requireNotRun(operation.viewer, 'Creating a session');
  const { sessionId = randomId(), title = null, text, accountId } = parse(creation, input);
  const creationHash = hashOf({ title, text });
  const message = text === undefined ? undefined : initialMessage(sessionId, text);
  const { session, created, appended } = await transact(operation.database, async (tx) => {
    const wanted = { id: sessionId, title, accountId, creationHash };
    const { session, created } = await insertSession(tx, operation.viewer, wanted);
    if (!created || message === undefined) return { session, created };
    const appended = await appendPrepared(operation, tx, session, [message]);
    return { session: appended.session, created, appended };
  });
  if (appended !== undefined) announceAppended(operation, appended);
  else if (created) announce(operation, session);
  return session;
}

const initialMessage = (sessionId: string, text: string): PreparedEvent =>
  prepareEvent({
    kind: 'user_message',
    eventId: derivedId('initial', sessionId),
    messageId: derivedId('initial message', sessionId),
    text,
    isInitial: true,
  });
