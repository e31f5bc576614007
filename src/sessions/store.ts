import type { Operation } from '../accounts/operation.js';
import type { Viewer } from '../accounts/viewer.js';
import type { Transaction } from '../database/database.js';
import { Prisma, type Session } from '../generated/prisma/client.js';
import { mayWrite, noSuchSession, visibleTo } from './access.js';

/** A session as it is stored; also the head of all its lists, so whoever reads it once has one cut through them. */
export type SessionRow = Session;

/** The visible ones among these ids, in no order. Ids must be UUIDs in lower case. */
export const findSessions = (
  { database, viewer }: Operation,
  ids: readonly string[],
): Promise<SessionRow[]> =>
  database.prisma.session.findMany({ where: { id: { in: [...ids] }, AND: visibleTo(viewer) } });

/**
 * Takes the lock under which a session's numbers are given out: who holds it is alone until it commits, so commit order is number
 * order (P1).
 * @throws NOT_FOUND unless the viewer may write to the session.
 */
export async function lockSession(tx: Transaction, viewer: Viewer, sessionId: string): Promise<SessionRow> {
  const [session] = await tx.$queryRaw<SessionRow[]>(Prisma.sql`
    SELECT id, number, owner_id AS "ownerId", organization_id AS "organizationId", title,
      status::text AS status, created_at AS "createdAt", updated_at AS "updatedAt",
      creation_hash AS "creationHash", event_head AS "eventHead", citation_head AS "citationHead",
      source_head AS "sourceHead", artifact_head AS "artifactHead",
      delivered_output_head AS "deliveredOutputHead", pending_stop AS "pendingStop"
    FROM session WHERE id = ${sessionId}::uuid FOR UPDATE`);
  if (session === undefined || !mayWrite(viewer, session)) throw noSuchSession();
  return session;
}
