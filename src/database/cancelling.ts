import { Client, type ClientBase, type PoolConfig } from 'pg';
import { type Work, workHere } from './work.js';

/** Makes PostgreSQL stop what the connection of this process id does. Never rejects: what cannot be stopped ends by its own timeout. */
export type Cancel = (processId: number) => Promise<void>;

/** How long, in ms, stopping a statement may take before it is left to its own timeout. */
const PATIENCE = 3_000;

/** Cancels by a connection of its own, since those of the pool may all be busy; one at a time, since more would be many. */
export function cancelOver(config: PoolConfig): Cancel {
  let last: Promise<void> = Promise.resolve();
  const cancel = async (processId: number) => {
    const client = new Client({ ...config, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT pg_cancel_backend($1)', [processId]);
    } catch {
      // Nobody waits for it any more.
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return (processId) => {
    last = last.then(() => cancel(processId));
    return last;
  };
}

type Query = (...args: unknown[]) => unknown;

/** What begins, ends or names parts of a transaction: always let through, lest a connection goes back with one open. */
const CONTROL = /^\s*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET)\b/i;

/**
 * Runs a statement as part of the work that it belongs to. One that is cancelled is not over before its cancelling is: otherwise the
 * next statement on that connection, somebody else's, could be hit instead.
 * @throws what the work was ended with.
 */
export function runInWork(
  client: ClientBase,
  sql: string,
  args: readonly unknown[],
  { query, cancel }: { readonly query: Query; readonly cancel: Cancel | undefined },
): unknown {
  const work = workHere();
  if (work === undefined) return query(...args);
  if (CONTROL.test(sql)) return /^\s*COMMIT\b/i.test(sql) ? noted(work, query(...args)) : query(...args);
  if (work.ended !== undefined) throw work.ended;
  let cancelling: Promise<void> | undefined;
  const release = work.during(() => {
    const processId: unknown = Reflect.get(client, 'processID');
    if (typeof processId === 'number') cancelling ??= cancel?.(processId);
  });
  /** Both ways in which pg tells the end of a statement. */
  const over = (tell: () => void) => {
    release();
    if (cancelling === undefined) tell();
    else void cancelling.then(tell);
  };
  const callback = args.at(-1);
  if (typeof callback === 'function') {
    return query(...args.slice(0, -1), (...told: unknown[]) => over(() => callback(...told)));
  }
  const result = query(...args);
  if (!(result instanceof Promise)) {
    release();
    return result;
  }
  return new Promise((resolve, reject) => {
    result.then(
      (value) => over(() => resolve(value)),
      (error) => over(() => reject(error)),
    );
  });
}

/** Prisma ends its transactions by this statement. */
function noted(work: Work, result: unknown): unknown {
  if (!(result instanceof Promise)) return result;
  return result.then((value) => {
    work.commit();
    return value;
  });
}
