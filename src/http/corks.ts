import type { Duplex } from 'node:stream';

/** Holds back what is written to connections until the end of this turn of the event loop, so that it goes out by one system call each. */
export class Corks {
  readonly #corked = new Set<Duplex>();

  cork(connection: Duplex): void {
    if (this.#corked.has(connection)) return;
    if (this.#corked.size === 0) setImmediate(() => this.#pull());
    this.#corked.add(connection);
    connection.cork();
  }

  #pull(): void {
    for (const connection of this.#corked) connection.uncork();
    this.#corked.clear();
  }
}
