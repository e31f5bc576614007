import { DomainError } from '../errors.js';

/** How many each holds open, such as the streams of an address, and how many it may. */
export class Tally {
  readonly #maximum: number;
  readonly #whose: string;
  readonly #held = new Map<string, number>();

  /** `whose` is for the message: an address, a credential. */
  constructor(whose: string, maximum: number) {
    this.#whose = whose;
    this.#maximum = maximum;
  }

  /** How many are held, of all. */
  get size(): number {
    let size = 0;
    for (const held of this.#held.values()) size += held;
    return size;
  }

  /** Counts one more until the returned function is called, which may be called again. @throws RATE_LIMITED for one too many. */
  claim(name: string): () => void {
    const held = this.#held.get(name) ?? 0;
    if (held >= this.#maximum) throw tooMany(this.#whose, this.#maximum);
    this.#held.set(name, held + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(name);
      isHeld = false;
    };
  }

  #release(name: string): void {
    const left = (this.#held.get(name) ?? 0) - 1;
    if (left > 0) this.#held.set(name, left);
    else this.#held.delete(name);
  }
}

/** How long, in seconds, until asking again is worth it: streams end when they like. */
const RETRY_AFTER = 10;

const tooMany = (whose: string, maximum: number) =>
  new DomainError(
    'RATE_LIMITED',
    `Expected at most ${maximum} open streams from ${whose}. Close some, or put more subscriptions on one WebSocket.`,
    { maximum, retryAfter: RETRY_AFTER },
  );
