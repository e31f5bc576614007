import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, setRole } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { LastUses } from '../../src/accounts/last-uses.js';
import { lockAccount } from '../../src/accounts/locks.js';
import { createToken } from '../../src/accounts/tokens.js';
import { transact } from '../../src/database/transact.js';
import { openTestDatabase, type TestDatabase } from '../database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const fail = (error: unknown): never => {
  throw error;
};

/** How many connections to this database wait for a lock. */
const waiting = async (): Promise<number> => {
  const [row] = await database.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
};

const someWait = (count: number) =>
  vi.waitFor(async () => expect(await waiting()).toBe(count), { timeout: 10_000 });

describe('accounts, with transactions side by side', () => {
  it('notes the use of other credentials while a transaction holds one of them', async () => {
    const { id } = await createAccount(database, { name: 'Ada' });
    const [held, free] = await Promise.all(
      ['held', 'free'].map((name) => createToken(database, { accountId: id, kind: 'PERSONAL', name })),
    );
    const usedAt = async (name: string) =>
      (await database.prisma.credential.findFirstOrThrow({ where: { accountId: id, name } })).lastUsedAt;
    await transact(database, async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM credential WHERE id = ${held?.credential.id}::uuid FOR UPDATE`;
      const uses = new LastUses(database, { pace: 3_600_000, onError: fail });
      for (const { secret } of [held, free].filter((issued) => issued !== undefined)) {
        await authenticate(database, secret, (credentialId) => uses.note(credentialId));
      }
      await uses.close();
    });
    expect(await usedAt('free')).not.toBeNull();
    expect(await usedAt('held')).toBeNull();
  });

  it('lets no SERVICE credential slip past a demotion that is under way', async () => {
    const ada = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
    const held: Promise<unknown>[] = [];
    await transact(database, async (tx) => {
      await lockAccount(tx, ada.id);
      held.push(createToken(database, { accountId: ada.id, kind: 'SERVICE' }));
      await someWait(1);
      held.push(setRole(database, { accountId: ada.id, role: 'MEMBER' }));
      await someWait(2);
    });
    await Promise.all(held);
    const alive = await database.prisma.credential.count({
      where: { accountId: ada.id, kind: 'SERVICE', revokedAt: null },
    });
    expect(alive).toBe(0);
  });

  it('makes an organisation once, of however many that ask for it at the same time', async () => {
    const accounts = await Promise.all(
      ['Ada', 'Bob', 'Cy', 'Di', 'Ed'].map((name) => createAccount(database, { name, organization: 'Rush' })),
    );
    expect(new Set(accounts.map(({ organizationId }) => organizationId)).size).toBe(1);
    expect(accounts.filter(({ role }) => role === 'ADMIN')).toHaveLength(1);
  });
});
