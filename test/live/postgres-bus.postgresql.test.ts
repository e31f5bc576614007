import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { POSTGRES_MAX_BYTES, postgresWire } from '../../src/live/postgres-wire.js';
import { createPostgres } from '../database.js';
import { countResources, expectReleased } from '../resources.js';
import { busFaultSuite } from './bus-fault-suite.js';
import { busSuite } from './bus-suite.js';
import { openRemoteEnds } from './remote-ends.js';

let database: Awaited<ReturnType<typeof createPostgres>>;
beforeAll(async () => {
  database = await createPostgres();
});
afterAll(() => database.drop());

const open = () => openRemoteEnds(postgresWire(database.url), POSTGRES_MAX_BYTES);

busSuite("PostgreSQL's bus", open);
busFaultSuite("PostgreSQL's bus", open);

it('sends a burst with few statements, over a connection of its own, and leaves nothing open', async () => {
  const before = countResources();
  const ends = await open();
  const statements = vi.spyOn(Client.prototype, 'query');
  const heard = new Set<string>();
  ends.subscriber.subscribe('account:1', ({ log }) => heard.add(log));
  // Twice as many hints as one NOTIFY carries.
  for (let round = 0; round < 500; round++) {
    ends.publisher.publish({ topics: ['account:1'], log: `session:${round}`, head: round });
  }
  await vi.waitFor(() => expect(heard.size).toBe(500), { timeout: 30_000 });
  expect(statements.mock.calls.length).toBeLessThanOrEqual(3);
  statements.mockRestore();
  await ends.close();
  await expectReleased(before);
});
