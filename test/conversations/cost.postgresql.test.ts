import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  countOfTypes,
  readChanges,
  readEntries,
  type TypeFilter,
} from '../../src/conversations/page-store.js';
import { findIndexed, scanMessages } from '../../src/conversations/search-store.js';
import type { Database, Transaction } from '../../src/database/database.js';
import type { Prisma } from '../../src/generated/prisma/client.js';
import type { Stretch } from '../../src/graphql/connections.js';
import { openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { explainOf, met, type Plan, type PlanRow, planOf, scansOf } from '../explained.js';

/** Every tenth entry is a message, every thousandth a file, the others are tool calls. */
const ENTRIES = 10_000;

let database: TestDatabase;
let seeded: Seeded;
let sessionId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  seeded = await openSeeded(database);
  sessionId = await seeded.newSession();
  const others = await Promise.all(Array.from({ length: 4 }, () => seeded.newSession()));
  const { pool } = database;
  const sessions = [sessionId, ...others];
  await pool.query(
    `INSERT INTO event (session_id, number, event_id, kind, created_at, payload, content_hash)
    SELECT s.id, 1, 'e', 'activity', now(), '{}', '' FROM unnest($1::uuid[]) s (id)`,
    [sessions],
  );
  // Written across many sessions at once, so that a session's rows lie apart; each session has its own rare word, in one message.
  await pool.query(
    `INSERT INTO conversation_entry (session_id, number, type, key, event_number, position, folded)
    SELECT s.id, n, t.type, 'k' || n, 1, 0, CASE WHEN t.type = 'MESSAGE' THEN
      'the quick brown fox ' || CASE WHEN n = 5010 THEN 'xylophone ' || s.id ELSE '' END || repeat('jumps ', 20) || n END
    FROM generate_series(1, $2::int) n CROSS JOIN unnest($1::uuid[]) s (id)
    CROSS JOIN LATERAL (SELECT (CASE WHEN n % 1000 = 0 THEN 'ARTIFACT' WHEN n % 10 = 0 THEN 'MESSAGE' ELSE 'TOOL_CALL' END)::"ConversationEntryType" AS type) t
    ORDER BY n`,
    [sessions, ENTRIES],
  );
  await pool.query(
    `INSERT INTO conversation_change (session_id, number, entry_number, type)
    SELECT session_id, number, number, type FROM conversation_entry`,
  );
}, 120_000);
afterAll(() => seeded.close());

/** How many entries or changes a statement met; their events are looked up beside, one for each. */
const metOf = (plan: Plan): number =>
  met(scansOf(plan).filter((scan) => /conversation/.test(scan['Relation Name'] ?? '')));

const costOf = async (read: (explained: Database) => Promise<unknown>): Promise<number> =>
  metOf(await planOf(database, read));

/** A client whose transactions say what their one query by `Prisma.sql` met, before it runs. */
const explaining = (costs: number[]) => ({
  $transaction: (work: (tx: Transaction) => Promise<unknown>, options: object) =>
    database.prisma.$transaction(async (tx) => {
      const $queryRaw = async (query: Prisma.Sql | TemplateStringsArray, ...values: unknown[]) => {
        if (!('text' in query)) return tx.$queryRaw(query, ...values);
        const plans = await tx.$queryRawUnsafe<PlanRow[]>(explainOf(query.text), ...query.values);
        costs.push(...plans.map((row) => metOf(row['QUERY PLAN'][0].Plan)));
        return tx.$queryRaw(query);
      };
      const $executeRaw = tx.$executeRaw.bind(tx);
      return work({ $queryRaw, $executeRaw } as never);
    }, options),
});

const stretch = (fields: Partial<Stretch>): Stretch => ({
  above: 0,
  below: ENTRIES + 1,
  limit: 51,
  order: 'descending',
  ...fields,
});
const MESSAGE: TypeFilter = new Set(['MESSAGE']);

describe.each(['as PostgreSQL knows nothing of it yet', 'analysed'])(
  'a conversation of 10,000 entries, %s',
  (state) => {
    beforeAll(async () => {
      if (state === 'analysed') await database.pool.query('ANALYZE conversation_entry, conversation_change');
    });

    it.each([
      ['of all types', undefined, 51],
      ['of messages', MESSAGE, 51],
      ['of messages and files, which are merged', new Set(['MESSAGE', 'ARTIFACT']) as TypeFilter, 102],
    ] as const)('is read in pages %s that meet what they show, at any depth', async (_, types, most) => {
      for (const below of [ENTRIES + 1, ENTRIES / 2, 1_000]) {
        const cost = await costOf((explained) =>
          readEntries(explained, sessionId, stretch({ below }), types, 1e9),
        );
        expect(cost).toBeGreaterThanOrEqual(51);
        expect(cost).toBeLessThanOrEqual(most);
      }
    });

    it('has changes that are read so too, each with its entry', async () => {
      for (const above of [0, ENTRIES / 2]) {
        for (const types of [undefined, MESSAGE]) {
          const range = stretch({ above, order: 'ascending', limit: 50 });
          expect(await costOf((explained) => readChanges(explained, sessionId, range, types, 1e9))).toBe(100);
        }
      }
    });

    it('counts some types in the index, and looks no further for a text than it was told to', async () => {
      const row = { id: sessionId, entryHead: ENTRIES, changeHead: ENTRIES };
      expect(await costOf((explained) => countOfTypes(explained, row, new Set(['ARTIFACT'])))).toBe(10);
      for (const below of [ENTRIES + 1, 5_000]) {
        expect(
          await costOf((explained) =>
            scanMessages(explained, sessionId, stretch({ below, limit: 100 }), 'nowhere'),
          ),
        ).toBe(100);
      }
    });

    it('finds a rare text by the index of trigrams, whatever other conversations have of it', async () => {
      const bounds = { above: 0, below: ENTRIES + 1, limit: 10, timeoutMs: 5_000 };
      const find = async (text: string) => {
        const costs: number[] = [];
        const explained = { ...database, prisma: explaining(costs) as never };
        const found = await findIndexed(explained, sessionId, bounds, { folded: text, word: text });
        return { found, cost: costs[0] };
      };
      // Five conversations have it, one of them is met.
      expect(await find('xylophone')).toEqual({ found: [5_010], cost: 1 });
      expect(await find('nowhere at all')).toEqual({ found: [], cost: 0 });
      expect(await find('quick brown')).toMatchObject({ found: null });
    });

    it('asks no index for a text without trigrams', async () => {
      const bounds = { above: 0, below: ENTRIES + 1, limit: 10, timeoutMs: 5_000 };
      expect(await findIndexed(database, sessionId, bounds, { folded: '%%%', word: '%%%' })).toBeNull();
    });
  },
);
