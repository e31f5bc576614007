import { AsyncResource } from 'node:async_hooks';
import { type ClientBase, Pool, type PoolClient, type PoolConfig } from 'pg';
import { type Cancel, runInWork } from './cancelling.js';
import { forgetStatements } from './prisma-history.js';
import { workHere } from './work.js';

/** Milliseconds; every wait in the database ends. A statement that only waits for a lock ends before one that works. */
export const LOCK_TIMEOUT = 10_000;
const STATEMENT_TIMEOUT = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT = 30_000;
/** For a connection of the pool, also while all are taken: a query of the outer client inside a transaction fails instead of hanging. */
const CONNECTION_TIMEOUT = 15_000;

/** Characters of a statement's parameters beyond which Prisma must not keep them: a hundred times as many may stay. */
const LARGE = 64 * 1024;

/** Called with the text of every statement, Prisma's and the pool's own alike; BEGIN and COMMIT are statements too. */
export type StatementObserver = (sql: string) => void;

export interface PoolOptions {
  readonly onStatement?: StatementObserver | undefined;
  /** How a statement is stopped; the embedded database cannot. */
  readonly cancel?: Cancel | undefined;
}

/** A pool whose every connection has its timeouts set, and reports its statements where somebody wants to know. */
export function createPool(config: PoolConfig, { onStatement, cancel }: PoolOptions = {}): Pool {
  const pool = new WorkPool({
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    ...config,
    // By statements and not in the startup message, which some poolers between here and PostgreSQL refuse.
    onConnect: async (client) => {
      await client.query(
        `SET lock_timeout = ${LOCK_TIMEOUT}; SET statement_timeout = ${STATEMENT_TIMEOUT};
         SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT}`,
      );
      observe(client, { onStatement, cancel });
    },
  });
  // An idle connection that breaks leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

/** A connection is given to who asked for it in its own work, not in that of whoever gave it back, and only if it is still wanted. */
class WorkPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(taken: Taken): void;
  override connect(taken?: Taken): Promise<PoolClient> | undefined {
    if (taken === undefined) return super.connect();
    const work = workHere();
    const inWork: Taken = AsyncResource.bind((error, client, release) => {
      if (error !== undefined || work?.ended === undefined) return taken(error, client, release);
      release();
      return taken(work.ended, undefined, release);
    });
    super.connect(inWork);
    return undefined;
  }
}

type Taken = Parameters<typeof Pool.prototype.connect>[0];

function observe(client: ClientBase, { onStatement, cancel }: PoolOptions): void {
  const query: (...args: unknown[]) => unknown = client.query.bind(client);
  const observed = (...args: readonly unknown[]) => {
    const sql = textOf(args[0]);
    return runInWork(client, sql, args, {
      cancel,
      query: (...given) => {
        onStatement?.(sql);
        // By now Prisma has noted them down.
        if (parametersOf(given[0]) > LARGE) forgetStatements();
        return query(...given);
      },
    });
  };
  Object.defineProperty(client, 'query', { value: observed });
}

/** A statement is given as its text, or as an object that has it. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  if (typeof statement === 'object' && statement !== null && 'text' in statement)
    return String(statement.text);
  return 'unknown statement';
}

/** Characters of a statement's parameters, as far as they are text. */
function parametersOf(statement: unknown): number {
  if (typeof statement !== 'object' || statement === null || !('values' in statement)) return 0;
  const values: readonly unknown[] = Array.isArray(statement.values) ? statement.values : [];
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
