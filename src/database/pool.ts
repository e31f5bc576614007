import { type ClientBase, Pool, type PoolConfig } from 'pg';
import { forgetStatements } from './prisma-history.js';

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

/** A pool whose every connection has its timeouts set, and reports its statements where somebody wants to know. */
export function createPool(config: PoolConfig, onStatement?: StatementObserver): Pool {
  const pool = new Pool({
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    ...config,
    // By statements and not in the startup message, which some poolers between here and PostgreSQL refuse.
    onConnect: async (client) => {
      await client.query(
        `SET lock_timeout = ${LOCK_TIMEOUT}; SET statement_timeout = ${STATEMENT_TIMEOUT};
         SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT}`,
      );
      observe(client, onStatement);
    },
  });
  // An idle connection that breaks leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

function observe(client: ClientBase, onStatement: StatementObserver | undefined): void {
  const query = client.query.bind(client);
  const observed = (...args: Parameters<typeof query>) => {
    onStatement?.(textOf(args[0]));
    // By now Prisma has noted them down.
    if (parametersOf(args[0]) > LARGE) forgetStatements();
    return query(...args);
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
