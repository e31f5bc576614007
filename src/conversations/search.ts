import type { Database } from '../database/database.js';
import { badUserInput, DomainError } from '../errors.js';
import type { Stretch } from '../graphql/connections.js';
import { parse, text } from '../parse.js';
import { fold } from './folding.js';
import { findIndexed, type Slice, scanMessages } from './search-store.js';

/** Characters, as code points. */
const SHORTEST = 2;
const LONGEST = 1_000;

/** Messages that are looked through at a time: few at first, since a frequent text needs no more, then more unless they take long. */
const FIRST_SLICE = 250;
const LARGEST_SLICE = 4_000;
const SLICE_MS = 200;

/** After so many messages the index is asked, if it can help. */
const SCAN_FIRST = 1_500;
/** Above this many matches the scan is the better way: they cannot be far. */
const MOST_INDEXED = 1_000;
const INDEX_MS = 1_000;

/** A search that has not found its page after this long ends with TIMEOUT. */
const SEARCH_MS = 5_000;

/** What is looked for, folded; `word` is its longest stretch of letters and digits, if that is long enough for the index. */
export interface Needle {
  readonly folded: string;
  readonly word: string | undefined;
}

/** `search` as it is given. @throws BAD_USER_INPUT for less than two characters, more than 1,000, and U+0000. */
export function parseSearch(search: string): Needle {
  const given = parse(text(LONGEST), search, 'search');
  const characters = [...given].length;
  if (characters < SHORTEST) {
    throw badUserInput(`search: expected at least ${SHORTEST} characters, got ${characters}.`, {
      minimum: SHORTEST,
    });
  }
  const folded = fold(given);
  const words = folded.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return { folded, word: words.sort((a, b) => b.length - a.length)[0] };
}

/**
 * The numbers of the messages of a stretch that contain the text, in its order, at most `limit`. Two ways, since either is fast where the
 * other is not: the messages are looked through from the stretch's end, which finds a frequent text soon; then the index of trigrams is
 * asked, which leaves of a rare text little to look at. If it leaves too much, the looking goes on.
 * @throws TIMEOUT after five seconds.
 */
export async function findMatches(
  database: Database,
  sessionId: string,
  stretch: Stretch,
  { folded, word }: Needle,
): Promise<readonly number[]> {
  const scan = new Scan(database, sessionId, stretch, folded);
  await scan.run(SCAN_FIRST);
  if (!scan.done && word !== undefined) {
    const bounds = { ...scan.rest, limit: MOST_INDEXED, timeoutMs: INDEX_MS };
    const indexed = await findIndexed(database, sessionId, bounds, { folded, word });
    if (indexed !== null) return [...scan.hits, ...inOrder(indexed, stretch)].slice(0, stretch.limit);
  }
  await scan.run(Number.POSITIVE_INFINITY);
  return scan.hits.slice(0, stretch.limit);
}

const inOrder = (numbers: readonly number[], { order }: Stretch): readonly number[] =>
  numbers.toSorted(order === 'ascending' ? (a, b) => a - b : (a, b) => b - a);

/** Looks through the messages of a stretch, slice by slice, until it has as many hits as are wanted. */
class Scan {
  readonly hits: number[] = [];
  /** What is still to be looked through. */
  rest: Stretch;
  done = false;
  readonly #read: (stretch: Stretch) => Promise<Slice>;
  readonly #deadline = performance.now() + SEARCH_MS;
  #seen = 0;
  #size = FIRST_SLICE;

  constructor(database: Database, sessionId: string, stretch: Stretch, folded: string) {
    this.rest = stretch;
    this.#read = (slice) => scanMessages(database, sessionId, slice, folded);
  }

  /** Goes on until it is done or has seen so many messages. @throws TIMEOUT. */
  async run(upTo: number): Promise<void> {
    while (!this.done && this.#seen < upTo) {
      const begun = performance.now();
      if (begun > this.#deadline) throw tookTooLong();
      this.#take(await this.#read({ ...this.rest, limit: this.#size }));
      this.#size =
        performance.now() - begun > SLICE_MS ? FIRST_SLICE : Math.min(LARGEST_SLICE, this.#size * 2);
    }
  }

  #take({ hits, seen, last }: Slice): void {
    this.hits.push(...hits);
    this.#seen += seen;
    this.done = this.hits.length >= this.rest.limit || seen < this.#size || last === null;
    if (last === null) return;
    this.rest = { ...this.rest, ...(this.rest.order === 'ascending' ? { above: last } : { below: last }) };
  }
}

const tookTooLong = () =>
  new DomainError(
    'TIMEOUT',
    `The search was not done after ${SEARCH_MS / 1_000} s. Look for a longer or a rarer text, or through less: between \`after\` and \`before\`.`,
  );
