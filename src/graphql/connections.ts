import { badUserInput } from '../errors.js';
import { decodeCursorWithin, encodeCursor, type LogTag, logTag } from './cursors.js';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** The head of a list that has no end to compare a cursor with; the greatest number a cursor holds, less one. */
const UNBOUNDED_HEAD = 2 ** 48 - 2;

/** Relay's four arguments; an explicit null means absent. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** Numbers strictly between `above` and `below`, at most `limit`, read from one end. */
export interface Stretch {
  readonly above: number;
  readonly below: number;
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
}

/** A list whose entries carry numbers, as a connection needs it. */
export interface Listing<Row, Node> {
  /** The log's key: a cursor of one list is refused by another. */
  readonly log: string;
  /** The last number, read once an operation; nothing beyond it is shown. */
  readonly head: number;
  /** Whether every number from 1 to `head` is listed: then totals and flags need no reading. */
  readonly dense: boolean;
  /** 'descending' lists the greatest number first. */
  readonly order?: 'ascending' | 'descending';
  /** The page when neither `first` nor `last` is given; by default the first 50, with `before` alone the last 50. */
  readonly newestByDefault?: boolean;
  /** Where what happens to the entries is told by a log of its own: how far that log was read, before the rows. */
  readonly checkpoint?: string;
  /** Rows of a stretch in its order, never beyond `head`. */
  read(stretch: Stretch): Promise<readonly Row[]>;
  /** All that is listed; asked only when `totalCount` is selected and the list is not dense. */
  count(): Promise<number>;
  numberOf(row: Row): number;
  toNode(row: Row): Node;
}

export interface Edge<Node> {
  readonly cursor: string;
  readonly node: Node;
}

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** A page that reads what is selected, once: only `totalCount` selected reads no row (case 52). */
export interface Connection<Node> {
  readonly edges: Promise<readonly Edge<Node>[]>;
  readonly pageInfo: Promise<PageInfo>;
  readonly totalCount: Promise<number>;
  /** The listing's own, or how far the list was read: `endCursor` while there is a next page, else the head. */
  readonly checkpoint: Promise<string>;
}

/**
 * The one way to page. Cursors are numbers, so a page is an index range at any depth, and nothing drifts while
 * entries are added.
 * @throws BAD_USER_INPUT for a page size outside 0..200 or `first` with `last`; INVALID_CURSOR.
 */
export function connection<Row, Node>(listing: Listing<Row, Node>, args: PageArgs): Connection<Node> {
  return new NumberedConnection(listing, parsePage(listing, args));
}

/** Which page: counted from the list's end when `backward`; `after` and `before` are numbers that it excludes. */
interface Page {
  readonly backward: boolean;
  readonly size: number;
  readonly after: number | undefined;
  readonly before: number | undefined;
}

function parsePage<Row, Node>(listing: Listing<Row, Node>, args: PageArgs): Page {
  const first = pageSize('first', args.first);
  const last = pageSize('last', args.last);
  if (first !== undefined && last !== undefined) {
    throw badUserInput('Expected first or last, got both. Ask for one end of the list at a time.');
  }
  const tag = logTag(listing.log);
  const position = (cursor: string | null | undefined) =>
    typeof cursor === 'string' ? decodeCursorWithin(tag, cursor, listing.head) : undefined;
  const after = position(args.after);
  const before = position(args.before);
  const endByDefault = after === undefined && (listing.newestByDefault === true || before !== undefined);
  return {
    backward: last !== undefined || (first === undefined && endByDefault),
    size: first ?? last ?? DEFAULT_PAGE_SIZE,
    after,
    before,
  };
}

function pageSize(name: 'first' | 'last', size: number | null | undefined): number | undefined {
  if (size === null || size === undefined) return undefined;
  if (size < 0 || size > MAX_PAGE_SIZE) {
    throw badUserInput(`${name}: expected a number from 0 to ${MAX_PAGE_SIZE}, got ${size}.`, {
      maximum: MAX_PAGE_SIZE,
    });
  }
  return size;
}

class NumberedConnection<Row, Node> implements Connection<Node> {
  readonly #listing: Listing<Row, Node>;
  readonly #page: Page;
  readonly #descending: boolean;
  readonly #tag: LogTag;
  #rows: Promise<PageOf<Row>> | undefined;
  #edges: Promise<readonly Edge<Node>[]> | undefined;

  constructor(listing: Listing<Row, Node>, page: Page) {
    this.#listing = listing;
    this.#page = page;
    this.#descending = listing.order === 'descending';
    this.#tag = logTag(listing.log);
  }

  get edges(): Promise<readonly Edge<Node>[]> {
    const { numberOf, toNode } = this.#listing;
    this.#edges ??= this.#read().then(({ rows }) =>
      rows.map((row) => ({ cursor: encodeCursor(this.#tag, numberOf(row)), node: toNode(row) })),
    );
    return this.#edges;
  }

  get pageInfo(): Promise<PageInfo> {
    return this.#describe();
  }

  get totalCount(): Promise<number> {
    return this.#listing.dense ? Promise.resolve(this.#listing.head) : this.#listing.count();
  }

  get checkpoint(): Promise<string> {
    if (this.#listing.checkpoint !== undefined) return Promise.resolve(this.#listing.checkpoint);
    const start = encodeCursor(this.#tag, this.#page.after ?? 0);
    const head = encodeCursor(this.#tag, this.#listing.head);
    return this.#describe().then(({ hasNextPage, endCursor }) => (hasNextPage ? (endCursor ?? start) : head));
  }

  #read() {
    this.#rows ??= this.#readPage();
    return this.#rows;
  }

  /** One row more than the page tells whether its far side goes on. */
  async #readPage(): Promise<PageOf<Row>> {
    const { size, backward, after, before } = this.#page;
    const [above, below] = this.#descending ? [before, after] : [after, before];
    if (size === 0) return { rows: [], more: false };
    const read = await this.#listing.read({
      above: above ?? 0,
      below: Math.min(below ?? UNBOUNDED_HEAD, this.#listing.head + 1),
      limit: size + 1,
      order: this.#descending === backward ? 'ascending' : 'descending',
    });
    const rows = read.slice(0, size);
    return { rows: backward ? rows.reverse() : rows, more: read.length > size };
  }

  /** What was read lies against the end that the page is counted from, so only what was excluded there has to be looked at. */
  async #describe(): Promise<PageInfo> {
    const { size, backward, after, before } = this.#page;
    if (size === 0) return this.#describeUnread();
    const { rows, more } = await this.#read();
    return {
      hasNextPage: (!backward && more) || (before !== undefined && (await this.#anyFrom(before))),
      hasPreviousPage: (backward && more) || (after !== undefined && (await this.#anyUpTo(after))),
      startCursor: this.#cursorOf(rows.at(0)),
      endCursor: this.#cursorOf(rows.at(-1)),
    };
  }

  /** A page of none lies in the gap behind its `after` (or at the start), a backward one in the gap before its `before` (or at the end). */
  async #describeUnread(): Promise<PageInfo> {
    const { backward, after, before } = this.#page;
    const anything = () => this.#anyBetween(0, UNBOUNDED_HEAD);
    const [next, previous] = backward
      ? [
          before !== undefined && (await this.#anyFrom(before)),
          before === undefined ? await anything() : await this.#anyBefore(before),
        ]
      : [
          after === undefined ? await anything() : await this.#anyAfter(after),
          after !== undefined && (await this.#anyUpTo(after)),
        ];
    return { hasNextPage: next, hasPreviousPage: previous, startCursor: null, endCursor: null };
  }

  #cursorOf(row: Row | undefined): string | null {
    return row === undefined ? null : encodeCursor(this.#tag, this.#listing.numberOf(row));
  }

  #anyFrom(number: number) {
    return this.#anyAfter(this.#descending ? number + 1 : number - 1);
  }

  #anyUpTo(number: number) {
    return this.#anyBefore(this.#descending ? number - 1 : number + 1);
  }

  /** Whether the list goes on behind a number, in its own order. */
  #anyAfter(number: number) {
    return this.#descending ? this.#anyBetween(0, number) : this.#anyBetween(number, UNBOUNDED_HEAD);
  }

  #anyBefore(number: number) {
    return this.#descending ? this.#anyBetween(number, UNBOUNDED_HEAD) : this.#anyBetween(0, number);
  }

  async #anyBetween(above: number, below: number): Promise<boolean> {
    const end = Math.min(below, this.#listing.head + 1);
    if (end - above < 2) return false;
    if (this.#listing.dense) return true;
    return (await this.#listing.read({ above, below: end, limit: 1, order: 'ascending' })).length > 0;
  }
}

interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Whether the stretch that was read goes on beyond the page. */
  readonly more: boolean;
}
