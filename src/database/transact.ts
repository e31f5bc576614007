import type { Prisma } from '../generated/prisma/client.js';
import { inSpan } from '../spans.js';
import type { Database, Transaction } from './database.js';
import { asTimeout } from './faults.js';

/** Milliseconds to wait for a connection and from BEGIN to COMMIT. Longer than the wait for a lock, so that one is told as itself. */
const MAX_WAIT = 15_000;
const TIMEOUT = 25_000;

export interface TransactOptions {
  /** READ COMMITTED by default. */
  readonly isolation?: Prisma.TransactionIsolationLevel;
}

/**
 * Runs `work` in one transaction; what it throws undoes it, and comes out as it is. Only SQL belongs inside, always through `tx`.
 * @throws TIMEOUT when the database was too busy, a lock was not free in time, or others wrote in between: nothing was written, and
 * the same may be tried again.
 */
export async function transact<T>(
  database: Pick<Database, 'prisma'>,
  work: (tx: Transaction) => Promise<T>,
  { isolation }: TransactOptions = {},
): Promise<T> {
  try {
    return await inSpan('transaction', {}, () =>
      database.prisma.$transaction(work, {
        maxWait: MAX_WAIT,
        timeout: TIMEOUT,
        ...(isolation === undefined ? {} : { isolationLevel: isolation }),
      }),
    );
  } catch (error) {
    throw asTimeout(error) ?? error;
  }
}
