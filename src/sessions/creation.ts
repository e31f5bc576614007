import { asUuid } from '../accounts/uuids.js';
import type { Viewer } from '../accounts/viewer.js';
import type { Transaction } from '../database/database.js';
import { conflict, forbidden, notFound } from '../errors.js';
import { mayWrite, type Ownership, sees } from './access.js';
import { findAnySession, insertRow, lockOwner, type SessionRow } from './store.js';

/** A session as it is asked for, parsed. */
export interface NewSession {
  /** A UUID in lower case. */
  readonly id: string;
  readonly title: string | null;
  /** Whose it is to be, as a runtime names it; absent: the viewer's own account's. */
  readonly accountId?: string | undefined;
  /** SHA-256 of the creating input: tells a repetition from a contradiction. */
  readonly creationHash: Buffer<ArrayBuffer>;
}

export interface Created {
  readonly session: SessionRow;
  /** False when it was there already, with the same owner and content: then nothing was written. */
  readonly created: boolean;
}

/**
 * Makes a session, or finds the one that the same call made before. Of two that use one id at once the primary key lets one, and
 * the other waits for it. The organisation is the owner's, read under a lock that a move waits for, and stays; sessions
 * of one owner or organisation are numbered in the order of their commits.
 * @throws FORBIDDEN for a person who names another owner; NOT_FOUND for an owner that a runtime may not name; CONFLICT for an id that
 * is taken, with `current` if one may see by what.
 */
export async function insertSession(
  tx: Transaction,
  viewer: Viewer,
  { accountId, ...session }: NewSession,
): Promise<Created> {
  const owner = await findOwner(tx, viewer, accountId);
  const inserted = await insertRow(tx, { ...session, ...owner });
  if (inserted !== null) return { session: inserted, created: true };
  const taken = await findAnySession(tx, session.id);
  if (taken === null) throw new Error('A session that took an id was not there (sessions-2).');
  const same = taken.ownerId === owner.ownerId && session.creationHash.equals(taken.creationHash);
  if (same && mayWrite(viewer, taken)) return { session: taken, created: false };
  throw idTaken(viewer, taken);
}

/** The one answer that tells of a session one may not see: that its id is taken, and no more. */
function idTaken(viewer: Viewer, taken: SessionRow) {
  const { id, title, status, createdAt } = taken;
  return conflict(
    'Expected a sessionId that is new or comes with what it was created with; this one is taken. Choose another, or leave it out.',
    sees(viewer, taken) ? { sessionId: id, title, status, createdAt: createdAt.toISOString() } : undefined,
  );
}

async function findOwner(tx: Transaction, viewer: Viewer, accountId: string | undefined): Promise<Ownership> {
  const ownerId = accountId === undefined ? viewer.accountId : asUuid(accountId);
  if (viewer.kind === 'PERSONAL' && ownerId !== viewer.accountId) {
    throw forbidden('input.accountId: naming the owner is for SERVICE credentials. Leave it out.');
  }
  const owner = ownerId === undefined ? null : await lockOwner(tx, ownerId, (owner) => mayOwn(viewer, owner));
  if (owner === null) {
    throw notFound('input.accountId: expected the id of an account that this runtime serves. Check it.');
  }
  return owner;
}

const mayOwn = (viewer: Viewer, owner: Ownership): boolean =>
  owner.ownerId === viewer.accountId ||
  (viewer.organizationId !== null && owner.organizationId === viewer.organizationId);
