import type { Pool } from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';

/** An open database, migrated; the same for both ways to run. */
export interface Database {
  readonly prisma: PrismaClient;
  /** The pool that `prisma` uses too: for reads so hot that Prisma's cost shows, each with its figure in a comment. */
  readonly pool: Pool;
  readonly kind: 'embedded' | 'postgresql';
  /** No account existed when it was opened. */
  readonly fresh: boolean;
  /**
   * Fills the database, if it is fresh, before anybody else is let in. An embedded one that is killed meanwhile is made anew, empty,
   * at the next start; a PostgreSQL keeps what was written.
   */
  fill(work: () => Promise<void>): Promise<void>;
  /** Ends every connection, then the embedded engine, then gives its directory free. May be called again. */
  close(): Promise<void>;
}

/**
 * The client within a transaction. The embedded database has one connection: `database.prisma` inside of one waits for the very
 * connection that the transaction holds, and fails after 15 s.
 */
export type Transaction = Prisma.TransactionClient;
