import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor, logTag } from '../../src/graphql/cursors.js';
import { sessionLogKey } from '../../src/sessions/topics.js';
import { activity, type House, openHouse } from './house.js';

let house: House;
let sessionId: string;
let cursors: readonly string[];
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession(5);
  const { edges } = await page({});
  cursors = edges.map(({ cursor }) => cursor);
});
afterAll(() => house.close());

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly eventId: string } }[];
  readonly nodes: readonly { readonly eventId: string }[];
  readonly pageInfo: object;
  readonly totalCount: number;
  readonly checkpoint: string;
}

const PAGE = `query ($sessionId: ID!, $first: Int, $after: String, $last: Int, $before: String, $kinds: [SessionEventKind!]) {
  session(sessionId: $sessionId) {
    events(first: $first, after: $after, last: $last, before: $before, kinds: $kinds) {
      edges { cursor node { ... on SessionEventOccurrence { eventId } } }
      nodes { ... on SessionEventOccurrence { eventId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount checkpoint
    }
  }
}`;

const page = async (args: object): Promise<Page> =>
  (await house.ask<{ session: { events: Page } }>('member', PAGE, { sessionId, ...args })).session.events;
const refusal = (args: object) => house.refuse('member', PAGE, { sessionId, ...args });
const ids = ({ edges }: Page) => edges.map(({ node }) => node.eventId);
const cursor = (number: number) => cursors[number - 1];

describe('a page of events', () => {
  it('is all of them, oldest first, by default, and says where they end', async () => {
    const all = await page({});
    expect(ids(all)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5']);
    expect(all.nodes).toEqual(all.edges.map(({ node }) => node));
    expect(all).toMatchObject({
      totalCount: 5,
      checkpoint: cursor(5),
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: cursor(1), endCursor: cursor(5) },
    });
  });

  it('of 50 is the first 50, with `before` alone the last 50 before it', async () => {
    const long = await house.newSession(120);
    const first = await house.ask<{ session: { events: Page } }>('member', PAGE, { sessionId: long });
    expect(ids(first.session.events)).toEqual(Array.from({ length: 50 }, (_, index) => `e${index + 1}`));
    const before = first.session.events.edges.at(-1)?.cursor;
    const last = await house.ask<{ session: { events: Page } }>('member', PAGE, { sessionId: long, before });
    expect(ids(last.session.events)).toEqual(Array.from({ length: 49 }, (_, index) => `e${index + 1}`));
  });

  it.each([-1, 201, 2_147_483_647])(
    'of size %i is BAD_USER_INPUT that names the maximum (cases 41, 43)',
    async (size) => {
      for (const args of [{ first: size }, { last: size }]) {
        expect(await refusal(args)).toEqual([
          expect.objectContaining({
            code: 'BAD_USER_INPUT',
            maximum: 200,
            message: expect.stringContaining('200'),
          }),
        ]);
      }
    },
  );

  it('of size 0 has no edges, true flags and null cursors (case 42)', async () => {
    expect(await page({ first: 0, after: cursor(2) })).toEqual({
      edges: [],
      nodes: [],
      totalCount: 5,
      pageInfo: { hasNextPage: true, hasPreviousPage: true, startCursor: null, endCursor: null },
      checkpoint: cursor(2),
    });
    expect(await page({ first: 0 })).toMatchObject({
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
  });

  it('is counted from one end: first with last is BAD_USER_INPUT (case 44)', async () => {
    expect(await refusal({ first: 1, last: 1 })).toEqual([
      expect.objectContaining({ code: 'BAD_USER_INPUT' }),
    ]);
    expect(ids(await page({ first: null, last: 2, after: null }))).toEqual(['e4', 'e5']);
  });

  it('lies between after and before (case 45)', async () => {
    expect(ids(await page({ after: cursor(2), before: cursor(5) }))).toEqual(['e3', 'e4']);
    expect(ids(await page({ after: cursor(1), before: cursor(5), last: 2 }))).toEqual(['e3', 'e4']);
  });

  it('in the middle has a next and a previous one (case 46)', async () => {
    expect(await page({ first: 2, after: cursor(2) })).toMatchObject({
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
      checkpoint: cursor(4),
    });
  });

  it('after the last has only a previous one, before the first only a next one (cases 47, 48)', async () => {
    expect(await page({ after: cursor(5) })).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
      checkpoint: cursor(5),
    });
    expect(await page({ before: cursor(1) })).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
  });

  it('of which only totalCount is asked reads no row (case 52)', async () => {
    const document = 'query ($sessionId: ID!) { session(sessionId: $sessionId) { events { totalCount } } }';
    const statements = await house.database.statementsOf(async () => {
      expect(await house.ask('member', document, { sessionId })).toEqual({
        session: { events: { totalCount: 5 } },
      });
    });
    expect(statements.filter((sql) => /\bevent\b/.test(sql) && !/event_head/.test(sql))).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['of no letters', '💥'],
    ['nonsense in base64', Buffer.from('nonsense').toString('base64url')],
    ['a megabyte long', 'A'.repeat(1_000_000)],
  ])('refuses a cursor that is %s with one code (case 54)', async (_, bad) => {
    for (const args of [{ after: bad }, { before: bad }]) {
      expect(await refusal(args)).toEqual([
        expect.objectContaining({ code: 'INVALID_CURSOR', reason: 'MALFORMED', retry: 'WITHOUT_CURSOR' }),
      ]);
    }
  });

  it('refuses a cursor of another session, of another list, and one ahead of the end (case 7)', async () => {
    const other = await house.newSession();
    const { checkpoint } = await house.append(other, [activity('e1')]);
    const ofSources = encodeCursor(logTag(`sources:${sessionId}`), 1);
    const ahead = encodeCursor(logTag(sessionLogKey(sessionId)), 6);
    for (const [after, reason] of [
      [checkpoint, 'WRONG_LOG'],
      [ofSources, 'WRONG_LOG'],
      [ahead, 'AHEAD'],
    ]) {
      expect(await refusal({ after })).toEqual([
        expect.objectContaining({ code: 'INVALID_CURSOR', reason, retry: 'WITHOUT_CURSOR' }),
      ]);
    }
  });

  it('refuses an empty list of kinds', async () => {
    expect(await refusal({ kinds: [] })).toEqual([expect.objectContaining({ code: 'BAD_USER_INPUT' })]);
  });
});
