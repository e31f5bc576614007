import type { Duplex } from 'node:stream';

/** A connection, and when it was last written to. */
export class Corked {
  turn = 0;
  isCorked = false;

  constructor(readonly connection: Duplex) {}
}

/**
 * Many small writes to one connection in one turn of the event loop go out together: the first goes straight, since mostly it is the only
 * one, the others wait for the end of the turn.
 */
export class Corks {
  readonly #corked: Corked[] = [];
  #turn = 1;
  #isCounting = false;

  /** It is about to be written to. */
  write(corked: Corked): void {
    if (corked.turn !== this.#turn) {
      corked.turn = this.#turn;
      if (!this.#isCounting) this.#count();
      return;
    }
    if (corked.isCorked) return;
    corked.isCorked = true;
    corked.connection.cork();
    this.#corked.push(corked);
  }

  #count(): void {
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      this.#turn += 1;
      for (const corked of this.#corked.splice(0)) {
        corked.isCorked = false;
        corked.connection.uncork();
      }
    });
  }
}
