import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { findUnprojected, lockAnySession } from '../sessions/store.js';
import { projectMissed } from './projection.js';

/**
 * Writes the conversations of events that were there before: what the migration leaves to code, since only code strips and folds
 * their texts. Batch after batch, each a short transaction under its session's lock, so a start that is broken off goes on where it was,
 * and gateways that start together take turns. With nothing to do it is one statement.
 */
export async function backfillConversations(database: Database): Promise<void> {
  for (let next = await findUnprojected(database, 0n); next !== undefined; ) {
    const { id, number } = next;
    const done = await transact(database, (tx) => writeBatch(tx, id));
    next = await findUnprojected(database, done ? number : number - 1n);
  }
}

/** Whether the session has no more after that. */
async function writeBatch(tx: Transaction, sessionId: string): Promise<boolean> {
  const session = await lockAnySession(tx, sessionId);
  // Another gateway may have been here while this one waited.
  if (session === undefined || session.projectedHead >= session.eventHead) return true;
  const heads = await projectMissed(tx, session, session);
  await tx.session.update({ where: { id: sessionId }, data: heads });
  return heads.projectedHead >= session.eventHead;
}
