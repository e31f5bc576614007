import { DomainError } from '../errors.js';

/** How often a read is tried, and how long between: doubling from `firstMs` up to `maxMs`. */
export interface Patience {
  readonly attempts: number;
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Half a minute at the most: longer than a database takes to restart. */
export const DEFAULT_PATIENCE: Patience = { attempts: 10, firstMs: 100, maxMs: 5_000 };

export interface Outcome<T> {
  done(value: T): void;
  /** The last attempt failed, or an error came that trying again cannot mend. */
  failed(error: unknown): void;
  /** One attempt failed in a way that may pass. */
  faulted(error: unknown): void;
}

/**
 * Reads until it works: a fault of the database costs a stream time, not entries. A DomainError is an answer, not a fault.
 * Returns what gives up: from then on nothing is called, no timer is left, and a read still under way ends unheard.
 */
export function persist<T>(read: () => Promise<T>, patience: Patience, outcome: Outcome<T>): () => void {
  let canceled = false;
  let timer: NodeJS.Timeout | undefined;

  const attempt = async (count: number): Promise<void> => {
    let value: T;
    try {
      value = await read();
    } catch (error) {
      if (!canceled) settle(error, count);
      return;
    }
    if (!canceled) outcome.done(value);
  };

  const settle = (error: unknown, count: number): void => {
    const passing = !(error instanceof DomainError);
    if (passing) outcome.faulted(error);
    if (passing && count < patience.attempts) timer = setTimeout(start, delay(patience, count), count + 1);
    else outcome.failed(error);
  };

  const start = (count: number): void => {
    attempt(count).catch(outcome.failed);
  };

  start(1);
  return () => {
    canceled = true;
    clearTimeout(timer);
  };
}

/** How long to wait after so many failures; shortened at random by up to a half: a thousand that failed together must not come back together. */
export function delay({ firstMs, maxMs }: Pick<Patience, 'firstMs' | 'maxMs'>, count: number): number {
  return Math.min(maxMs, firstMs * 2 ** (count - 1)) * (1 - Math.random() / 2);
}
