import type { Entry, Log } from './log.js';
import { type Bounds, type Page, Pages } from './page.js';
import { type Patience, persist } from './persist.js';
import { Ring } from './ring.js';

/** Whoever has read all that the ring holds and waits for more. Each call takes it off the tail first. */
export interface Waiter {
  /** Look again: the ring has moved on, or away. */
  wake(): void;
  /** News could not be read, or there will be none. */
  fail(error: unknown): void;
}

export interface TailOptions {
  readonly ring: Bounds;
  readonly patience: Patience;
  readonly onError: (error: unknown, doing: string) => void;
}

/**
 * How many rings a reader may be ahead of the ring's end. The stretch is read (again) for those who wait at the end; over a wider
 * one the ring jumps ahead and leaves them to read by themselves, lest a reader that nobody can wait for holds up the foremost.
 */
const MAX_LEAD = 16;

/**
 * A log as this process follows it: how far it reaches, and its latest entries. News is read once, whoever waits, and only if
 * somebody does; so a log that nobody can keep up with costs no reads, and a thousand who wait cost one.
 *
 * Readers are at one of three places: before the ring (they read the log themselves), in it (they take from it), or at its end
 * (they wait, and the first of them makes the tail read what it was told of).
 */
export class Tail<E extends Entry> {
  readonly #log: Log<E, unknown>;
  readonly #options: TailOptions;
  readonly #ring: Ring<E>;
  readonly #pages: Pages<E, unknown>;
  #waiting = new Set<Waiter>();
  /** Gives up the read under way. */
  #cancelRead: (() => void) | undefined;
  /** The first head has been read: until then nobody stands anywhere. */
  #begun = false;
  /** The greatest head heard of. A hint may be wrong: nothing is skipped on the strength of it. */
  #told = 0;
  /** The greatest number that the database itself has shown. */
  #certain = 0;
  /** The head as it was known when the ring's end was read. */
  #asOf = 0;
  /** A hint came while reading, so an end found by that read may be out of date. */
  #toldMeanwhile = false;
  #broken: { readonly error: unknown } | undefined;

  constructor(log: Log<E, unknown>, options: TailOptions) {
    this.#log = log;
    this.#options = options;
    this.#ring = new Ring(options.ring, (entry) => log.sizeOf(entry));
    // Half the ring: who is one page slower than the fastest still finds its page there.
    const { entries, bytes } = options.ring;
    this.#pages = new Pages(log, { entries: Math.ceil(entries / 2), bytes: bytes / 2 });
  }

  /** Before the first entry of the ring: who is further back reads the log. */
  get start(): number {
    return this.#ring.start;
  }

  get end(): number {
    return this.#ring.end;
  }

  /** How far the log surely reaches: the database said so. What has been read up to here has been read for good. */
  get certain(): number {
    return this.#certain;
  }

  /** The head known when the ring was read: what its last entry has to reach to be the latest. */
  get asOf(): number {
    return this.#asOf;
  }

  /** The greatest head heard of, for those who read the log themselves and tell how far they have come. */
  get told(): number {
    return Math.max(this.#told, this.#certain);
  }

  /** Bytes that the ring holds. */
  get bytes(): number {
    return this.#ring.bytes;
  }

  /** The database's own answer, asked after the last one. */
  confirm(head: number): void {
    if (!this.#begun) {
      this.#begun = true;
      this.#restart(head);
    }
    this.#certain = Math.max(this.#certain, head);
    this.hint(head);
  }

  hint(head: number): void {
    if (head <= this.#ring.end) return;
    this.#told = Math.max(this.#told, head);
    this.#toldMeanwhile = true;
    this.#readNews();
  }

  /** The wanted entries that the ring holds after a position, and how far they lead. None before the ring and at its end. */
  take(
    position: number,
    bounds: Bounds,
    wanted?: (entry: E) => boolean,
  ): { entries: readonly E[]; position: number } {
    if (position < this.start || position >= this.end) return { entries: [], position };
    return this.#ring.take(position, bounds, wanted);
  }

  /** Waits at the end of the ring, or beyond it if `position` was reached by reading the log. Throws once the tail is broken. */
  wait(position: number, waiter: Waiter): void {
    this.check();
    if (position > this.#ring.end + MAX_LEAD * this.#options.ring.entries) this.#restart(position);
    this.#waiting.add(waiter);
    this.#readNews();
  }

  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Throws what broke the tail. */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  /** Ends everyone who follows, now or at the next pull. */
  break(error: unknown): void {
    this.#broken = { error };
    this.close();
    this.#fail(error);
  }

  /** Stops reading. */
  close(): void {
    this.#cancelRead?.();
    this.#cancelRead = undefined;
  }

  #readNews(): void {
    if (this.#cancelRead !== undefined || this.#waiting.size === 0 || this.#told <= this.#ring.end) return;
    let upTo = 0;
    const read = () => {
      upTo = this.#told;
      this.#toldMeanwhile = false;
      return this.#pages.read({ after: this.#ring.end, upTo, certain: this.#certain });
    };
    this.#cancelRead = persist(read, this.#options.patience, {
      done: (page) => this.#add(page, upTo),
      failed: (error) => this.#fail(error),
      faulted: (error) => this.#options.onError(error, `reading the news of log ${this.#log.key}`),
    });
  }

  #add({ entries, ended }: Page<E>, upTo: number): void {
    this.#cancelRead = undefined;
    this.#ring.push(entries);
    const { end } = this.#ring;
    this.#certain = Math.max(this.#certain, end);
    this.#asOf = ended ? end : upTo;
    // An end before the head that was told: the hint was wrong, or early. If told again meanwhile, look again.
    if (ended && !this.#toldMeanwhile) this.#told = end;
    // Those who wait take theirs before the ring is trimmed: an entry too large to be kept still reaches them by one read.
    this.#wake();
    this.#ring.trim();
  }

  #restart(position: number): void {
    this.close();
    this.#ring.restart(position);
    this.#wake();
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = new Set();
    for (const waiter of woken) waiter.wake();
  }

  #fail(error: unknown): void {
    this.#cancelRead = undefined;
    const failed = this.#waiting;
    this.#waiting = new Set();
    for (const waiter of failed) waiter.fail(error);
  }
}
