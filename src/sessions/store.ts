import { lockPlace } from '../accounts/locks.js';
import type { Operation } from '../accounts/operation.js';
import {
  type NumberStretch,
  type Ranges,
  selectCount,
  selectLast,
  selectStretch,
} from '../accounts/ranges.js';
import type { Viewer } from '../accounts/viewer.js';
import type { Database, Transaction } from '../database/database.js';
import { Prisma, type Session } from '../generated/prisma/client.js';
import type { SessionStatus } from '../generated/prisma/enums.js';
import { indexRanges, mayWrite, noSuchSession, type Ownership, visibleTo } from './access.js';

/** A session as it is stored; also the head of all its lists, so whoever reads it once has one cut through them. */
export type SessionRow = Session;

const table = Prisma.sql`session`;
const columns = Prisma.sql`id, number, owner_id AS "ownerId", organization_id AS "organizationId", title,
  status::text AS status, created_at AS "createdAt", updated_at AS "updatedAt",
  creation_hash AS "creationHash", event_head AS "eventHead", citation_head AS "citationHead",
  source_head AS "sourceHead", artifact_head AS "artifactHead",
  delivered_output_head AS "deliveredOutputHead", elicitation_head AS "elicitationHead", pending_stop AS "pendingStop",
  entry_head AS "entryHead", change_head AS "changeHead", projected_head AS "projectedHead"`;

/** The visible ones among these ids, in no order. Ids must be UUIDs in lower case. */
export const findSessions = (
  { database, viewer }: Operation,
  ids: readonly string[],
): Promise<SessionRow[]> =>
  database.prisma.session.findMany({ where: { id: { in: [...ids] }, AND: visibleTo(viewer) } });

/** Of a list of sessions: those of any of these statuses; undefined: all. */
export type StatusFilter = readonly SessionStatus[] | undefined;

const listed = ({ viewer }: Operation, status?: StatusFilter): Ranges => ({
  table,
  ranges: indexRanges(viewer),
  filter: status === undefined ? undefined : Prisma.sql`status = ANY(${[...status]}::"SessionStatus"[])`,
});

/** Visible sessions by number; the last created has the greatest. The viewer must be of a kind that lists sessions. */
export const listSessions = (
  operation: Operation,
  status: StatusFilter,
  stretch: NumberStretch,
): Promise<SessionRow[]> =>
  operation.database.prisma.$queryRaw<SessionRow[]>(
    selectStretch(listed(operation, status), columns, stretch),
  );

/** The greatest number of a visible session, 0 without any. */
export async function readListHead(operation: Operation): Promise<number> {
  const query = selectLast(listed(operation));
  const [last] = await operation.database.prisma.$queryRaw<{ number: bigint }[]>(query);
  return Number(last?.number ?? 0);
}

/** How many visible sessions there are up to number `head`. */
export async function countSessions(
  operation: Operation,
  status: StatusFilter,
  head: number,
): Promise<number> {
  const query = selectCount(listed(operation, status), head);
  const rows = await operation.database.prisma.$queryRaw<{ count: number }[]>(query);
  return rows[0]?.count ?? 0;
}

/**
 * Takes the lock under which a session's numbers are given out: who holds it is alone until it commits, so commit order is number
 * order (P1). Only references to the row, which look at its id alone, do not wait for it.
 * @throws NOT_FOUND unless the viewer may write to the session.
 */
export async function lockSession(tx: Transaction, viewer: Viewer, sessionId: string): Promise<SessionRow> {
  const session = await lockAnySession(tx, sessionId);
  if (session === undefined || !mayWrite(viewer, session)) throw noSuchSession();
  return session;
}

/** As `lockSession`, for what the gateway does by itself; undefined for a session that is not there. */
export async function lockAnySession(tx: Transaction, sessionId: string): Promise<SessionRow | undefined> {
  const [session] = await tx.$queryRaw<SessionRow[]>`
    SELECT ${columns} FROM session WHERE id = ${sessionId}::uuid FOR NO KEY UPDATE`;
  return session;
}

/** Sets the title; `updatedAt` never goes back, whatever the clock does. */
export async function writeTitle(tx: Transaction, sessionId: string, title: string): Promise<SessionRow> {
  const [session] = await tx.$queryRaw<SessionRow[]>`
    UPDATE session SET title = ${title},
      updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
    WHERE id = ${sessionId}::uuid RETURNING ${columns}`;
  if (session === undefined) throw new Error('A locked session was not there to update (sessions-1).');
  return session;
}

/**
 * An account as the owner of a session to be. Its lock and its organisation's are held until the commit: the account moves nowhere, and
 * of sessions created side by side the one that commits first has the lower number, so none ever comes in behind a reader of their lists.
 * Null for an account that is not there, or that may not own it.
 */
export async function lockOwner(
  tx: Transaction,
  accountId: string,
  mayOwn: (owner: Ownership) => boolean,
): Promise<Ownership | null> {
  const place = await lockPlace(tx, accountId, ({ organizationId }) =>
    mayOwn({ ownerId: accountId, organizationId }),
  );
  return place === null ? null : { ownerId: accountId, organizationId: place.organizationId };
}

/** Null when the id is taken. */
export async function insertRow(
  tx: Transaction,
  { id, ownerId, organizationId, title, creationHash }: NewRow,
): Promise<SessionRow | null> {
  const [session] = await tx.$queryRaw<SessionRow[]>`
    INSERT INTO session (id, owner_id, organization_id, title, created_at, updated_at, creation_hash)
    SELECT ${id}::uuid, ${ownerId}::uuid, ${organizationId}::uuid, ${title}, now, now, ${creationHash}
    FROM date_trunc('milliseconds', clock_timestamp()) AS now
    ON CONFLICT (id) DO NOTHING
    RETURNING ${columns}`;
  return session ?? null;
}

type NewRow = Pick<SessionRow, 'id' | 'ownerId' | 'organizationId' | 'title' | 'creationHash'>;

/** Whoever's it is: for telling whether an id is taken, and for nothing else. */
export const findAnySession = (tx: Transaction, id: string): Promise<SessionRow | null> =>
  tx.session.findUnique({ where: { id } });

/**
 * The first session after number `after` whose latest events its conversation lacks; undefined if none does. Unscoped, as is
 * `lockAnySession`: for what the gateway does by itself.
 */
export async function findUnprojected(
  { prisma }: Database,
  after: bigint,
): Promise<Pick<SessionRow, 'id' | 'number'> | undefined> {
  const [session] = await prisma.$queryRaw<Pick<SessionRow, 'id' | 'number'>[]>`
    SELECT id, number FROM session WHERE event_head > projected_head AND number > ${after}::bigint
    ORDER BY number LIMIT 1`;
  return session;
}
