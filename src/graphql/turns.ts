import { DomainError } from '../errors.js';

/** Waiting works, of all and of one who asks. */
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_ONE = 500;

/** Work, in ms, that is no longer small. */
const LONG = 10;

/** How long, in ms, who gave bad work waits apart; and the rest after each such work, at least, and as a multiple of what it took. */
const APART = 1_000;
const REST = 5;
const REST_FACTOR = 4;

/**
 * Work that gives nobody else a turn until it is done: one a turn of the event loop, those who ask one after the other. Who asked for
 * work that failed or was long waits apart for a while: all of those together get a fifth of the time, however many they are.
 */
export class Turns {
  /** What waits, by who asked; who is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Until when who waits apart, by `performance.now()`. */
  readonly #apart = new Map<string, number>();
  #size = 0;
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** How much waits. */
  get size(): number {
    return this.#size;
  }

  /**
   * Does the work when its turn has come.
   * @throws what it throws; TIMEOUT when too much waits already.
   */
  take<T>(who: string, work: () => T): Promise<T> {
    const jobs = this.#waiting.get(who) ?? [];
    if (this.#size >= MAX_WAITING || jobs.length >= MAX_WAITING_OF_ONE) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      jobs.push(() => {
        try {
          resolve(work());
        } catch (error) {
          this.#setApart(who);
          reject(error);
        }
      });
      this.#waiting.set(who, jobs);
      this.#size += 1;
      this.#arm();
    });
  }

  #setApart(who: string): void {
    const now = performance.now();
    this.#apart.delete(who);
    this.#apart.set(who, now + APART);
    // The oldest come first.
    for (const [other, until] of this.#apart) {
      if (until > now) break;
      this.#apart.delete(other);
    }
  }

  /** A work that is free to begin has the next turn; otherwise the rest of those apart is waited for. */
  #arm(): void {
    if (this.#immediate !== undefined || this.#size === 0) return;
    clearTimeout(this.#timer);
    const now = performance.now();
    if (this.#restUntil <= now || this.#free(now) !== undefined) {
      this.#immediate = setImmediate(() => this.#turn());
    } else this.#timer = setTimeout(() => this.#arm(), Math.ceil(this.#restUntil - now));
  }

  #free(now: number): string | undefined {
    for (const who of this.#waiting.keys()) if (!this.#isApart(who, now)) return who;
    return undefined;
  }

  #isApart(who: string, now: number): boolean {
    return (this.#apart.get(who) ?? now) > now;
  }

  #turn(): void {
    this.#immediate = undefined;
    const now = performance.now();
    const next = this.#restUntil > now ? this.#free(now) : this.#waiting.keys().next().value;
    if (next !== undefined) this.#runOne(next, now);
    this.#arm();
  }

  #runOne(who: string, begun: number): void {
    const [job, ...rest] = this.#waiting.get(who) ?? [];
    this.#waiting.delete(who);
    // Behind all others.
    if (rest.length > 0) this.#waiting.set(who, rest);
    this.#size -= 1;
    job?.();
    const now = performance.now();
    if (now - begun > LONG) this.#setApart(who);
    if (this.#isApart(who, now)) this.#restUntil = now + Math.max(REST, REST_FACTOR * (now - begun));
  }
}

const busy = () =>
  new DomainError('TIMEOUT', 'Too many documents wait to be read. Send this one again in a moment.');
