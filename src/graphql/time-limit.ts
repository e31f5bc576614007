import { type ExecutionResult, GraphQLError } from 'graphql';
import { Work } from '../database/work.js';

export interface TimeLimit {
  /** In ms. */
  readonly limit: number;
  /** Aborted when nobody waits for the answer any more. Left out for what is to be done whoever waits, such as a write. */
  readonly gone?: AbortSignal | undefined;
}

/**
 * Executes within a time, or until its client has gone. What is over time is answered with TIMEOUT at once, and the database does
 * nothing more for it.
 */
export async function withinTime(
  execute: () => Promise<ExecutionResult>,
  { limit, gone }: TimeLimit,
): Promise<ExecutionResult> {
  const work = new Work();
  return new Promise((resolve, reject) => {
    const end = () => {
      const result = tooLate(limit, work.hasCommitted);
      work.end(new Error('The operation is over.'));
      settle(() => resolve(result));
    };
    const timer = setTimeout(end, limit);
    const settle = (tell: () => void) => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', end);
      tell();
    };
    gone?.addEventListener('abort', end);
    if (gone?.aborted) end();
    work.do(execute).then(
      (result) => settle(() => resolve(result)),
      (error) => settle(() => reject(error)),
    );
  });
}

/** A GraphQLError with its code: what took effect is known here alone. */
function tooLate(limit: number, tookEffect: boolean): ExecutionResult {
  const advice = tookEffect
    ? 'What it had committed took effect: read it with a query.'
    : 'Ask for less at a time; send a write again with the ids that it had, since it may have taken effect.';
  const error = new GraphQLError(
    `Expected an operation of at most ${limit / 1_000} seconds, this one took longer. ${advice}`,
    {
      extensions: tookEffect
        ? { code: 'TIMEOUT', seconds: limit / 1_000, tookEffect }
        : {
            code: 'TIMEOUT',
            seconds: limit / 1_000,
            retry: 'UNCHANGED',
            http: { status: 503, headers: { 'retry-after': '1' } },
          },
    },
  );
  return { data: null, errors: [error] };
}
