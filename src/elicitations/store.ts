import { readCounted } from '../accounts/answer-limit.js';
import type { Place } from '../accounts/locks.js';
import type { Operation } from '../accounts/operation.js';
import { directionOf, inRanges, type NumberStretch } from '../accounts/ranges.js';
import type { Database, Transaction } from '../database/database.js';
import { type Credential, type ElicitationTransition, Prisma } from '../generated/prisma/client.js';
import type { Asked, Placed } from '../sessions/part-pages.js';
import { askerOf, visibleRanges } from './access.js';
import type { ElicitationState } from './state.js';

/** An elicitation as lists show it, without its bodies. */
export interface ElicitationRow extends ElicitationState, Place {
  readonly id: string;
  /** 1, 2, 3 … among those of the account and of the organisation. */
  readonly accountNumber: number;
  readonly organizationNumber: number | null;
  readonly sessionId: string | null;
  readonly sessionNumber: number | null;
  readonly requestedById: string;
  readonly askerId: string;
  readonly idempotencyKey: string | null;
  readonly contentHash: Uint8Array;
  readonly message: string;
  /** It was PENDING beyond its expiresAt when this was read: expire it, and read again (P8). */
  readonly due: boolean;
}

/** `ElicitationRow` of `elicitation e`, as SQL. A statement has one instant, from before it takes any lock. */
export const ELICITATION_COLUMNS = Prisma.sql`e.id, e.account_id AS "accountId", e.organization_id AS "organizationId",
  e.account_number AS "accountNumber", e.organization_number AS "organizationNumber",
  e.session_id AS "sessionId", e.session_number AS "sessionNumber", e.requested_by_id AS "requestedById",
  e.asker_id AS "askerId", e.idempotency_key AS "idempotencyKey", e.content_hash AS "contentHash", e.message,
  e.status::text AS status, e.decision::text AS decision, e.decided_by_id AS "decidedById", e.reason,
  e.created_at AS "createdAt", e.expires_at AS "expiresAt", e.decided_at AS "decidedAt",
  e.consumed_at AS "consumedAt", e.canceled_at AS "canceledAt",
  e.status = 'PENDING' AND coalesce(e.expires_at <= statement_timestamp(), false) AS due`;

const visible = ({ viewer }: Operation): Prisma.Sql => inRanges(visibleRanges(viewer));

/** The visible ones among these ids, in no order. Ids must be UUIDs in lower case. */
export const findElicitations = (operation: Operation, ids: readonly string[]): Promise<ElicitationRow[]> =>
  operation.database.prisma.$queryRaw<ElicitationRow[]>`
    SELECT ${ELICITATION_COLUMNS} FROM elicitation e WHERE e.id = ANY(${ids}::uuid[]) AND ${visible(operation)}`;

/** What the viewer's asker asked under this key: one, or none. */
export const findByKey = ({ database, viewer }: Operation, key: string): Promise<ElicitationRow[]> =>
  database.prisma.$queryRaw<ElicitationRow[]>`
    SELECT ${ELICITATION_COLUMNS} FROM elicitation e
    WHERE e.asker_id = ${askerOf(viewer)}::uuid AND e.idempotency_key = ${key}`;

/** A row and the database's clock, cut to milliseconds. */
export type RowNow = ElicitationRow & { readonly now: Date };

/** A known elicitation, locked until the transaction ends; the locks of its scopes come before it. */
export async function lockRow(tx: Transaction, id: string): Promise<RowNow> {
  const [row] = await tx.$queryRaw<RowNow[]>`
    SELECT ${ELICITATION_COLUMNS}, date_trunc('milliseconds', clock_timestamp()) AS now
    FROM elicitation e WHERE e.id = ${id}::uuid FOR NO KEY UPDATE`;
  if (row === undefined)
    throw new Error('An elicitation that was found before was not there (elicitations-2).');
  return row;
}

/** A stretch of what each session asked and the viewer sees, by the session's numbers. */
export const listOfSessions = (
  operation: Operation,
  order: NumberStretch['order'],
  asked: readonly Asked<{ readonly sessionId: string }>[],
): Promise<Placed<ElicitationRow>[]> => {
  const direction = directionOf(order);
  return operation.database.prisma.$queryRaw<Placed<ElicitationRow>[]>`
    SELECT asked.place, found.*
    FROM json_to_recordset(${JSON.stringify(asked)}::json)
      AS asked (place int, "sessionId" uuid, above int, below int, "limit" int)
    CROSS JOIN LATERAL (
      SELECT ${ELICITATION_COLUMNS} FROM elicitation e
      WHERE e.session_id = asked."sessionId" AND e.session_number > asked.above AND e.session_number < asked.below
        AND ${visible(operation)}
      ORDER BY e.session_number ${direction} LIMIT asked."limit"
    ) found
    ORDER BY asked.place, found."sessionNumber" ${direction}`;
};

/** How many of each session's elicitations the viewer sees; a session without any is left out. */
export const countOfSessions = (
  operation: Operation,
  cuts: readonly { readonly id: string; readonly elicitationHead: number }[],
): Promise<{ readonly id: string; readonly count: number }[]> =>
  operation.database.prisma.$queryRaw`
    SELECT cut.id, count(*)::int AS count
    FROM json_to_recordset(${JSON.stringify(cuts)}::json) AS cut (id uuid, "elicitationHead" int)
    JOIN elicitation e ON e.session_id = cut.id AND e.session_number <= cut."elicitationHead"
    WHERE ${visible(operation)} GROUP BY cut.id`;

/** What may be large: read only when it is asked for, and each by itself. */
export type BodyPart = 'context' | 'requestedSchema' | 'formSubmission';

export interface BodyKey {
  readonly id: string;
  readonly part: BodyPart;
}

const BODY_COLUMNS: Record<BodyPart, Prisma.Sql> = {
  context: Prisma.sql`context::text`,
  requestedSchema: Prisma.sql`requested_schema::text`,
  formSubmission: Prisma.sql`form_submission::text`,
};

/** A body as JSON text; null where there is none. */
type Body = BodyKey & { readonly json: string | null };

/** These bodies of elicitations whose rows the viewer was shown (P9); what there is none of may be left out. @throws PAYLOAD_TOO_LARGE */
export const findBodies = (operation: Operation, keys: readonly BodyKey[]): Promise<Body[]> =>
  readCounted<Body>(operation, selectBodies(keys));

/** A body of an elicitation that the transaction has found. */
export const findBody = async (tx: Transaction, key: BodyKey): Promise<Body | undefined> =>
  (await tx.$queryRaw<Body[]>(selectBodies([key])))[0];

const selectBodies = (keys: readonly BodyKey[]): Prisma.Sql => {
  const parts = [...new Set(keys.map(({ part }) => part))];
  const selects = parts.map((part) => {
    const ids = keys.filter((key) => key.part === part).map(({ id }) => id);
    return Prisma.sql`SELECT elicitation_id AS id, ${part} AS part, ${BODY_COLUMNS[part]} AS json
      FROM elicitation_body WHERE elicitation_id = ANY(${ids}::uuid[])`;
  });
  return Prisma.join(selects, ' UNION ALL ');
};

/** A transition of an elicitation whose row the viewer was shown. */
export type TransitionRow = ElicitationTransition;

/** All transitions of these elicitations, each three at most, in their order. */
export const findTransitions = ({ database }: Operation, ids: readonly string[]): Promise<TransitionRow[]> =>
  database.prisma.elicitationTransition.findMany({
    where: { elicitationId: { in: [...ids] } },
    orderBy: { number: 'asc' },
  });

/** What of a credential is shown as the one that an elicitation came with. */
export type RequesterRow = Pick<Credential, 'id' | 'kind' | 'name' | 'accountId'>;

/** Those of elicitations whose rows the viewer was shown. */
export const findRequesters = ({ database }: Operation, ids: readonly string[]): Promise<RequesterRow[]> =>
  database.prisma.credential.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, kind: true, name: true, accountId: true },
  });

/** Where the change logs of these scopes end; one without changes is left out. */
export const findChangeHeads = (
  { prisma }: Pick<Database, 'prisma'>,
  scopeIds: readonly string[],
): Promise<{ readonly scopeId: string; readonly changeHead: number }[]> =>
  prisma.elicitationHead.findMany({
    where: { scopeId: { in: [...scopeIds] } },
    select: { scopeId: true, changeHead: true },
  });

/** What is due and not written down, the longest overdue first; `within` narrows it to a scope. */
export const findDue = (
  { prisma }: Pick<Database, 'prisma'>,
  limit: number,
  within: Prisma.Sql = Prisma.sql`true`,
): Promise<(Place & { readonly id: string })[]> =>
  prisma.$queryRaw`
    SELECT e.id, e.account_id AS "accountId", e.organization_id AS "organizationId" FROM elicitation e
    WHERE e.status = 'PENDING' AND e.expires_at <= statement_timestamp() AND ${within}
    ORDER BY e.expires_at LIMIT ${limit}::int`;
