import { expect } from 'vitest';
import type { Database } from '../src/database/database.js';
import type { TestDatabase } from './database.js';

/** A node of what PostgreSQL did, as EXPLAIN (ANALYZE, FORMAT JSON) has it. */
export interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

export type PlanRow = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] };

export const explainOf = (sql: string): string => `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The nodes that read a table or an index. */
export const scansOf = (plan: Plan): readonly Plan[] =>
  nodesOf(plan).filter((node) => /(Index|Seq|Bitmap \w+)\b.*Scan/.test(node['Node Type']));

/** How many rows or entries these scans met, whether or not they kept them; a mean over loops is rounded. */
export const met = (scans: readonly Plan[]): number =>
  scans.reduce(
    (sum, scan) =>
      sum +
      (scan['Actual Rows'] +
        (scan['Rows Removed by Filter'] ?? 0) +
        (scan['Rows Removed by Index Recheck'] ?? 0)) *
        scan['Actual Loops'],
    0,
  );

/** What PostgreSQL did for a read, whose one statement runs with EXPLAIN in front of it and gives no rows. */
export async function planOf(
  database: TestDatabase,
  read: (explained: Database) => Promise<unknown>,
): Promise<Plan> {
  const plans: Plan[] = [];
  const query = async (sql: string, values: readonly unknown[]) => {
    const sent = values.map((value) => (typeof value === 'bigint' ? String(value) : value));
    const { rows } = await database.pool.query<PlanRow>(explainOf(sql), sent);
    plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan));
    return { rows: [] };
  };
  const $queryRaw = async ({ text, values }: { text: string; values: unknown[] }) =>
    (await query(text, values)).rows;
  await read({ ...database, pool: { query } as never, prisma: { $queryRaw } as never });
  expect(plans).toHaveLength(1);
  return plans[0] as Plan;
}
