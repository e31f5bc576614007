import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { LastUses } from '../../src/accounts/last-uses.js';
import { createToken } from '../../src/accounts/tokens.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { startTestGateway } from '../gateway.js';
import { countResources, expectReleased } from '../resources.js';

let database: TestDatabase;
let faults: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const open = (pace = 3_600_000) => {
  faults = [];
  return new LastUses(database, { pace, onError: (error, doing) => void faults.push(`${doing}: ${error}`) });
};

const seed = async (count: number) => {
  const { id } = await createAccount(database, { name: 'Ada' });
  return Promise.all(
    Array.from({ length: count }, () => createToken(database, { accountId: id, kind: 'PERSONAL' })),
  );
};

const usedAt = async (credentialId: string) =>
  (await database.prisma.credential.findUniqueOrThrow({ where: { id: credentialId } })).lastUsedAt;

describe('the last use of a credential', () => {
  it('is noted at most once a minute, and never while a request waits', async () => {
    const [issued] = await seed(1);
    if (issued === undefined) throw new Error('Expected a credential.');
    const use = async () => {
      const uses = open();
      const asked = await database.statementsOf(() =>
        authenticate(database, issued.secret, (id) => uses.note(id)),
      );
      const noted = await database.statementsOf(() => uses.close());
      return [asked.length, noted.length];
    };
    expect(await use()).toEqual([1, 1]);
    const first = await usedAt(issued.credential.id);
    expect(first).not.toBeNull();
    expect(await use()).toEqual([1, 0]);
    await database.prisma.$executeRaw`
      UPDATE credential SET last_used_at = last_used_at - interval '61 seconds'
      WHERE id = ${issued.credential.id}::uuid`;
    expect(await use()).toEqual([1, 1]);
    expect((await usedAt(issued.credential.id))?.getTime()).toBeGreaterThanOrEqual(
      first?.getTime() ?? Infinity,
    );
  });

  it('is noted for all that were used meanwhile in one statement', async () => {
    const uses = open();
    const issued = await seed(20);
    for (let round = 0; round < 5; round++) {
      for (const { credential } of issued) uses.note(credential.id);
    }
    const statements = await database.statementsOf(() => uses.close());
    expect(statements).toHaveLength(1);
    for (const { credential } of issued) expect(await usedAt(credential.id)).not.toBeNull();
  });

  it('is of no consequence when it cannot be written', async () => {
    const uses = open();
    const [issued] = await seed(1);
    uses.note(issued?.credential.id ?? '');
    await database.withFaults(
      () => new Error('the disk is full'),
      () => uses.close(),
    );
    expect(faults).toHaveLength(1);
  });

  it('leaves no timer', async () => {
    const before = countResources();
    const uses = open();
    expect(countResources()).toEqual(before);
    uses.note('00000000-0000-4000-8000-000000000000');
    expect(countResources()).not.toEqual(before);
    await uses.close();
    await expectReleased(before);
  });

  it('shows a while after a request, without another statement in it', async () => {
    const gateway = await startTestGateway({ lastUsePace: 1 });
    try {
      const account = await gateway.createAccount();
      const token = await account.createToken();
      const asked = () =>
        gateway.execute<{ viewer: { credential: { lastUsedAt: string | null } } }>(
          '{ viewer { credential { lastUsedAt } } }',
          { token },
        );
      let lastUsedAt: string | null = null;
      while (lastUsedAt === null) ({ lastUsedAt } = (await asked()).viewer.credential);
      expect(lastUsedAt).toMatch(/Z$/);
    } finally {
      await gateway.close();
    }
  });
});
