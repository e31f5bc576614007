import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillConversations } from '../../src/conversations/backfill.js';
import { projectConversation } from '../../src/conversations/projection.js';
import type { Database } from '../../src/database/database.js';
import { migrate, readMigrations } from '../../src/database/migrations.js';
import { appendEvents } from '../../src/events/append.js';
import { type EventInput, eventContent } from '../../src/events/content.js';
import { storedFields } from '../../src/events/payload.js';
import { registerProjection } from '../../src/events/projections.js';
import { openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { EVERY_KIND } from '../events/every-kind.js';

/** One event of each kind, then messages enough for several batches, which come again every hundredth time. */
const EVENTS: readonly EventInput[] = [
  ...EVERY_KIND.map((event) => ({ ...event, createdAt: event.createdAt ?? new Date(1_770_000_000_000) })),
  ...Array.from(
    { length: 1_200 },
    (_, index): EventInput => ({
      kind: 'agent_message',
      eventId: `e${index}`,
      createdAt: new Date(1_780_000_000_000 + index),
      messageId: `m${index % 100 === 0 ? 0 : index}`,
      text: `ΟΔΟΣ ﬁ ${index}<citations>r1</citations>`,
      citations: [],
      suggestedFollowUps: [],
    }),
  ),
];

let database: TestDatabase;
let seeded: Seeded;
let older: string[];
let live: string;
beforeAll(async () => {
  database = await openTestDatabase();
  older = await makeOlder(database);
  seeded = await openSeeded(database);
  registerProjection(database, projectConversation);
  live = await seeded.newSession();
  for (let from = 0; from < EVENTS.length; from += 100) await append(live, EVENTS.slice(from, from + 100));
}, 240_000);
afterAll(() => seeded.close());

const append = (sessionId: string, events: readonly EventInput[], into: Database = database) =>
  appendEvents({ ...seeded.as('service'), database: into }, sessionId, events);

/** Makes the database anew by the migrations before conversations, with sessions that have events, and migrates it. */
async function makeOlder({ pool }: TestDatabase): Promise<string[]> {
  const migrations = await readMigrations();
  await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await migrate(
    pool,
    migrations.filter(({ name }) => name < '20261202000000_conversations'),
  );
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  const owner = randomUUID();
  await pool.query(`INSERT INTO account (id, name, created_at) VALUES ($1, 'Old', now())`, [owner]);
  for (const id of ids) {
    const events = id === ids[1] ? [] : EVENTS;
    await pool.query(
      `INSERT INTO session (id, owner_id, created_at, updated_at, creation_hash, event_head) VALUES ($1, $2, now(), now(), '', $3)`,
      [id, owner, events.length],
    );
    const rows = events.map((input, index) => {
      const content = eventContent.parse(input);
      return {
        number: index + 1,
        event_id: content.eventId,
        created_at: content.createdAt ?? null,
        ...storedFields(content),
      };
    });
    await pool.query(
      `INSERT INTO event (session_id, number, event_id, kind, created_at, payload, content_hash, resource_id)
      SELECT $1, number, event_id, kind, created_at, payload::jsonb, '', "resourceId" FROM json_to_recordset($2) AS e
        (number int, event_id text, kind text, created_at timestamptz, payload text, "resourceId" text)`,
      [id, JSON.stringify(rows)],
    );
  }
  await migrate(pool, migrations);
  return ids;
}

/** Everything that is stored of a conversation. */
async function stored(sessionId: string) {
  const { rows: entries } = await database.pool.query(
    'SELECT number, type, key, event_number, position, created_at, folded FROM conversation_entry WHERE session_id = $1 ORDER BY number',
    [sessionId],
  );
  const { rows: changes } = await database.pool.query(
    'SELECT number, entry_number, type FROM conversation_change WHERE session_id = $1 ORDER BY number',
    [sessionId],
  );
  const { rows: heads } = await database.pool.query(
    'SELECT event_head, entry_head, change_head, projected_head FROM session WHERE id = $1',
    [sessionId],
  );
  return { entries, changes, heads };
}

/** The database, failing at the beginning of its nth transaction. */
function breakingAt(nth: number): Database {
  let begun = 0;
  const $transaction = (...args: Parameters<typeof database.prisma.$transaction>) => {
    begun += 1;
    if (begun === nth) throw new Error('Broken off.');
    return database.prisma.$transaction(...args);
  };
  const prisma = new Proxy(database.prisma, {
    get: (target, name) => (name === '$transaction' ? $transaction : Reflect.get(target, name)),
  });
  return { ...database, prisma };
}

describe('the conversations of events that were there before', () => {
  it('are written as they would have been, also by a start that goes on after one that broke off', async () => {
    await expect(backfillConversations(breakingAt(3))).rejects.toThrow('Broken off.');
    const [first = ''] = older;
    expect((await stored(first)).heads).toMatchObject([{ projected_head: 1_000 }]);
    await backfillConversations(database);
    const expected = await stored(live);
    expect(expected.entries.length).toBeGreaterThan(1_190);
    expect(expected.entries.at(-1)).toMatchObject({ folded: 'οδοσ fi 1199' });
    expect(await stored(first)).toEqual(expected);
    expect(await stored(older[2] ?? '')).toEqual(expected);
    expect(await stored(older[1] ?? '')).toMatchObject({
      entries: [],
      changes: [],
      heads: [{ projected_head: 0 }],
    });
  });

  it('take one statement to find complete', async () => {
    await backfillConversations(database);
    expect(await database.statementsOf(() => backfillConversations(database))).toHaveLength(1);
  });

  it('are caught up by the next append where an older gateway still writes', async () => {
    const sessionId = await seeded.newSession();
    // Another object, for which no projection is registered, over the same database.
    const olderGateway: Database = { ...database };
    await append(sessionId, EVENTS.slice(0, 400), olderGateway);
    await append(sessionId, EVENTS.slice(400, 800), olderGateway);
    expect((await stored(sessionId)).entries).toEqual([]);
    await append(sessionId, EVENTS.slice(800, 1_200));
    await append(sessionId, EVENTS.slice(1_200));
    expect(await stored(sessionId)).toEqual(await stored(live));
  });
});
