import type { LogFamily } from './log.js';

type Answer = Promise<ReadonlyMap<string, number>>;

/**
 * Reads the heads of a family's logs, one statement at a time. Whoever asks while one is under way shares the next: an answer is
 * always newer than its question, and a thousand clients that reconnect together cost two statements.
 */
export class Heads {
  readonly #family: LogFamily;
  #next: { readonly keys: Set<string>; readonly answer: Answer } | undefined;
  /** Settles, never rejects, when the latest statement has ended. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(family: LogFamily) {
    this.#family = family;
  }

  /** The heads of these logs, and maybe of others. Rejects as the statement does, for everyone who shared it. */
  read(keys: Iterable<string>): Answer {
    this.#next ??= this.#schedule();
    for (const key of keys) this.#next.keys.add(key);
    return this.#next.answer;
  }

  #schedule(): { readonly keys: Set<string>; readonly answer: Answer } {
    const keys = new Set<string>();
    const answer = this.#latest.then(() => {
      this.#next = undefined;
      return this.#family.heads([...keys]);
    });
    this.#latest = answer.catch(() => {});
    return { keys, answer };
  }
}
