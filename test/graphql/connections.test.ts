import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Connection, connection, type Listing, type PageArgs } from '../../src/graphql/connections.js';

interface Reads {
  rows: number;
  statements: number;
}

/** A list of the given numbers, counting what is read of it. */
function listing(
  numbers: readonly number[],
  options: { order?: 'ascending' | 'descending'; newestByDefault?: boolean; dense?: boolean } = {},
): Listing<number, number> & { reads: Reads } {
  const head = Math.max(0, ...numbers);
  const reads = { rows: 0, statements: 0 };
  return {
    log: 'numbers',
    head,
    dense: options.dense ?? numbers.length === head,
    ...options,
    reads,
    async read({ above, below, limit, order }) {
      const found = numbers.filter((number) => number > above && number < below);
      const rows = (order === 'ascending' ? found : found.reverse()).slice(0, limit);
      reads.statements += 1;
      reads.rows += rows.length;
      return rows;
    },
    count: async () => numbers.length,
    numberOf: (number) => number,
    toNode: (number) => number,
  };
}

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
const nodes = async (page: Connection<number>) => (await page.edges).map(({ node }) => node);

/** Everything a page says, with its numbers instead of its cursors. */
async function show(list: Listing<number, number>, args: PageArgs) {
  const page = connection(list, args);
  const { hasNextPage, hasPreviousPage } = await page.pageInfo;
  return { nodes: await nodes(page), next: hasNextPage, previous: hasPreviousPage };
}

async function cursorAt(list: Listing<number, number>, number: number): Promise<string> {
  const edge = (await connection(list, { first: 200 }).edges).find(({ node }) => node === number);
  if (edge === undefined) throw new Error(`${number} is not on the first page`);
  return edge.cursor;
}

describe('a page', () => {
  const five = listing(upTo(5));

  it('is refused below 0 and above 200 with the maximum named (cases 41, 43)', () => {
    expect(() => connection(five, { first: -1 })).toThrow('first: expected a number from 0 to 200, got -1.');
    expect(() => connection(five, { last: 201 })).toThrow('200');
    expect(() => connection(five, { first: 2147483647 })).toThrow('200');
  });

  it('is refused from both ends at once (case 44)', () => {
    expect(() => connection(five, { first: 1, last: 1 })).toThrow('Expected first or last, got both.');
  });

  it('of nothing has true flags and null cursors (case 42)', async () => {
    expect(await show(five, { first: 0 })).toEqual({ nodes: [], next: true, previous: false });
    expect(await show(five, { last: 0 })).toEqual({ nodes: [], next: false, previous: true });
    const { startCursor, endCursor } = await connection(five, { first: 0 }).pageInfo;
    expect([startCursor, endCursor]).toEqual([null, null]);
  });

  it('lies between its cursors (case 45)', async () => {
    const args = { after: await cursorAt(five, 2), before: await cursorAt(five, 5) };
    expect(await show(five, { ...args, first: 10 })).toEqual({ nodes: [3, 4], next: true, previous: true });
    expect(await show(five, { ...args, last: 10 })).toEqual({ nodes: [3, 4], next: true, previous: true });
  });

  it('in the middle has both neighbours (case 46)', async () => {
    const args = { first: 2, after: await cursorAt(five, 2) };
    expect(await show(five, args)).toEqual({ nodes: [3, 4], next: true, previous: true });
  });

  it('behind the last and before the first knows where it is (cases 47, 48)', async () => {
    const after = { after: await cursorAt(five, 5) };
    const before = { before: await cursorAt(five, 1) };
    const end = { nodes: [], next: false, previous: true };
    const start = { nodes: [], next: true, previous: false };
    for (const size of [{}, { first: 3 }, { last: 3 }, { first: 0 }]) {
      expect(await show(five, { ...after, ...size })).toEqual(end);
    }
    for (const size of [{}, { first: 3 }, { last: 3 }, { last: 0 }]) {
      expect(await show(five, { ...before, ...size })).toEqual(start);
    }
  });

  it('counts the entry of its own cursor as a neighbour', async () => {
    const one = listing([1]);
    const args = { after: await cursorAt(one, 1) };
    expect(await show(one, args)).toEqual({ nodes: [], next: false, previous: true });
    expect(await show(one, { before: args.after })).toEqual({ nodes: [], next: true, previous: false });
  });

  it('is the first 50, with before alone the last 50, and the newest 50 where the list says so', async () => {
    const many = listing(upTo(120));
    const newest = listing(upTo(120), { newestByDefault: true });
    const before = await cursorAt(many, 100);
    expect(await nodes(connection(many, { first: null, after: null }))).toEqual(upTo(50));
    expect(await nodes(connection(many, { before }))).toEqual(upTo(99).slice(49));
    expect(await nodes(connection(newest, {}))).toEqual(upTo(120).slice(70));
    expect((await nodes(connection(newest, { after: await cursorAt(newest, 10) }))).at(0)).toBe(11);
  });

  it('reads no row for a total of a dense list (case 52)', async () => {
    const list = listing(upTo(9));
    expect(await connection(list, {}).totalCount).toBe(9);
    expect(list.reads).toEqual({ rows: 0, statements: 0 });
  });

  it('reads its rows once, whatever is selected of it', async () => {
    const list = listing(upTo(9));
    const page = connection(list, { first: 3 });
    await Promise.all([page.edges, page.pageInfo, page.checkpoint, page.edges]);
    expect(list.reads).toEqual({ rows: 4, statements: 1 });
  });

  it('carries a checkpoint: its end while there is more, else the head', async () => {
    const sparse = listing([2, 4, 6]);
    const checkpoint = (args: PageArgs) => connection(sparse, args).checkpoint;
    expect(await checkpoint({ first: 2 })).toBe(await cursorAt(sparse, 4));
    expect(await checkpoint({ first: 3 })).toBe(await cursorAt(sparse, 6));
    expect(await checkpoint({ first: 0, after: await cursorAt(sparse, 4) })).toBe(await cursorAt(sparse, 4));
  });
});

describe('walking', () => {
  const lists = fc
    .tuple(fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { maxLength: 60 }), fc.boolean())
    .map(([numbers, descending]) => ({
      numbers: numbers.sort((a, b) => a - b),
      order: descending ? ('descending' as const) : ('ascending' as const),
    }));

  it('forwards and backwards gives every entry once, with true flags on every page (case 53)', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 9 }), async ({ numbers, order }, size) => {
        const list = listing(numbers, { order, dense: false });
        const inOrder = order === 'ascending' ? numbers : numbers.toReversed();
        const forwards = await walk(list, inOrder, size, 'forwards');
        const backwards = await walk(list, inOrder, size, 'backwards');
        expect(forwards).toEqual(inOrder);
        expect(backwards.toReversed()).toEqual(inOrder);
      }),
    );
  });
});

/** Entries in the order they were met; checks each page's flags against the whole list. */
async function walk(
  list: Listing<number, number>,
  inOrder: readonly number[],
  size: number,
  direction: 'forwards' | 'backwards',
): Promise<number[]> {
  const met: number[] = [];
  let cursor: string | null = null;
  do {
    const args: PageArgs =
      direction === 'forwards' ? { first: size, after: cursor } : { last: size, before: cursor };
    const page = connection(list, args);
    const entries = await nodes(page);
    const info = await page.pageInfo;
    expect(info.hasPreviousPage).toBe(entries.length > 0 && entries[0] !== inOrder[0]);
    expect(info.hasNextPage).toBe(entries.length > 0 && entries.at(-1) !== inOrder.at(-1));
    met.push(...(direction === 'forwards' ? entries : entries.toReversed()));
    const more: boolean = direction === 'forwards' ? info.hasNextPage : info.hasPreviousPage;
    cursor = more ? (direction === 'forwards' ? info.endCursor : info.startCursor) : null;
  } while (cursor !== null);
  return met;
}
