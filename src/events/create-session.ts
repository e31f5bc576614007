import { z } from 'zod';
import { databaseNow } from '../accounts/clock.js';
import type { Operation } from '../accounts/operation.js';
import { asUuid, uuid } from '../accounts/uuids.js';
import type { Viewer } from '../accounts/viewer.js';
import type { Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { conflict, forbidden, notFound } from '../errors.js';
import { id, optional, parse, text } from '../parse.js';
import { requireNotRun, visibleTo } from '../sessions/access.js';
import type { SessionRow } from '../sessions/store.js';
import { announce, appendPrepared, type PreparedEvent, prepareEvent } from './append.js';
import { hashOf } from './content-hash.js';
import { derivedId, randomId } from './ids.js';

const creation = z.strictObject({
  sessionId: optional(uuid('a sessionId')),
  title: optional(text(4_096)),
  text: optional(text(undefined, 1)),
  accountId: optional(id()),
});

/**
 * Creates a session, with its initial user_message if there is a text. Creating it again, by the same owner with the same content, gives
 * the session as it is now.
 * @throws FORBIDDEN for RUN, and for a PERSONAL credential that names another account; BAD_USER_INPUT; NOT_FOUND for an accountId outside
 * a SERVICE credential's organisation; CONFLICT when the sessionId is taken, with `current` if the viewer may see what has it.
 */
export async function createSession(
  operation: Operation,
  input: z.input<typeof creation>,
): Promise<SessionRow> {
  const { viewer, database } = operation;
  requireNotRun(viewer, 'createSession');
  const { sessionId = randomId(), title = null, text, accountId } = parse(creation, input);
  const ownerId = ownerOf(viewer, accountId);
  const creationHash = Buffer.from(hashOf({ ownerId, title, text }));
  const message = text === undefined ? undefined : initialMessage(sessionId, text);
  const { session, created } = await transact(database, async (tx) => {
    const organizationId = await organizationOf(tx, viewer, ownerId);
    const createdAt = await databaseNow(tx);
    const row = {
      id: sessionId,
      ownerId,
      organizationId,
      title,
      creationHash,
      createdAt,
      updatedAt: createdAt,
    };
    const [inserted] = await tx.session.createManyAndReturn({ data: [row], skipDuplicates: true });
    if (inserted === undefined) return { session: await existing(tx, viewer, row), created: false };
    return { session: await withMessage(tx, inserted, message), created: true };
  });
  if (created) announce(operation, session);
  return session;
}

/** Decided by kind, before any look-up. An account that cannot exist has no id, and so no organisation. */
function ownerOf(viewer: Viewer, accountId: string | undefined): string {
  if (accountId === undefined) return viewer.accountId;
  const ownerId = asUuid(accountId);
  if (viewer.kind === 'PERSONAL' && ownerId !== viewer.accountId) {
    throw forbidden(
      'input.accountId: expected your own account or none; a SERVICE credential creates sessions for others.',
    );
  }
  if (ownerId === undefined) throw noSuchAccount();
  return ownerId;
}

/** The owner's organisation, fixed from here on; a runtime creates within its own, or without one for its account alone. */
async function organizationOf(tx: Transaction, viewer: Viewer, ownerId: string): Promise<string | null> {
  const owner = await tx.account.findUnique({ where: { id: ownerId }, select: { organizationId: true } });
  const within =
    viewer.kind !== 'SERVICE' || viewer.organizationId === null
      ? ownerId === viewer.accountId
      : owner?.organizationId === viewer.organizationId;
  if (owner === null || !within) throw noSuchAccount();
  return owner.organizationId;
}

const noSuchAccount = () =>
  notFound(
    'input.accountId: expected the id of an account of your organisation, got none of those. Check the id.',
  );

const initialMessage = (sessionId: string, text: string): PreparedEvent =>
  prepareEvent({
    kind: 'user_message',
    eventId: derivedId('initial', sessionId),
    messageId: derivedId('initial message', sessionId),
    text,
    isInitial: true,
  });

const withMessage = async (tx: Transaction, session: SessionRow, message: PreparedEvent | undefined) =>
  message === undefined ? session : (await appendPrepared(tx, session, [message])).session;

/** The id is taken. Whose session one may not see, one learns no more about than that (the one exception to P9). */
async function existing(
  tx: Transaction,
  viewer: Viewer,
  wanted: Pick<SessionRow, 'id' | 'ownerId'> & { readonly creationHash: Buffer },
): Promise<SessionRow> {
  const session = await tx.session.findFirst({ where: { id: wanted.id, AND: visibleTo(viewer) } });
  const taken = 'input.sessionId: expected one that is new, got one that is taken. Choose another.';
  if (session === null) throw conflict(taken);
  if (session.ownerId === wanted.ownerId && wanted.creationHash.equals(session.creationHash)) return session;
  throw conflict(taken, {
    sessionId: session.id,
    title: session.title,
    status: session.status,
    createdAt: session.createdAt.toISOString(),
  });
}
