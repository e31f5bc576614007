import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/accounts/operation.js';
import type { Database } from '../../src/database/database.js';
import {
  countOfKinds,
  type EventStretch,
  findUnknownKinds,
  readStretches,
} from '../../src/events/page-store.js';
import { findBy, findLatest } from '../../src/events/store.js';
import { openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { met, type Plan, planOf, scansOf } from '../explained.js';

const EVENTS = 10_000;
/** Every third event is a snapshot of one message; two are errors, far apart; the rest are activities. */
const ERRORS = [9, 9_990];
/** Bytes; more than all events have. */
const PLENTY = 1e9;

let database: TestDatabase;
let seeded: Seeded;
let sessionId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  seeded = await openSeeded(database);
  sessionId = await seeded.newSession();
  // Written across many sessions at once, so that a session's rows lie apart.
  const others = await Promise.all(Array.from({ length: 9 }, () => seeded.newSession()));
  await database.prisma.$executeRaw`
    INSERT INTO event (session_id, number, event_id, kind, created_at, payload, content_hash, resource_id)
    SELECT s.id, n, 'e' || n, CASE WHEN n = ANY(${ERRORS}::int[]) THEN 'error' WHEN n % 3 = 0 THEN 'agent_message' ELSE 'activity' END,
      now(), jsonb_build_object('text', repeat('x', 500)), '', CASE WHEN n % 3 = 0 THEN 'm1' END
    FROM generate_series(1, ${EVENTS}::int) n CROSS JOIN unnest(${[sessionId, ...others]}::uuid[]) s (id) ORDER BY n`;
}, 120_000);
afterAll(() => seeded.close());

/** How many entries of tables and indexes the one statement of a read met. */
const costOf = async (read: (explained: Database) => Promise<unknown>): Promise<number> =>
  met(scansOf(await planOf(database, read)).filter(isNoHeap));
/** Its rows were met in the index already. */
const isNoHeap = (scan: Plan) => scan['Node Type'] !== 'Bitmap Heap Scan';

const stretch = (fields: Partial<EventStretch>): EventStretch => ({
  sessionId,
  above: 0,
  below: EVENTS + 1,
  limit: 201,
  order: 'ascending',
  ...fields,
});
const pageCost = (...stretches: Partial<EventStretch>[]) =>
  costOf((explained) => readStretches(explained, stretches.map(stretch), PLENTY));

describe.each(['as PostgreSQL knows nothing of it yet', 'analysed'])(
  'a session of 10,000 events, %s',
  (state) => {
    beforeAll(async () => {
      if (state === 'analysed') await database.prisma.$executeRaw`ANALYZE event`;
    });

    it.each(['ascending', 'descending'] as const)(
      'is read %s in pages that meet what they show, at any depth',
      async (order) => {
        for (const above of [0, 5_000, EVENTS - 201]) {
          expect(await pageCost({ above, order })).toBe(201);
          expect(await pageCost({ below: above + 202, order })).toBe(201);
        }
      },
    );

    it('meets no more of it when narrowed to kinds, however rare they are', async () => {
      expect(await pageCost({ kinds: ['error', 'question'] })).toBeLessThanOrEqual(2 * ERRORS.length);
      expect(await pageCost({ kinds: ['agent_message'], limit: 51 })).toBeLessThanOrEqual(2 * 51);
      expect(
        await pageCost({ kinds: ['agent_message', 'activity', 'error'], limit: 51, order: 'descending' }),
      ).toBeLessThanOrEqual(3 * 51 + 2 * ERRORS.length);
      expect(await pageCost({ kinds: ['question'], limit: 1 })).toBe(0);
    });

    it('is one statement for the pages of many sessions', async () => {
      expect(
        await pageCost(...Array.from({ length: 50 }, (_, index) => ({ above: 100 * index, limit: 6 }))),
      ).toBe(300);
    });

    it('tells its unknown kinds by a look-up each', async () => {
      // Three kinds, each met once, and the end.
      expect(await costOf((explained) => findUnknownKinds(explained, [sessionId]))).toBeLessThanOrEqual(4);
    });

    it('counts some kinds without passing over the others', async () => {
      const session = { id: sessionId, eventHead: EVENTS };
      expect(await costOf((explained) => countOfKinds(explained, session, ['error', 'question']))).toBe(
        ERRORS.length,
      );
    });

    it('finds events by number, by eventId and the latest snapshot by one look-up each', async () => {
      const session = { id: sessionId, eventHead: EVENTS };
      const keys = (...values: string[]) => values.map((value) => ({ session, value }));
      const cost = (read: (operation: Operation) => Promise<unknown>) =>
        costOf((explained) => read({ ...seeded.as('owner'), database: explained }));
      expect(await cost((operation) => findBy(operation, 'number', keys('7', '9999')))).toBeLessThanOrEqual(
        2,
      );
      expect(
        await cost((operation) => findBy(operation, 'event_id', keys('e7', 'e9999'))),
      ).toBeLessThanOrEqual(2);
      expect(
        await cost((operation) => findLatest(operation, 'agent_message', keys('m1', 'm2'))),
      ).toBeLessThanOrEqual(1);
    });
  },
);

describe('a page of kinds', () => {
  it('holds what the kinds hold, in order', async () => {
    const read = async (fields: Partial<EventStretch>) =>
      (await readStretches(database, [stretch(fields)], PLENTY)).pages[0];
    const page = await read({ kinds: ['agent_message', 'error'], limit: 6 });
    expect(page?.map(({ number }) => number)).toEqual([3, 6, 9, 12, 15, 18]);
    const last = await read({ kinds: ['error'], order: 'descending' });
    expect(last?.map(({ number }) => number)).toEqual([...ERRORS].reverse());
  });
});
