import type { Database } from '../database/database.js';
import type { ConversationEntryType } from '../generated/prisma/enums.js';
import type { Stretch } from '../graphql/connections.js';
import { type EntryRow, type RawEntry, toEntryRow } from './entry.js';
import { type ConversationRow, ENTRY_COLUMNS, WITH_EVENT } from './store.js';

/** The types that a list or a stream is narrowed to; undefined: all. */
export type TypeFilter = ReadonlySet<ConversationEntryType> | undefined;

/**
 * The entries of a stretch, in its order, of a conversation that the viewer may read (P9). One statement, and an index range for each
 * type: it costs what it shows, at any depth and whatever lies between. By the pool, as the pages of events and for the same reason.
 */
export async function readEntries(
  { pool }: Database,
  sessionId: string,
  stretch: Stretch,
  types: TypeFilter,
): Promise<EntryRow[]> {
  const { above, below, limit } = types === undefined ? dense(stretch) : stretch;
  const direction = stretch.order === 'ascending' ? 'ASC' : 'DESC';
  const range = `SELECT * FROM conversation_entry WHERE session_id = $1 AND number > $2 AND number < $3`;
  const end = (column: string) => `ORDER BY ${column} ${direction} LIMIT $4`;
  const entries =
    types === undefined
      ? `${range} ${end('number')}`
      : `SELECT typed.* FROM unnest($5::"ConversationEntryType"[]) AS wanted (type)
        CROSS JOIN LATERAL (${range} AND type = wanted.type ${end('number')}) typed ${end('typed.number')}`;
  const { rows } = await pool.query<RawEntry>(
    `SELECT ${ENTRY_COLUMNS} FROM (${entries}) c ${WITH_EVENT} ORDER BY c.number ${direction}`,
    [sessionId, above, below, limit, ...(types === undefined ? [] : [[...types]])],
  );
  return rows.map(toEntryRow);
}

/** Numbers have no holes, so a stretch of all types can be cut to what its limit lets through, whatever the planner knows. */
function dense(stretch: Stretch): Stretch {
  const { above, below, limit, order } = stretch;
  return order === 'ascending'
    ? { ...stretch, below: Math.min(below, above + limit + 1) }
    : { ...stretch, above: Math.max(above, below - limit - 1) };
}

/** How many entries of these types a conversation has up to its head; counted in the index alone. */
export async function countOfTypes(
  { pool }: Database,
  { id, entryHead }: ConversationRow,
  types: ReadonlySet<ConversationEntryType>,
): Promise<number> {
  const { rows } = await pool.query<{ readonly count: number }>(
    `SELECT count(*)::int AS count FROM conversation_entry
    WHERE session_id = $1 AND type = ANY ($2::"ConversationEntryType"[]) AND number <= $3`,
    [id, [...types], entryHead],
  );
  return rows[0]?.count ?? 0;
}
