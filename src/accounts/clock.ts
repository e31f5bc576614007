import type { Transaction } from '../database/database.js';

/** The database's clock, the only one there is: cut to milliseconds, as instants are stored, never rounded. */
export async function databaseNow(tx: Transaction): Promise<Date> {
  const [row] = await tx.$queryRaw<{ now: Date }[]>`
    SELECT date_trunc('milliseconds', clock_timestamp()) AS now`;
  if (row === undefined) throw new Error('A SELECT without FROM gave no row (clock-1).');
  return row.now;
}
