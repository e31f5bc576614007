import { AsyncLocalStorage } from 'node:async_hooks';

/** Which work a statement belongs to: whatever awaits, and whatever it calls, is in the work that it began in. */
const current = new AsyncLocalStorage<Work | undefined>();

/** The work under way here; undefined in what belongs to nobody's. */
export const workHere = (): Work | undefined => current.getStore();

/** Does what others wait for in nobody's work: it goes on when the work that set it off is over. */
export const forAll = <T>(run: () => T): T => current.run(undefined, run);

/**
 * What an operation makes the database do. It may be ended from outside: then no further statement of it begins, and those that run
 * are cancelled where the database can do that. What it has committed stays.
 */
export class Work {
  readonly #running = new Set<() => void>();
  #reason: Error | undefined;
  #committed = false;

  /** Runs everything that `run` sets off as this work. */
  do<T>(run: () => T): T {
    return current.run(this, run);
  }

  /** Something of it has taken effect. */
  get hasCommitted(): boolean {
    return this.#committed;
  }

  commit(): void {
    this.#committed = true;
  }

  end(reason: Error): void {
    this.#reason ??= reason;
    for (const cancel of this.#running) cancel();
  }

  /** Why nothing more of it may begin; undefined while it goes on. */
  get ended(): Error | undefined {
    return this.#reason;
  }

  /** `cancel` is called when the work ends before the returned function is. */
  during(cancel: () => void): () => void {
    this.#running.add(cancel);
    return () => {
      this.#running.delete(cancel);
    };
  }
}
