import { Prisma } from '../generated/prisma/client.js';

/** Numbers strictly between `above` and `below`, at most `limit` of them, read from one end. */
export interface NumberStretch {
  readonly above: number;
  readonly below: number;
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
}

/** The end that a stretch is read from, as SQL. */
export const directionOf = (order: NumberStretch['order']): Prisma.Sql =>
  order === 'ascending' ? Prisma.sql`ASC` : Prisma.sql`DESC`;

/** Rows with one value, a UUID, in a column that an index of (column, number) serves. */
export interface Range {
  readonly column: Prisma.Sql;
  readonly value: string;
  /** What else they must meet. */
  readonly filter?: Prisma.Sql;
}

/** A table whose rows carry a `number`, and what of it is listed: the rows of any of its ranges, at least one. */
export interface Ranges {
  readonly table: Prisma.Sql;
  readonly ranges: readonly Range[];
  /** What the rows of every range must meet besides. */
  readonly filter?: Prisma.Sql | undefined;
}

/** Tells lists of one table apart, for their cursors: the rows of the same ranges are the same list, whoever asks. */
export const keyOf = (list: string, ranges: readonly Range[]): string =>
  [
    list,
    ...ranges.map(({ column, value, filter = Prisma.empty }) => `${column.sql}=${value} ${filter.sql}`),
  ].join(':');

const ANY = Prisma.sql`true`;

/** Whether a row is in any of the ranges, as a condition. */
export const inRanges = (ranges: readonly Range[]): Prisma.Sql =>
  Prisma.sql`(${Prisma.join(
    ranges.map(({ column, value, filter = ANY }) => Prisma.sql`(${column} = ${value}::uuid AND ${filter})`),
    ' OR ',
  )})`;

/**
 * The rows of one stretch, in its order; a row that several ranges hold comes once. `columns` has `number` among them.
 *
 * An OR of the ranges would read and sort all that is visible, so each is read by itself, no further than the page, and the pages are
 * merged. Comparing and ordering by the pair leaves PostgreSQL the index of (column, number) alone: by the number it would rather take
 * the index of all numbers and pass over everyone else's rows.
 */
export function selectStretch(
  { table, ranges, filter = ANY }: Ranges,
  columns: Prisma.Sql,
  { above, below, limit, order }: NumberStretch,
): Prisma.Sql {
  const direction = directionOf(order);
  const selects = ranges.map(
    (range) => Prisma.sql`(
      SELECT ${columns} FROM ${table}
      WHERE (${range.column}, number) > (${range.value}::uuid, ${BigInt(above)}::bigint)
        AND (${range.column}, number) < (${range.value}::uuid, ${BigInt(below)}::bigint)
        AND ${range.filter ?? ANY} AND ${filter}
      ORDER BY ${range.column} ${direction}, number ${direction} LIMIT ${limit}::int)`,
  );
  return Prisma.sql`
    SELECT DISTINCT ON (number) * FROM (${Prisma.join(selects, ' UNION ALL ')}) AS merged
    ORDER BY number ${direction} LIMIT ${limit}::int`;
}

/** The row with the greatest number, whatever the filter: where the list ends. */
export const selectLast = ({ table, ranges }: Ranges): Prisma.Sql =>
  selectStretch({ table, ranges }, Prisma.sql`number`, {
    above: 0,
    below: Number.MAX_SAFE_INTEGER,
    limit: 1,
    order: 'descending',
  });

/** How many rows up to number `head` are listed, as `count`. */
export const selectCount = ({ table, ranges, filter = ANY }: Ranges, head: number): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS count FROM ${table}
  WHERE ${inRanges(ranges)} AND ${filter} AND number <= ${BigInt(head)}::bigint`;
