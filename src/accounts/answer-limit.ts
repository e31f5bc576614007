import { DomainError } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';
import { TooManyBytes } from '../live/log.js';
import type { Operation } from './operation.js';

/** Bytes that each operation has loaded; a renewed one begins anew. */
const loaded = new WeakMap<Operation, number>();

/** How many bytes an operation may still load. */
const bytesLeft = (operation: Operation): number =>
  Math.max(0, operation.maxAnswer - (loaded.get(operation) ?? 0));

/**
 * Counts what an operation loads. Pages are bounded by their number of entries, which says little: a text may have 2 MB.
 * @throws PAYLOAD_TOO_LARGE when that is more than an answer may hold.
 */
function countLoaded(operation: Operation, bytes: number): void {
  if (bytes > bytesLeft(operation)) throw answerTooLarge(operation.maxAnswer);
  loaded.set(operation, (loaded.get(operation) ?? 0) + bytes);
}

export const answerTooLarge = (maximum: number) =>
  new DomainError(
    'PAYLOAD_TOO_LARGE',
    `Expected an answer of at most ${maximum} bytes, this one would hold more. Ask for fewer entries at a time, or for fewer fields.`,
    { maximum },
  );

/**
 * Loads with a read that takes the bytes that it may load, and says how many it has.
 * @throws PAYLOAD_TOO_LARGE for its `TooManyBytes`.
 */
export async function loadCounted<T extends { readonly bytes: number }>(
  operation: Operation,
  read: (maximum: number) => Promise<T>,
): Promise<T> {
  try {
    const loaded = await read(bytesLeft(operation));
    countLoaded(operation, loaded.bytes);
    return loaded;
  } catch (error) {
    throw error instanceof TooManyBytes ? answerTooLarge(operation.maxAnswer) : error;
  }
}

/**
 * Reads rows, whose bytes PostgreSQL counts as text before it passes any on: none but the first, which tells how many, when they are
 * more than the operation may still load.
 * @throws PAYLOAD_TOO_LARGE
 */
export async function readCounted<Row>(operation: Operation, select: Prisma.Sql): Promise<Row[]> {
  const rows = await operation.database.prisma.$queryRaw<(Row & { readonly allBytes: number })[]>(Prisma.sql`
    SELECT * FROM (
      SELECT row_number() OVER () AS nth, (sum(octet_length(counted::text)) OVER ())::float8 AS "allBytes", counted.*
      FROM (${select}) counted
    ) counted WHERE "allBytes" <= ${bytesLeft(operation)} OR nth = 1 ORDER BY nth`);
  countLoaded(operation, rows[0]?.allBytes ?? 0);
  return rows;
}

/**
 * The same for many rows at once, straight through the pool and as one JSON text: its columns are what JSON has, so no dates and no
 * bigints. Taking rows apart by columns costs Node more than parsing them together.
 * @throws PAYLOAD_TOO_LARGE
 */
export async function readCountedAsJson<Row>(operation: Operation, select: Prisma.Sql): Promise<Row[]> {
  const { text, values } = Prisma.sql`
    WITH counted AS MATERIALIZED (SELECT row_number() OVER () AS nth, selected.* FROM (${select}) selected),
      size AS (SELECT coalesce(sum(octet_length(counted::text)), 0)::float8 AS bytes FROM counted)
    SELECT bytes, (
      SELECT json_agg(counted ORDER BY nth)::text FROM counted WHERE bytes <= ${bytesLeft(operation)}) AS json
    FROM size`;
  const { rows } = await operation.database.pool.query<{ bytes: number; json: string | null }>(text, values);
  countLoaded(operation, rows[0]?.bytes ?? 0);
  return JSON.parse(rows[0]?.json ?? '[]');
}
