import type { Pool } from 'pg';

/**
 * Holds back the answer to the next statement that matches, outside of transactions. `reached` resolves when the database has
 * answered it; whoever asked waits until `release()`.
 */
export function holdAnswer(pool: Pool, statement: RegExp) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    intercept(pool, statement, async (ask) => {
      const answer = await ask();
      resolve();
      await released;
      return answer;
    });
  });
  return { reached, release };
}

/** Does `work` between the database's answer and whoever asked, for each of the next statements that match, outside of transactions. */
export function beforeAnswers(
  pool: Pool,
  statement: RegExp,
  times: number,
  work: () => Promise<unknown>,
): void {
  if (times === 0) return;
  intercept(pool, statement, async (ask) => {
    const answer = await ask();
    await work();
    beforeAnswers(pool, statement, times - 1, work);
    return answer;
  });
}

/** Makes the next statement that matches fail, outside of transactions, as a database does that is out of order. */
export function failStatement(pool: Pool, statement: RegExp): void {
  intercept(pool, statement, () => Promise.reject(new Error('relation "secret" does not exist: SELECT 1')));
}

/** Nobody here calls it with a callback. */
type Query = (...args: unknown[]) => Promise<unknown>;

function intercept(pool: Pool, statement: RegExp, answer: (ask: Query) => Promise<unknown>): void {
  const own = pool as { query: Query };
  const query = own.query.bind(pool);
  own.query = (...args) => {
    if (!statement.test(textOf(args[0]))) return query(...args);
    own.query = query;
    return answer(() => query(...args));
  };
}

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  return typeof statement === 'object' && statement !== null && 'text' in statement
    ? String(statement.text)
    : '';
}
