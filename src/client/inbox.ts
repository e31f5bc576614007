/** What came and was not taken yet, for one taker. What filled it may end it; what came before that is still there to be taken. */
export class Inbox<T> {
  readonly #items: T[] = [];
  #ended: { readonly fault?: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  get size(): number {
    return this.#items.length;
  }

  put(item: T): void {
    if (this.#ended) return;
    this.#items.push(item);
    this.#wake();
  }

  /** The first end counts. */
  end(fault?: Error): void {
    this.#ended ??= { fault };
    this.#wake();
  }

  /** Undefined when it has ended; @throws what it was ended with. */
  async take(): Promise<T | undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      if (this.#ended?.fault) throw this.#ended.fault;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
