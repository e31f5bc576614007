import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { DomainError } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';
import type { Stretch } from '../graphql/connections.js';

/** A part of a conversation that was looked through. */
export interface Slice {
  /** Numbers of the messages that match, in the order of the stretch. */
  readonly hits: readonly number[];
  /** How many messages were looked at. */
  readonly seen: number;
  /** The number of the last of them; null if there was none. */
  readonly last: number | null;
}

/** Looks through the first `limit` messages of a stretch, match or not: an index range, and the text of each row. */
export async function scanMessages(
  { pool }: Database,
  sessionId: string,
  { above, below, limit, order }: Stretch,
  folded: string,
): Promise<Slice> {
  const [direction, last] = order === 'ascending' ? ['ASC', 'max'] : ['DESC', 'min'];
  const { rows } = await pool.query<Slice>(
    `SELECT count(*)::int AS seen, ${last}(number) AS last,
      coalesce(array_agg(number ORDER BY number ${direction}) FILTER (WHERE strpos(folded, $5) > 0), '{}') AS hits
    FROM (
      SELECT number, folded FROM conversation_entry
      WHERE session_id = $1 AND type = 'MESSAGE' AND number > $2 AND number < $3
      ORDER BY number ${direction} LIMIT $4
    ) slice`,
    [sessionId, above, below, limit, folded],
  );
  return rows[0] ?? { hits: [], seen: 0, last: null };
}

/** What a search by the trigrams may find and may take. */
export interface IndexBounds {
  readonly above: number;
  readonly below: number;
  readonly limit: number;
  readonly timeoutMs: number;
}

/**
 * The messages between two numbers that match, by the index of trigrams, in no order. Null if they are more than `limit`, if the text
 * has no trigrams in this database's locale, or if it took too long: the index then leaves too many candidates, each of which has to be
 * read to be known as a match. The embedded database keeps no time; there it takes what it takes.
 */
export async function findIndexed(
  database: Database,
  sessionId: string,
  bounds: IndexBounds,
  { folded, word }: { readonly folded: string; readonly word: string },
): Promise<readonly number[] | null> {
  try {
    return await transact(database, async (tx) => {
      await preferIndex(tx, bounds.timeoutMs);
      if (!(await hasTrigrams(tx, word))) return null;
      const rows = await selectIndexed(tx, sessionId, bounds, folded);
      return rows.length > bounds.limit ? null : rows.map(({ number }) => number);
    });
  } catch (error) {
    if (error instanceof DomainError && error.code === 'TIMEOUT') return null;
    throw error;
  }
}

/** For this transaction. The planner would rather walk the conversation, since it cannot know how rare the text is. */
async function preferIndex(tx: Transaction, timeoutMs: number): Promise<void> {
  await tx.$executeRaw`
    SELECT set_config('statement_timeout', ${String(timeoutMs)}, true),
      set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;
}

async function hasTrigrams(tx: Transaction, word: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ readonly any: boolean }[]>`SELECT show_trgm(${word}) <> '{}' AS any`;
  return row?.any === true;
}

/** The sum keeps the range from being answered by the index of numbers. LIKE, since strpos has no index: what it means is escaped. */
const selectIndexed = (
  tx: Transaction,
  sessionId: string,
  { above, below, limit }: IndexBounds,
  folded: string,
): Promise<readonly { readonly number: number }[]> =>
  tx.$queryRaw(Prisma.sql`
  SELECT number FROM conversation_entry
  WHERE session_id = ${sessionId}::uuid AND folded LIKE ${`%${folded.replace(/[\\%_]/g, '\\$&')}%`}
    AND number + 0 > ${above}::int AND number + 0 < ${below}::int
  LIMIT ${limit + 1}::int`);
