export interface SweepOptions {
  /** From the end of one round to the next, in ms. */
  readonly pace: number;
  readonly onError: (error: unknown, doing: string) => void;
}

/** Milliseconds to the next round after one that failed. */
const PAUSE = 5_000;

/** Does `round` again and again, at once while it says that there is more, until `close()`, which waits for the round under way. One timer. */
export class Sweep {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly doing: string,
    private readonly round: () => Promise<boolean>,
    private readonly options: SweepOptions,
  ) {
    this.#wait(options.pace);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  #wait(delay: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#sweep();
    }, delay);
  }

  async #sweep(): Promise<void> {
    let delay = this.options.pace;
    try {
      while (!this.#closed && (await this.round()));
    } catch (error) {
      delay = PAUSE;
      this.options.onError(error, this.doing);
    }
    this.#wait(delay);
  }
}
