import type { Hint } from './bus.js';

/** How many hints wait at most; one more, and all become one: look at everything again. */
const LIMIT = 5_000;

export interface Taken {
  readonly hints: readonly Hint[];
  /** Hints were lost before these. */
  readonly lost: boolean;
}

/** Hints that wait to be sent: of one log and the same topics the greatest head, in the order in which they came last. */
export class Outbox {
  #hints = new Map<string, Hint>();
  #lost = false;
  #wanted = false;

  get isEmpty(): boolean {
    return this.#hints.size === 0 && !this.#lost && !this.#wanted;
  }

  add(hint: Hint): void {
    const key = JSON.stringify([hint.log, hint.topics]);
    const head = Math.max(hint.head, this.#hints.get(key)?.head ?? 0);
    this.#hints.delete(key);
    this.#hints.set(key, { ...hint, head });
    if (this.#hints.size <= LIMIT) return;
    this.#hints.clear();
    this.lose();
  }

  /** Hints were lost, or may not have arrived: the others have to look by themselves. */
  lose(): void {
    this.#lost = true;
  }

  /** Something is to be sent, though there may be nothing to tell. */
  want(): void {
    this.#wanted = true;
  }

  take(): Taken {
    const taken = { hints: [...this.#hints.values()], lost: this.#lost };
    this.#hints = new Map();
    this.#lost = false;
    this.#wanted = false;
    return taken;
  }
}
