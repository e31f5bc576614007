/** Who waits for one value. One of these is called, once. */
export interface Taker<T> {
  give(value: T): void;
  /** There will be none. */
  end(): void;
  fail(error: unknown): void;
}

/** Who waits for something that is made and does not end: it comes, or cannot be made. */
export type Waiting<T> = Omit<Taker<T>, 'end'>;

const DONE = { done: true, value: undefined } as const;

/**
 * An iterator that makes a value when it is asked for one. Written by hand because an async generator's `return()` waits for the
 * `next()` that is pending, which for a stream may be hours: here ending settles every pending call with `done`, at once.
 *
 * Pulls are answered in order. Nothing is held before the first of them.
 */
export abstract class Pulled<T> implements AsyncIterableIterator<T, undefined> {
  readonly #takers: Taker<T>[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #end = () => this.end();
  #begun = false;
  #ended = false;

  /** Aborting `signal` is the same as `return()`. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Somebody waits for a value: `give` it now or later. Called for each pull. */
  protected abstract onPull(): void;

  /** Release everything. Called once. */
  protected abstract onEnd(): void;

  /** Whether a value that is given now has a taker. */
  protected get wanted(): boolean {
    return this.#takers.length > 0;
  }

  /** Answers the oldest pull. */
  protected give(value: T): void {
    this.#takers.shift()?.give(value);
  }

  /** Fails the oldest pull and ends. */
  protected fail(error: unknown): void {
    this.#takers.shift()?.fail(error);
    this.end();
  }

  protected end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#end);
    this.onEnd();
    for (const taker of this.#takers.splice(0)) taker.end();
  }

  /** As `next()`, for whoever has no use for a promise: called back at once if the value is there. */
  pull(taker: Taker<T>): void {
    if (this.#signal?.aborted) this.end();
    if (this.#ended) {
      taker.end();
      return;
    }
    if (!this.#begun) {
      this.#begun = true;
      this.#signal?.addEventListener('abort', this.#end);
    }
    this.#takers.push(taker);
    this.onPull();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) =>
      this.pull({
        give: (value) => resolve({ done: false, value }),
        end: () => resolve(DONE),
        fail: reject,
      }),
    );
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
