import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/actions.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
let admin: string;
let member: string;

beforeAll(async () => {
  database = await openTestDatabase();
  graph = graphOver(database);
});
afterAll(() => database.close());

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly title: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
  readonly totalCount: number;
}

async function page(args: string): Promise<Page> {
  const { sessions } = await graph.read(
    admin,
    `{ sessions(${args}) { edges { cursor node { title } } pageInfo { hasNextPage hasPreviousPage } totalCount } }`,
  );
  return sessions as Page;
}

const titles = ({ edges }: Page) => edges.map(({ node }) => node.title);

/** Walks to one end in pages of `size`; `between` runs after each page. */
async function walk(direction: 'first' | 'last', size: number, args = '', between = async () => {}) {
  const pages: Page[] = [];
  for (let cursor = ''; ; ) {
    const next = await page(`${direction}: ${size} ${cursor} ${args}`);
    pages.push(next);
    await between();
    const [more, edge] =
      direction === 'first'
        ? [next.pageInfo.hasNextPage, next.edges.at(-1)]
        : [next.pageInfo.hasPreviousPage, next.edges.at(0)];
    if (!more || edge === undefined) break;
    cursor = `${direction === 'first' ? 'after' : 'before'}: "${edge.cursor}"`;
  }
  return direction === 'first' ? pages.flatMap(titles) : pages.reverse().flatMap(titles);
}

const newest = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `${from + count - 1 - index}`);

beforeAll(async () => {
  const boss = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
  const other = await createAccount(database, { name: 'Mel', organization: 'Acme' });
  admin = await graph.token({ kind: 'PERSONAL', accountId: boss.id });
  member = await graph.token({ kind: 'PERSONAL', accountId: other.id });
  // Of two owners in turn, so that every page is merged from both of the admin's ranges.
  for (let index = 1; index <= 23; index++) {
    await graph.session(index % 3 === 0 ? admin : member, `${index}`);
  }
});

describe('pages of sessions', () => {
  it('walk the same list forward and backward', async () => {
    expect(await walk('first', 7)).toEqual(newest(23));
    expect(await walk('last', 7)).toEqual(newest(23));
    expect(await walk('first', 1)).toEqual(newest(23));
  });

  it('tell what lies on either side', async () => {
    const all = await page('first: 200');
    const cursor = (index: number) => all.edges[index]?.cursor;
    expect(all.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false });
    const middle = await page(`first: 3, after: "${cursor(4)}"`);
    expect(titles(middle)).toEqual(['18', '17', '16']);
    expect(middle.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true });
    const between = await page(`after: "${cursor(1)}", before: "${cursor(4)}"`);
    expect(titles(between)).toEqual(['21', '20']);
    const beyond = await page(`first: 3, after: "${cursor(22)}"`);
    expect(beyond).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    const none = await page('first: 0');
    expect(none).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
      totalCount: 23,
    });
  });

  it('keep to the statuses that are asked for, with their own total', async () => {
    const ids = await database.prisma.session.findMany({ where: { title: { in: ['4', '9', '15'] } } });
    const where = { id: { in: ids.map(({ id }) => id) } };
    await database.prisma.session.updateMany({ where, data: { status: 'FAILED' } });
    expect(await walk('first', 2, 'status: [FAILED]')).toEqual(['15', '9', '4']);
    expect(await walk('last', 2, 'status: [FAILED, PROCESSING]')).toEqual(['15', '9', '4']);
    expect((await page('status: FAILED')).totalCount).toBe(3);
    expect((await page('status: [PROCESSING]')).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
    });
    await database.prisma.session.updateMany({ where, data: { status: 'COMPLETED' } });
  });

  it('do not drift while sessions are created and change', async () => {
    let made = 23;
    const walked = await walk('first', 4, '', async () => {
      made += 1;
      await graph.session(made % 2 === 0 ? admin : member, `${made}`);
      await database.prisma.session.updateMany({ where: { title: '5' }, data: { updatedAt: new Date() } });
    });
    expect(made).toBeGreaterThan(23);
    expect(walked).toEqual(newest(23));
  });

  it('refuse a cursor of another list, and one from beyond the end', async () => {
    const { viewer } = await graph.read(admin, '{ viewer { credentials { edges { cursor } } } }');
    const foreign = (viewer as { credentials: { edges: { cursor: string }[] } }).credentials.edges[0]?.cursor;
    const refused = await graph.ask(admin, `{ sessions(after: "${foreign}") { totalCount } }`);
    expect(refused.errors).toMatchObject([
      { code: 'INVALID_CURSOR', message: expect.stringContaining('another') },
    ]);
    const { edges } = await page('first: 1');
    const after = `{ sessions(after: "${edges[0]?.cursor}") { totalCount } }`;
    expect((await graph.ask(member, after)).errors).toMatchObject([
      { code: 'INVALID_CURSOR', message: expect.stringContaining('another') },
    ]);
    // As after a backup was restored.
    await database.prisma.session.deleteMany({ where: { title: edges[0]?.node.title ?? '' } });
    expect((await graph.ask(admin, after)).errors).toMatchObject([
      { code: 'INVALID_CURSOR', message: expect.stringContaining('beyond') },
    ]);
    await graph.session(admin, 'last');
  });

  it('end at one head in one query, however often it is asked', async () => {
    const statements = await database.statementsOf(() =>
      graph.read(admin, '{ a: sessions(first: 1) { totalCount } b: sessions(last: 1) { nodes { title } } }'),
    );
    expect(statements.filter((sql) => sql.includes('SELECT number FROM'))).toHaveLength(1);
  });
});
