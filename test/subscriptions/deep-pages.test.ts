import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCursor } from '../../src/events/listing.js';
import { type House, openHouse } from '../events/house.js';
import { named } from './streams.js';

const EVENTS = 10_000;
const PAGE = 200;

let house: House;
let sessionId: string;
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession(EVENTS);
}, 120_000);
afterAll(() => house.close());

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly eventId: string } }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string;
    readonly endCursor: string;
  };
  readonly totalCount: number;
  readonly checkpoint: string;
}

const PAGES = `query ($sessionId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
  session(sessionId: $sessionId) {
    events(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { ... on SessionEventOccurrence { eventId } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount checkpoint
    }
  }
}`;

/** One page, and how many statements it took. */
async function page(variables: object) {
  let events: Page | undefined;
  const statements = await house.countStatements(async () => {
    const data = await house.ask<{ session: { events: Page } }>('member', PAGES, { sessionId, ...variables });
    events = data.session.events;
  });
  if (events === undefined) throw new Error('Expected a page.');
  return { ...events, statements };
}

describe(`a session of ${EVENTS} events, walked in pages of ${PAGE}`, () => {
  it.each(['forwards', 'backwards'])(
    '%s shows each event once, every page by as many statements',
    async (way) => {
      const forwards = way === 'forwards';
      const pages: Awaited<ReturnType<typeof page>>[] = [];
      let cursor: string | undefined;
      do {
        const next = await page(forwards ? { first: PAGE, after: cursor } : { last: PAGE, before: cursor });
        pages.push(next);
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = next.pageInfo;
        if (forwards) cursor = hasNextPage ? endCursor : undefined;
        else cursor = hasPreviousPage ? startCursor : undefined;
      } while (cursor);
      expect(pages).toHaveLength(EVENTS / PAGE);
      const ordered = forwards ? pages : pages.toReversed();
      expect(ordered.flatMap(({ edges }) => edges.map(({ node }) => node.eventId))).toEqual(named(1, EVENTS));
      // The credential, the session, the page: at whatever depth.
      expect(new Set(pages.map(({ statements }) => statements))).toEqual(new Set([3]));
      expect(new Set(pages.map(({ totalCount }) => totalCount))).toEqual(new Set([EVENTS]));
      // How far one has read, then where the log ends: both are where a subscription can go on.
      expect(ordered.map(({ checkpoint }) => checkpoint)).toEqual(
        ordered.map((_, index) => sessionCursor(sessionId, (index + 1) * PAGE)),
      );
    },
  );
});
