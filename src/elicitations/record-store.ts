/**
 * How elicitations are written (P7, P8). Each lies in two scopes, the account that is asked and the organisation that this account was in at
 * the time, if any; a scope's row in `elicitation_head` says where its list and its change log end. Whoever writes holds the
 * advisory locks of both, account first, from before it reads the heads until its commit. So within a scope
 *
 * - numbers are dense, and number order, createdAt order and commit order are one order: a page is an index range, and the total
 *   as of an instant is the number of the last row up to it;
 * - change numbers are dense and in the order of the commits, so the change log is a log (P1): each transition, creation included,
 *   is one row of `elicitation_transition`, which carries its number in either scope's log.
 *
 * The clock is the database's, read under the locks. A transition's number within its elicitation follows from the status that it leads to, and
 * is its key: two that start from one status cannot both be written, whatever else fails.
 */
import { lockAccount, lockOrganization, type Place } from '../accounts/locks.js';
import type { Transaction } from '../database/database.js';
import { Prisma } from '../generated/prisma/client.js';
import type { ElicitationStatus } from '../generated/prisma/enums.js';
import { type ElicitationState, transitionNumber } from './state.js';
import { ELICITATION_COLUMNS, type ElicitationRow } from './store.js';

/** The end of a scope's change log after a transition: what to announce once it is committed. */
export interface ChangeHead {
  readonly scopeId: string;
  readonly changeHead: number;
}

/** What a new elicitation is given: its places in its lists and its instant. */
export interface Numbers {
  readonly createdAt: Date;
  readonly accountNumber: number;
  /** Null without an organisation. */
  readonly organizationNumber: number | null;
  /** Null without a session. */
  readonly sessionNumber: number | null;
}

/**
 * The next numbers of both scopes and of the session, and an instant after all that either scope has. The caller holds the scopes' locks; the
 * session's row is locked here, until the transaction ends.
 */
export async function nextNumbers(
  tx: Transaction,
  { accountId, organizationId }: Place,
  sessionId: string | null,
): Promise<Numbers> {
  const sessionNumber = sessionId === null ? null : await nextSessionNumber(tx, sessionId);
  const [next] = await tx.$queryRaw<[Omit<Numbers, 'sessionNumber'>]>`
    SELECT
      greatest(date_trunc('milliseconds', clock_timestamp()), max(last_created_at) + interval '1 millisecond')
        AS "createdAt",
      coalesce(max(head) FILTER (WHERE scope_id = ${accountId}::uuid), 0) + 1 AS "accountNumber",
      CASE WHEN ${organizationId}::uuid IS NOT NULL
        THEN coalesce(max(head) FILTER (WHERE scope_id = ${organizationId}::uuid), 0) + 1
      END AS "organizationNumber"
    FROM elicitation_head WHERE scope_id IN (${accountId}::uuid, ${organizationId}::uuid)`;
  return { ...next, sessionNumber };
}

async function nextSessionNumber(tx: Transaction, sessionId: string): Promise<number> {
  const [session] = await tx.$queryRaw<{ next: number }[]>`
    SELECT elicitation_head + 1 AS next FROM session WHERE id = ${sessionId}::uuid FOR NO KEY UPDATE`;
  if (session === undefined)
    throw new Error('A session that was found before was not there (elicitations-1).');
  return session.next;
}

/** An elicitation about to be written; it starts PENDING. Bodies are JSON text, null without one. */
export interface NewElicitation extends Place, Numbers {
  readonly id: string;
  readonly sessionId: string | null;
  /** The credential that it came with. */
  readonly requestedById: string;
  /** That credential's account. */
  readonly by: string;
  readonly askerId: string;
  readonly idempotencyKey: string | null;
  readonly contentHash: Buffer;
  readonly message: string;
  readonly expiresAt: Date | null;
  readonly context: string | null;
  readonly requestedSchema: string | null;
}

/** What was written, and what to announce once it is committed. */
export interface Written {
  readonly row: ElicitationRow;
  readonly heads: readonly ChangeHead[];
}

/**
 * Writes an elicitation with its bodies, heads and first transition. Null, with nothing written, when its asker's key is taken: of two that
 * come with one key at once the unique index lets one, and the other waits for it.
 */
export async function insertElicitation(
  tx: Transaction,
  elicitation: NewElicitation,
): Promise<Written | null> {
  const row = await insertRow(tx, elicitation);
  if (row === undefined) return null;
  await writeHeads(tx, elicitation);
  const { id, createdAt, by } = elicitation;
  const creation = { id, from: null, to: 'PENDING', at: createdAt, by } as const;
  return { row, heads: await recordTransitions(tx, elicitation, [creation]) };
}

async function insertRow(tx: Transaction, e: NewElicitation): Promise<ElicitationRow | undefined> {
  const [made] = await tx.$queryRaw<ElicitationRow[]>`
    WITH made AS (
      INSERT INTO elicitation AS e (id, account_id, organization_id, account_number, organization_number, session_id,
        session_number, requested_by_id, asker_id, idempotency_key, content_hash, message, created_at, expires_at)
      VALUES (${e.id}::uuid, ${e.accountId}::uuid, ${e.organizationId}::uuid, ${e.accountNumber}::int,
        ${e.organizationNumber}::int, ${e.sessionId}::uuid, ${e.sessionNumber}::int, ${e.requestedById}::uuid,
        ${e.askerId}::uuid, ${e.idempotencyKey}, ${e.contentHash}, ${e.message}, ${e.createdAt}, ${e.expiresAt})
      ON CONFLICT (asker_id, idempotency_key) DO NOTHING
      RETURNING ${ELICITATION_COLUMNS}
    ), body AS (
      INSERT INTO elicitation_body (elicitation_id, context, requested_schema)
      SELECT id, ${e.context}::json, ${e.requestedSchema}::json FROM made
    )
    SELECT * FROM made`;
  return made;
}

async function writeHeads(tx: Transaction, e: NewElicitation): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO elicitation_head (scope_id, head, last_created_at, change_head)
    SELECT id, number, ${e.createdAt}, 0
    FROM (VALUES (${e.accountId}::uuid, ${e.accountNumber}::int),
      (${e.organizationId}::uuid, ${e.organizationNumber}::int)) AS scope (id, number)
    WHERE id IS NOT NULL
    ON CONFLICT (scope_id) DO UPDATE SET head = excluded.head, last_created_at = excluded.last_created_at`;
  if (e.sessionId === null) return;
  await tx.$executeRaw`
    UPDATE session SET elicitation_head = ${e.sessionNumber}::int WHERE id = ${e.sessionId}::uuid`;
}

/** What happened to an elicitation, by an accountId or, when it expired, by nobody. */
export interface NewTransition {
  readonly id: string;
  readonly from: ElicitationStatus | null;
  readonly to: ElicitationStatus;
  readonly at: Date;
  readonly by: string | null;
}

/**
 * Writes transitions of elicitations of one place down, in this order, with the next change numbers of its logs: all in one statement. The caller
 * holds the place's locks and changes the rows. Returns where the logs then end.
 */
export function recordTransitions(
  tx: Transaction,
  { accountId, organizationId }: Place,
  transitions: readonly NewTransition[],
): Promise<ChangeHead[]> {
  const count = transitions.length;
  const given = transitions.map((it, index) => ({
    ...it,
    place: index + 1,
    number: transitionNumber(it.to),
  }));
  return tx.$queryRaw<ChangeHead[]>`
    WITH ended AS (
      UPDATE elicitation_head SET change_head = change_head + ${count}::int
      WHERE scope_id IN (${accountId}::uuid, ${organizationId}::uuid)
      RETURNING scope_id, change_head
    ), written AS (
      INSERT INTO elicitation_transition (elicitation_id, number, "from", "to", at, by_id,
        account_id, account_change, organization_id, organization_change)
      SELECT given.id, given.number, given."from"::"ElicitationStatus", given."to"::"ElicitationStatus", given.at,
        given.by, a.scope_id, a.change_head - ${count}::int + place, o.scope_id, o.change_head - ${count}::int + place
      FROM json_to_recordset(${JSON.stringify(given)}::json)
        AS given (id uuid, "from" text, "to" text, at timestamptz, by uuid, place int, number int)
      JOIN ended a ON a.scope_id = ${accountId}::uuid
      LEFT JOIN ended o ON o.scope_id = ${organizationId}::uuid
    )
    SELECT scope_id AS "scopeId", change_head AS "changeHead" FROM ended`;
}

/** Takes the locks of a place that an elicitation has for ever: account, then organisation. */
export async function lockScopes(tx: Transaction, { accountId, organizationId }: Place): Promise<void> {
  await lockAccount(tx, accountId);
  if (organizationId !== null) await lockOrganization(tx, organizationId);
}

/** Writes what a step changed; an answer comes beside it. The caller holds the locks and has checked that it may. */
export async function writeState(
  tx: Transaction,
  id: string,
  changes: Partial<ElicitationState>,
  formSubmission: string | null,
): Promise<void> {
  await tx.elicitation.update({ where: { id }, data: changes, select: { id: true } });
  if (formSubmission === null) return;
  await tx.$executeRaw`
    UPDATE elicitation_body SET form_submission = ${formSubmission}::json WHERE elicitation_id = ${id}::uuid`;
}

/** Elicitations that expire in one transaction, at most: the locks of their scopes are held no longer than that takes. */
export const EXPIRY_BATCH = 100;

/**
 * Expires what of a place is due, at most a batch, and writes that down as of its expiresAt. The caller holds the place's
 * locks, so what was due before and has been decided since is left alone. `ids` narrows it. Returns where the logs then end; nothing when nothing was due.
 */
export async function expireDue(
  tx: Transaction,
  place: Place,
  ids?: readonly string[],
): Promise<readonly ChangeHead[]> {
  const narrowed = ids === undefined ? Prisma.sql`true` : Prisma.sql`id = ANY(${ids}::uuid[])`;
  const expired = await tx.$queryRaw<{ id: string; at: Date }[]>`
    UPDATE elicitation SET status = 'EXPIRED'
    WHERE id IN (
      SELECT id FROM elicitation
      WHERE status = 'PENDING' AND expires_at <= clock_timestamp() AND account_id = ${place.accountId}::uuid
        AND organization_id IS NOT DISTINCT FROM ${place.organizationId}::uuid AND ${narrowed}
      ORDER BY id LIMIT ${EXPIRY_BATCH}::int FOR NO KEY UPDATE)
    RETURNING id, expires_at AS at`;
  if (expired.length === 0) return [];
  expired.sort((a, b) => a.at.getTime() - b.at.getTime());
  const transitions = expired.map(({ id, at }) => ({
    id,
    from: 'PENDING' as const,
    to: 'EXPIRED' as const,
    at,
    by: null,
  }));
  return recordTransitions(tx, place, transitions);
}
