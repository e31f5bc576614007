import { shareAccount, shareOrganization } from '../accounts/locks.js';
import type { Operation } from '../accounts/operation.js';
import { directionOf, type NumberStretch } from '../accounts/ranges.js';
import type { Database } from '../database/database.js';
import { transact } from '../database/transact.js';
import { Prisma } from '../generated/prisma/client.js';
import type { ElicitationStatus } from '../generated/prisma/enums.js';
import type { Scope, ScopeName } from './access.js';
import { ELICITATION_COLUMNS, type ElicitationRow, type TransitionRow } from './store.js';

/** Where a scope's list and change log end, and until when that is so for good. */
export interface ScopeHead {
  /** The last number of the list. */
  readonly head: number;
  /** The last number of the change log. */
  readonly changeHead: number;
  /** When the last of the list was asked; null for an empty one. */
  readonly last: Date | null;
  /** Nothing will ever be written that was asked up to this instant and is beyond `head` (P7). */
  readonly settled: Date;
  /** The database's clock, cut to milliseconds. */
  readonly now: Date;
}

/**
 * Reads a scope's head so that it holds for good up to `settled` (P7). The race: a writer that has taken its instant and has not
 * committed. It holds the scope's lock from before it looks at the clock, so sharing the lock waits for it, and the next statement sees what it
 * wrote; every later writer looks at the clock, and at the last instant, after that. The millisecond that is passing is not settled: a
 * later writer may still be given it. The lock manager queues fairly, so readers do not keep a writer out.
 */
export const readScopeHead = (
  { database }: Pick<Operation, 'database'>,
  { name, id }: Scope,
): Promise<ScopeHead> =>
  transact(database, async (tx) => {
    await SHARE[name](tx, id);
    const [head] = await tx.$queryRaw<[ScopeHead]>`
      SELECT coalesce(max(head), 0) AS head, coalesce(max(change_head), 0) AS "changeHead",
        max(last_created_at) AS last, clock.now,
        greatest(clock.now - interval '1 millisecond', max(last_created_at)) AS settled
      FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) AS clock
      LEFT JOIN elicitation_head ON scope_id = ${id}::uuid
      GROUP BY clock.now`;
    return head;
  });

const SHARE = { ME: shareAccount, ORG: shareOrganization };

/** A scope's columns: whose, and the numbers that count in it. */
const LIST: Record<ScopeName, { readonly of: Prisma.Sql; readonly number: Prisma.Sql }> = {
  ME: { of: Prisma.sql`e.account_id`, number: Prisma.sql`e.account_number` },
  ORG: { of: Prisma.sql`e.organization_id`, number: Prisma.sql`e.organization_number` },
};

/** An elicitation's number in a scope that it lies in. */
export const numberIn = ({ name }: Scope, row: ElicitationRow): number =>
  name === 'ME' ? row.accountNumber : (row.organizationNumber ?? 0);

/** A stretch of a scope's list, narrowed to statuses: one index range for each of them. */
export const listScope = (
  { database }: Operation,
  { name, id }: Scope,
  { above, below, limit, order }: NumberStretch,
  status?: readonly ElicitationStatus[],
): Promise<ElicitationRow[]> => {
  const { of, number } = LIST[name];
  const direction = directionOf(order);
  const select = (filter: Prisma.Sql): Prisma.Sql => Prisma.sql`
    SELECT ${ELICITATION_COLUMNS} FROM elicitation e
    WHERE ${of} = ${id}::uuid AND ${number} > ${above}::int AND ${number} < ${below}::int AND ${filter}
    ORDER BY ${number} ${direction} LIMIT ${limit}::int`;
  if (status === undefined) return database.prisma.$queryRaw`${select(Prisma.sql`true`)}`;
  const ordered = Prisma.raw(name === 'ME' ? '"accountNumber"' : '"organizationNumber"');
  return database.prisma.$queryRaw`
    SELECT found.* FROM unnest(${[...new Set(status)]}::"ElicitationStatus"[]) AS wanted (status)
    CROSS JOIN LATERAL (${select(Prisma.sql`e.status = wanted.status`)}) AS found
    ORDER BY found.${ordered} ${direction} LIMIT ${limit}::int`;
};

/** How many of a scope's list, up to number `head`, have one of these statuses. */
export async function countScope(
  { database }: Operation,
  { name, id }: Scope,
  head: number,
  status: readonly ElicitationStatus[],
): Promise<number> {
  const { of, number } = LIST[name];
  const [row] = await database.prisma.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM elicitation e
    WHERE ${of} = ${id}::uuid AND e.status = ANY(${[...status]}::"ElicitationStatus"[]) AND ${number} <= ${head}::int`;
  return row.count;
}

/** How many of a scope's list were asked up to an instant: the number of the last one, one index look-up. */
export async function numberAsOf({ database }: Operation, { name, id }: Scope, asOf: Date): Promise<number> {
  const { of, number } = LIST[name];
  const [row] = await database.prisma.$queryRaw<{ number: number }[]>`
    SELECT ${number} AS number FROM elicitation e WHERE ${of} = ${id}::uuid AND e.created_at <= ${asOf}
    ORDER BY e.created_at DESC LIMIT 1`;
  return row?.number ?? 0;
}

/** An entry of a scope's change log. */
export type ChangeRow = Omit<TransitionRow, 'number'> & {
  /** Its place in the log, not in the elicitation's own history. */
  readonly number: number;
};

const CHANGES: Record<ScopeName, { readonly of: Prisma.Sql; readonly number: Prisma.Sql }> = {
  ME: { of: Prisma.sql`account_id`, number: Prisma.sql`account_change` },
  ORG: { of: Prisma.sql`organization_id`, number: Prisma.sql`organization_change` },
};

/** A scope's changes with `after < number <= upTo`, ascending. Knows no viewer: access is checked before a log is followed. */
export const listChanges = (
  { prisma }: Database,
  { name, id }: Scope,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<ChangeRow[]> => {
  const { of, number } = CHANGES[name];
  return prisma.$queryRaw`
    SELECT ${number} AS number, elicitation_id AS "elicitationId", "from"::text AS "from", "to"::text AS "to", at,
      by_id AS "byId", account_id AS "accountId", account_change AS "accountChange",
      organization_id AS "organizationId", organization_change AS "organizationChange"
    FROM elicitation_transition
    WHERE ${of} = ${id}::uuid AND ${number} > ${after}::int AND ${number} <= ${upTo}::int
    ORDER BY ${number} LIMIT ${limit}::int`;
};
