interface Pull<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * An iterator that makes a value when it is asked for one. Written by hand because an async generator's `return()` waits for the
 * `next()` that is pending, which for a stream may be hours: here ending settles every pending call with `done`, at once.
 *
 * Calls of `next()` are answered in order. Nothing is held before the first of them.
 */
export abstract class Pulled<T> implements AsyncIterableIterator<T, undefined> {
  readonly #pulls: Pull<T>[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #end = () => this.end();
  #begun = false;
  #ended = false;

  /** Aborting `signal` is the same as `return()`. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Somebody waits for a value: `give` it now or later. Called for each `next()`. */
  protected abstract onPull(): void;

  /** Release everything. Called once. */
  protected abstract onEnd(): void;

  /** Whether a value that is given now has a taker. */
  protected get wanted(): boolean {
    return this.#pulls.length > 0;
  }

  /** Answers the oldest call. */
  protected give(value: T): void {
    this.#pulls.shift()?.resolve({ done: false, value });
  }

  /** Rejects the oldest call and ends. */
  protected fail(error: unknown): void {
    this.#pulls.shift()?.reject(error);
    this.end();
  }

  protected end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#end);
    this.onEnd();
    for (const pull of this.#pulls.splice(0)) pull.resolve(DONE);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#signal?.aborted) this.end();
    if (this.#ended) return Promise.resolve(DONE);
    if (!this.#begun) {
      this.#begun = true;
      this.#signal?.addEventListener('abort', this.#end);
    }
    return new Promise((resolve, reject) => {
      this.#pulls.push({ resolve, reject });
      this.onPull();
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.resolve(DONE);
  }

  throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
