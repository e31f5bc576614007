import { Prisma } from '../generated/prisma/client.js';

/** Numbers strictly between `above` and `below`, at most `limit` of them, read from one end. */
export interface NumberStretch {
  readonly above: number;
  readonly below: number;
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
}

/**
 * A table whose rows carry a `number`, and what of it is listed: rows that meet one of the conditions `ranges`, each of which an
 * index of (column, number) serves. An OR of them would have PostgreSQL read and sort all that is visible; so every range is read
 * by itself, no further than the page, and the pages are merged (10^5 rows: 0.3 ms instead of 60).
 */
export interface Ranges {
  readonly table: Prisma.Sql;
  /** Ends up in the rows as it stands, `number` among it. */
  readonly columns: Prisma.Sql;
  readonly ranges: readonly Prisma.Sql[];
  /** What the rows of every range must meet besides. */
  readonly filter?: Prisma.Sql | undefined;
}

/** The rows of one stretch, in its order; a row that several ranges hold comes once. Needs at least one range. */
export function selectStretch(
  { table, columns, ranges, filter }: Ranges,
  stretch: NumberStretch,
): Prisma.Sql {
  const direction = stretch.order === 'ascending' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const end = Prisma.sql`ORDER BY number ${direction} LIMIT ${stretch.limit}::int`;
  const selects = ranges.map(
    (range) => Prisma.sql`(
      SELECT ${columns} FROM ${table}
      WHERE ${range} AND ${filter ?? Prisma.sql`true`}
        AND number > ${BigInt(stretch.above)}::bigint AND number < ${BigInt(stretch.below)}::bigint
      ${end})`,
  );
  return Prisma.sql`SELECT DISTINCT ON (number) * FROM (${Prisma.join(selects, ' UNION ALL ')}) AS row ${end}`;
}

/** The greatest number as `head`, 0 without rows: one index look-up a range, whatever the filter. */
export function selectHead({ table, ranges }: Pick<Ranges, 'table' | 'ranges'>): Prisma.Sql {
  const selects = ranges.map(
    (range) => Prisma.sql`SELECT max(number) AS number FROM ${table} WHERE ${range}`,
  );
  return Prisma.sql`SELECT coalesce(max(number), 0)::float8 AS head FROM (${Prisma.join(selects, ' UNION ALL ')}) AS range`;
}

/** How many rows up to `head` are listed, as `count`. */
export function selectCount({ table, ranges, filter }: Omit<Ranges, 'columns'>, head: number): Prisma.Sql {
  const listed = Prisma.join(
    ranges.map((range) => Prisma.sql`(${range})`),
    ' OR ',
  );
  return Prisma.sql`SELECT count(*)::int AS count FROM ${table}
    WHERE (${listed}) AND ${filter ?? Prisma.sql`true`} AND number <= ${BigInt(head)}::bigint`;
}
