import { setMaxListeners } from 'node:events';

/**
 * How a server that stops lets its streams go. From `begin` on what is new is refused; what is open leaves one after the other, evenly
 * over a window, so that the clients do not all come to the other servers at once.
 */
export class Draining {
  readonly #begun = new AbortController();
  readonly #streams = new Set<() => void>();

  constructor() {
    // One for each body that is taken in.
    setMaxListeners(0, this.signal);
  }

  get hasBegun(): boolean {
    return this.signal.aborted;
  }

  /** Aborted when it begins: for what stops at once. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  /** How many streams and sockets wait for their turn. */
  get size(): number {
    return this.#streams.size;
  }

  /** Calls `leave` when it is this stream's turn; a stream that has ended gives its turn back by what this returns. */
  onTurn(leave: () => void): () => void {
    this.#streams.add(leave);
    return () => {
      this.#streams.delete(leave);
    };
  }

  /** `window` is in ms; the first leaves at once. */
  begin(window: number): void {
    this.#begun.abort();
    const step = window / this.#streams.size;
    [...this.#streams].forEach((leave, turn) => {
      setTimeout(() => {
        if (this.#streams.delete(leave)) leave();
      }, turn * step);
    });
  }
}
