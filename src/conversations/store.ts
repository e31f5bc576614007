import { loadCounted } from '../accounts/answer-limit.js';
import type { Operation } from '../accounts/operation.js';
import type { Database, Transaction } from '../database/database.js';
import { bytesOf, OCCURRENCE_COLUMNS, payloadWithin } from '../events/store.js';
import { Prisma } from '../generated/prisma/client.js';
import type { ConversationEntryType } from '../generated/prisma/enums.js';
import type { SessionRow } from '../sessions/store.js';
import { ownConversation } from './access.js';
import { type EntryRow, type SizedEntry, toEntryRow } from './entry.js';

/** `SizedEntry` of `conversation_entry c` and its event `e`, as SQL; no payload is read beyond the parameter `maximum`, as for events. */
export const entryColumns = (maximum: string): string =>
  `c.number AS "entryNumber", c.type, c.position, c.created_at AS "appearedAt", ${OCCURRENCE_COLUMNS}, ${payloadWithin(maximum)}`;

/** Joins an entry `c` with the event `e` of its latest snapshot. */
export const WITH_EVENT = 'JOIN event e ON e.session_id = c.session_id AND e.number = c.event_number';

/** A conversation: the ends of its two lists. It has a row of its own in none; its session's has them. */
export type ConversationRow = Pick<SessionRow, 'id' | 'entryHead' | 'changeHead'>;

/** The viewer's own conversation if this is its id, else null. */
export async function findConversation(
  { database, viewer }: Operation,
  id: string,
): Promise<ConversationRow | null> {
  if (id !== ownConversation(viewer)) return null;
  return database.prisma.session.findUnique({
    where: { id },
    select: { id: true, entryHead: true, changeHead: true },
  });
}

/** Entries of a conversation that the viewer may read, by number, in no order. @throws PAYLOAD_TOO_LARGE */
export async function findEntries(
  operation: Operation,
  sessionId: string,
  numbers: readonly number[],
): Promise<readonly EntryRow[]> {
  const { entries } = await loadCounted(operation, async (maximum) => {
    const { rows } = await operation.database.pool.query<SizedEntry>(
      `SELECT ${entryColumns('$3')} FROM conversation_entry c ${WITH_EVENT}
      WHERE c.session_id = $1 AND c.number = ANY ($2::int[])`,
      [sessionId, numbers, maximum],
    );
    return { bytes: bytesOf(rows, maximum), entries: rows.flatMap(readEntry) };
  });
  return entries;
}

/** An entry whose payload was read; `bytesOf` refuses where none was. */
export const readEntry = ({ payload, ...raw }: SizedEntry): EntryRow[] =>
  payload === null ? [] : [toEntryRow({ ...raw, payload })];

/** The latest snapshot of an entry that some events brought, ready to be written. */
export interface NewEntry {
  readonly key: string;
  readonly type: ConversationEntryType;
  readonly eventNumber: number;
  readonly position: number;
  /** Of its first snapshot among these; one that the entry had before stays. */
  readonly createdAt: Date | null;
  readonly folded: string | null;
}

/**
 * Writes entries and the changes that they are, in one statement whatever the number. A known entry keeps its number and its time; the
 * conflict is then on its key. `changed` names an entry once for each snapshot. The caller holds the session's lock (P1).
 * @returns the last number of the entries.
 */
export async function writeEntries(
  tx: Transaction,
  { id, entryHead, changeHead }: ConversationRow,
  entries: readonly NewEntry[],
  changed: readonly string[],
): Promise<number> {
  const sent = entries.map((entry, ordinal) => ({ ...entry, ordinal }));
  const written = await tx.$queryRaw<{ readonly number: number }[]>`
    WITH written AS (
      INSERT INTO conversation_entry (session_id, number, type, key, event_number, position, created_at, folded)
      SELECT ${id}::uuid,
        COALESCE(known.number, ${entryHead}::int + row_number() OVER (PARTITION BY known.number IS NULL ORDER BY ordinal)),
        sent.type::"ConversationEntryType", sent.key, sent."eventNumber", sent.position, sent."createdAt", sent.folded
      FROM json_to_recordset(${JSON.stringify(sent)}::json) AS sent (ordinal int, type text, key text,
        "eventNumber" int, position int, "createdAt" timestamptz, folded text)
      -- Looked up one by one, whatever the planner thinks of the conversation's size: it is not to be read for each append.
      LEFT JOIN LATERAL (
        SELECT number FROM conversation_entry WHERE session_id = ${id}::uuid AND key = sent.key LIMIT 1
      ) known ON true
      ON CONFLICT (session_id, key) DO UPDATE
        SET event_number = excluded.event_number, position = excluded.position, folded = excluded.folded
      RETURNING number, key, type
    ), changes AS (
      INSERT INTO conversation_change (session_id, number, entry_number, type)
      SELECT ${id}::uuid, ${changeHead}::int + changed.ordinal, written.number, written.type
      FROM json_array_elements_text(${JSON.stringify(changed)}::json) WITH ORDINALITY AS changed (key, ordinal)
      JOIN written USING (key)
    )
    SELECT number FROM written`;
  return written.reduce((last, { number }) => Math.max(last, number), entryHead);
}

/** The change heads of many conversations in one statement, read now. */
export const findChangeHeads = (
  database: Database,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly changeHead: number }[]> =>
  database.prisma.$queryRaw(Prisma.sql`
    SELECT id, change_head AS "changeHead" FROM session WHERE id = ANY(${ids}::uuid[])`);
