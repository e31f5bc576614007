import type { Database } from '../database/database.js';
import { bytesOf } from '../events/store.js';
import type { ConversationEntryType } from '../generated/prisma/enums.js';
import type { Stretch } from '../graphql/connections.js';
import type { EntryChange, EntryRow, SizedEntry } from './entry.js';
import { type ConversationRow, entryColumns, readEntry, WITH_EVENT } from './store.js';

/** The types that a list or a stream is narrowed to; undefined: all. */
export type TypeFilter = ReadonlySet<ConversationEntryType> | undefined;

/**
 * The entries of a stretch, in its order, of a conversation that the viewer may read (P9). One statement, and an index range for each
 * type: it costs what it shows, at any depth and whatever lies between. By the pool, as the pages of events and for the same reason.
 * @throws TooManyBytes when the events of several have more than `maximum` bytes together.
 */
export async function readEntries(
  { pool }: Database,
  sessionId: string,
  stretch: Stretch,
  types: TypeFilter,
  maximum: number,
): Promise<{ readonly entries: EntryRow[]; readonly bytes: number }> {
  const { sql, values } = rangeOf('conversation_entry', sessionId, stretch, types);
  const { rows } = await pool.query<SizedEntry>(
    `SELECT ${entryColumns(`$${values.push(maximum)}`)} FROM (${sql}) c ${WITH_EVENT} ORDER BY c.number ${directionOf(stretch)}`,
    values,
  );
  return { bytes: bytesOf(rows, maximum), entries: rows.flatMap(readEntry) };
}

/** The changes of a stretch, in its order, each with its entry as it is now; read as entries are. */
export async function readChanges(
  { pool }: Database,
  sessionId: string,
  stretch: Stretch,
  types: TypeFilter,
  maximum: number,
): Promise<EntryChange[]> {
  const { sql, values } = rangeOf('conversation_change', sessionId, stretch, types);
  const { rows } = await pool.query<SizedEntry & { readonly change: number }>(
    `SELECT n.number AS change, ${entryColumns(`$${values.push(maximum)}`)} FROM (${sql}) n
    JOIN conversation_entry c ON c.session_id = n.session_id AND c.number = n.entry_number ${WITH_EVENT}
    ORDER BY n.number ${directionOf(stretch)}`,
    values,
  );
  bytesOf(rows, maximum);
  return rows.flatMap(({ change, ...raw }) => readEntry(raw).map((entry) => ({ number: change, entry })));
}

/** The rows of a stretch of a table that is numbered within a session and has the type in it; one index range, or one for each type. */
function rangeOf(
  table: 'conversation_entry' | 'conversation_change',
  sessionId: string,
  stretch: Stretch,
  types: TypeFilter,
): { readonly sql: string; readonly values: unknown[] } {
  const { above, below, limit } = types === undefined ? dense(stretch) : stretch;
  const range = `SELECT * FROM ${table} WHERE session_id = $1 AND number > $2 AND number < $3`;
  const end = (column: string) => `ORDER BY ${column} ${directionOf(stretch)} LIMIT $4`;
  const values = [sessionId, above, below, limit];
  if (types === undefined) return { sql: `${range} ${end('number')}`, values };
  const sql = `SELECT typed.* FROM unnest($5::"ConversationEntryType"[]) AS wanted (type)
    CROSS JOIN LATERAL (${range} AND type = wanted.type ${end('number')}) typed ${end('typed.number')}`;
  return { sql, values: [...values, [...types]] };
}

const directionOf = ({ order }: Stretch): string => (order === 'ascending' ? 'ASC' : 'DESC');

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
