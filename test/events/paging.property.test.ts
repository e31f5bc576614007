import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendEvents } from '../../src/events/append.js';
import type { EventInput, EventKind } from '../../src/events/content.js';
import { eventListing, kindFilter } from '../../src/events/listing.js';
import { connection, type PageArgs } from '../../src/graphql/connections.js';
import { requireSession } from '../../src/sessions/loaders.js';
import { openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase } from '../database.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

/** Kinds as they are listed, each as an event that has it; unknown ones have several names. */
const KINDS = ['session_idle', 'session_paused', 'activity', 'unknown'] as const;
const eventOf = (kind: (typeof KINDS)[number], index: number): EventInput => {
  const eventId = `e${index}`;
  if (kind === 'activity') return { kind, eventId, activityId: 'a', status: 'STARTED', title: '' };
  if (kind === 'unknown') return { kind, eventId, rawKind: `kind_${index % 3}`, payload: index };
  return { kind, eventId };
};

const log = fc.array(fc.constantFrom(...KINDS), { minLength: 0, maxLength: 40 });
const filter = fc.option(
  fc.uniqueArray(fc.constantFrom<EventKind>(...KINDS, 'error'), { minLength: 1, maxLength: 4 }),
);
const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));

describe('walking a session in pages of any size, narrowed to any kinds', () => {
  it('forwards is the reverse of backwards, misses nothing and says where it is (cases 3, 53)', async () => {
    await fc.assert(
      fc.asyncProperty(log, filter, sizes, async (kinds, wanted, size) => {
        const sessionId = await sessionOf(kinds);
        const expected = kinds.flatMap((kind, index) =>
          wanted === null || wanted.includes(kind) ? [`e${index}`] : [],
        );
        const forward = await walk(sessionId, wanted, expected, (after) => ({ first: next(size), after }));
        const backward = await walk(sessionId, wanted, expected, (before) => ({ last: next(size), before }));
        expect(forward).toEqual(expected);
        expect(backward).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

const next = (sizes: Iterator<number>): number => sizes.next().value ?? 1;

async function sessionOf(kinds: readonly (typeof KINDS)[number][]): Promise<string> {
  const sessionId = await seeded.newSession();
  if (kinds.length > 0) await appendEvents(seeded.as('service'), sessionId, kinds.map(eventOf));
  return sessionId;
}

/** All eventIds in the log's order, read page by page from one end; checks what each page says of itself. */
async function walk(
  sessionId: string,
  kinds: readonly EventKind[] | null,
  expected: readonly string[],
  argsAt: (cursor: string | null) => PageArgs,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const args = argsAt(cursor);
    const backward = args.last !== undefined;
    const operation = seeded.as('service');
    const session = await requireSession(operation, sessionId);
    const page = connection(eventListing(operation, session, kindFilter(kinds)), args);
    const ids = (await page.edges).map(({ node }) => node.eventId);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = await page.pageInfo;
    expect(await page.totalCount).toBe(expected.length);
    found.splice(backward ? 0 : found.length, 0, ...ids);
    const left = expected.length - found.length;
    const seenBefore = found.length - ids.length;
    expect(backward ? hasPreviousPage : hasNextPage).toBe(left > 0);
    expect(backward ? hasNextPage : hasPreviousPage).toBe(seenBefore > 0);
    cursor = backward ? startCursor : endCursor;
    if (left <= 0 || ids.length === 0) return found;
  }
}
