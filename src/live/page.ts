import { type Entry, type Log, type ReadRange, TooManyBytes } from './log.js';

/** How much is held or sent at once. One entry always passes, however large. */
export interface Bounds {
  readonly entries: number;
  readonly bytes: number;
}

export interface Taken<E> {
  readonly entries: readonly E[];
  /** How many were looked at, the unwanted among them included: where to go on. */
  readonly looked: number;
}

/** The first entries that are wanted and fit into the bounds. */
export function take<E>(
  entries: readonly E[],
  bounds: Bounds,
  sizeOf: (entry: E) => number,
  wanted?: (entry: E) => boolean,
): Taken<E> {
  const taken: E[] = [];
  let bytes = 0;
  let looked = 0;
  for (const entry of entries) {
    if (wanted === undefined || wanted(entry)) {
      bytes += sizeOf(entry);
      if (taken.length > 0 && (taken.length >= bounds.entries || bytes > bounds.bytes)) break;
      taken.push(entry);
    }
    looked += 1;
  }
  return { entries: taken, looked };
}

export interface PageRange<F> {
  readonly after: number;
  readonly upTo: number;
  /** The database has shown that the log reaches this far; `upTo` may be only hearsay. */
  readonly certain: number;
  readonly filter?: F | undefined;
}

export interface Page<E> {
  readonly entries: readonly E[];
  /** The range holds no more than these. */
  readonly ended: boolean;
}

/** Bytes that are read at once: enough for what fits, and for what does not and shows that. */
const READ_BYTES = 4 * 1024 * 1024;

/** Reads a log in pages within bounds, and checks that what comes is without holes. */
export class Pages<E extends Entry, F> {
  readonly #log: Log<E, F>;
  readonly #bounds: Bounds;
  /** How many to ask for: what did not fit is read again later, so next to large entries it asks for fewer. */
  #limit: number;

  constructor(log: Log<E, F>, bounds: Bounds) {
    this.#log = log;
    this.#bounds = bounds;
    this.#limit = Math.max(1, bounds.entries);
  }

  async read({ after, upTo, certain, filter }: PageRange<F>): Promise<Page<E>> {
    const range = { after, upTo, ...(filter === undefined ? {} : { filter }) };
    const { found, limit } = await this.#readWithin(range);
    if (filter === undefined) this.#check(found, after, found.length < limit ? certain : after);
    const { entries, looked } = take(found, this.#bounds, (entry) => this.#log.sizeOf(entry));
    const fits = looked === found.length;
    this.#limit = fits ? Math.min(limit * 2, Math.max(1, this.#bounds.entries)) : looked;
    return { entries, ended: fits && found.length < limit };
  }

  /** Next to large entries it reads again, fewer. */
  async #readWithin(range: Omit<ReadRange<F>, 'limit'>): Promise<{ found: readonly E[]; limit: number }> {
    const limit = this.#limit;
    try {
      return { found: await this.#log.read({ ...range, limit, bytes: READ_BYTES }), limit };
    } catch (error) {
      if (!(error instanceof TooManyBytes)) throw error;
      return { found: await this.#log.read({ ...range, limit: error.fits }), limit: error.fits };
    }
  }

  /**
   * P1, where it can be seen: a hole, or an end before what was seen earlier, is a read of another state of the database (a lagging
   * replica). Positions must not move over it. As many ascending numbers as lead to the last one leave no hole.
   */
  #check(found: readonly E[], after: number, reach: number): void {
    const last = found.at(-1)?.number ?? after;
    if (last === after + found.length && last >= reach) return;
    throw new Error(
      `Log ${this.#log.key}: expected every entry from ${after + 1} to ${Math.max(reach, last)}, got ${found.length} up to ${last}. Read from the database that was written to.`,
    );
  }
}
