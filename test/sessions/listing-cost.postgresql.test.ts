import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/actions.js';
import type { Operation } from '../../src/accounts/operation.js';
import { listSessions, readListHead } from '../../src/sessions/store.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { met, planOf, scansOf } from '../explained.js';
import { graphOver } from '../graph.js';

const SESSIONS = 100_000;
const EARLIER = 100;
const LAST = EARLIER + 2 * SESSIONS;

let database: TestDatabase;
let operation: Operation;
let earlier: Operation;

/** An organisation of 100,000 sessions, a tenth of them its admin's own, among as many of others; before them
 * all, 100 of somebody who made none since. */
beforeAll(async () => {
  database = await openTestDatabase();
  const graph = graphOver(database);
  const admin = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
  const member = await createAccount(database, { name: 'Mel', organization: 'Acme' });
  const stranger = await createAccount(database, { name: 'Sam', organization: 'Other' });
  operation = await graph.operationOf(await graph.token({ kind: 'PERSONAL', accountId: admin.id }));
  const loner = await createAccount(database, { name: 'Lou' });
  earlier = await graph.operationOf(await graph.token({ kind: 'PERSONAL', accountId: loner.id }));
  await database.prisma.$executeRaw`
    INSERT INTO session (id, owner_id, created_at, updated_at, creation_hash)
    SELECT gen_random_uuid(), ${loner.id}::uuid, now(), now(), '' FROM generate_series(1, ${EARLIER}::int)`;
  await database.prisma.$executeRaw`
    INSERT INTO session (id, owner_id, organization_id, created_at, updated_at, creation_hash)
    SELECT gen_random_uuid(),
      CASE WHEN n % 2 = 0 THEN ${stranger.id} WHEN n % 20 = 1 THEN ${admin.id} ELSE ${member.id} END::uuid,
      CASE WHEN n % 2 = 0 THEN ${stranger.organizationId} ELSE ${admin.organizationId} END::uuid,
      now(), now(), ''
    FROM generate_series(1, ${2 * SESSIONS}::int) AS n ORDER BY n`;
  await database.prisma.$executeRaw`ANALYZE session`;
}, 120_000);
afterAll(() => database.close());

/** The scans of a read, which is one statement. */
const scansFor = async (read: (operation: Operation) => Promise<unknown>) =>
  scansOf(await planOf(database, (explained) => read({ ...operation, database: explained })));

describe("an admin's page of sessions", () => {
  const pageAt = (below: number, order: 'ascending' | 'descending', viewer = operation.viewer) =>
    scansFor((explained) =>
      listSessions({ ...explained, viewer }, undefined, { above: 0, below, limit: 51, order }),
    );

  it.each([2 * SESSIONS + 1, SESSIONS, 1_000])(
    'reads no more than a page from each of its ranges, below number %d',
    async (below) => {
      for (const order of ['descending', 'ascending'] as const) {
        const scans = await pageAt(below, order);
        expect(scans.map((scan) => scan['Node Type'])).toEqual(['Index Scan', 'Index Scan']);
        expect(met(scans)).toBeLessThanOrEqual(2 * 51);
      }
    },
  );

  it('passes over nobody else, even where others made all that is newer', async () => {
    for (const order of ['descending', 'ascending'] as const) {
      expect(met(await pageAt(LAST + 1, order, earlier.viewer))).toBeLessThanOrEqual(51);
    }
  });

  it('finds its end by one look-up a range', async () => {
    const scans = await scansFor((explained) => readListHead(explained));
    expect(met(scans)).toBeLessThanOrEqual(2);
  });

  it('holds what the whole list holds', async () => {
    const rows = await listSessions(operation, undefined, {
      above: 0,
      below: LAST + 1,
      limit: 51,
      order: 'descending',
    });
    const expected = Array.from({ length: 51 }, (_, index) => BigInt(LAST - 1 - 2 * index));
    expect(rows.map(({ number }) => number)).toEqual(expected);
  });
});
