import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, setRole } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { Authority, announceAccess } from '../../src/accounts/authority.js';
import { createToken, revokeToken } from '../../src/accounts/tokens.js';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { countResources, expectReleased } from '../resources.js';
import { eventually } from '../subscriptions/eventually.js';

const SOON = 20;
const NEVER = 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const fail = (error: unknown): never => {
  throw error;
};

function watchOver(pace: number) {
  const bus = new InProcessBus(fail);
  const faults: string[] = [];
  const authority = new Authority(database, bus, {
    pace,
    onUse: () => {},
    onError: (_, doing) => void faults.push(doing),
  });
  return { authority, bus, faults };
}

async function issue(token: { ttlSeconds?: number } = {}) {
  const { id } = await createAccount(database, { name: 'Ada', organization: `Org ${Math.random()}` });
  const { secret, credential } = await createToken(database, { accountId: id, kind: 'PERSONAL', ...token });
  return { accountId: id, credentialId: credential.id, viewer: await authenticate(database, secret) };
}

const LOOK = /FROM credential c/;
const looks = async (work: () => Promise<unknown>) =>
  (await database.statementsOf(work)).filter((sql) => LOOK.test(sql)).length;

describe('authority', () => {
  it('tells all who watch a credential once that it has ended, and lets them go', async () => {
    const { authority, bus } = watchOver(SOON);
    const { viewer, credentialId } = await issue();
    const ended = [vi.fn(), vi.fn()];
    const releases = ended.map((told) => authority.watch(viewer, { ended: told }));
    expect([authority.size, bus.listeners]).toEqual([2, 1]);
    await revokeToken(database, { credentialId });
    await eventually(() => expect(ended.map(({ mock }) => mock.calls.length)).toEqual([1, 1]));
    expect(ended[0]?.mock.calls[0]?.[0]).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect([authority.size, bus.listeners]).toEqual([0, 0]);
    for (const release of releases) release();
    expect([authority.size, bus.listeners]).toEqual([0, 0]);
  });

  it('looks once for a hint that comes alone, and not again for those that follow at once', async () => {
    const { authority, bus } = watchOver(NEVER);
    const { viewer, credentialId } = await issue();
    const other = await issue();
    const ended = vi.fn();
    authority.watch(viewer, { ended });
    const release = authority.watch(other.viewer, { ended: fail });
    const count = await looks(async () => {
      await revokeToken(database, { credentialId });
      for (let hint = 0; hint < 50; hint++) announceAccess(bus);
      await eventually(() => expect(ended).toHaveBeenCalledOnce());
      for (let hint = 0; hint < 50; hint++) announceAccess(bus);
    });
    expect(count).toBe(1);
    release();
    expect([authority.size, bus.listeners]).toEqual([0, 0]);
  });

  it('ends what expires by one timer and no statement of its own', async () => {
    const { authority, bus } = watchOver(NEVER);
    const [short, long] = [await issue({ ttlSeconds: 1 }), await issue({ ttlSeconds: 3_600 })];
    const ended = vi.fn();
    authority.watch(short.viewer, { ended });
    const release = authority.watch(long.viewer, { ended: fail });
    const count = await looks(async () => {
      announceAccess(bus);
      await eventually(() => expect(ended).toHaveBeenCalledOnce());
    });
    expect(count).toBe(1);
    expect(ended.mock.calls[0]?.[0].message).toContain('expired');
    expect(authority.size).toBe(1);
    release();
  });

  it('tells of a role that has changed, each time, and goes on', async () => {
    const { authority, bus } = watchOver(SOON);
    const { viewer, accountId } = await issue();
    const roles: unknown[] = [];
    const release = authority.watch(viewer, { changed: ({ role }) => roles.push(role), ended: fail });
    for (const [index, role] of (['MEMBER', 'ADMIN'] as const).entries()) {
      await setRole(database, { accountId, role });
      await eventually(() => expect(roles).toHaveLength(index + 1));
    }
    expect(roles).toEqual(['MEMBER', 'ADMIN']);
    release();
    expect([authority.size, bus.listeners]).toEqual([0, 0]);
  });

  it('goes on when a look fails, and tries again', async () => {
    const { authority, faults } = watchOver(SOON);
    const { viewer, credentialId } = await issue();
    const ended = vi.fn();
    authority.watch(viewer, { ended });
    await database.withFaults(
      (sql) => (LOOK.test(sql) ? new Error('the database is away') : undefined),
      () => eventually(() => expect(faults.length).toBeGreaterThan(1)),
    );
    expect(ended).not.toHaveBeenCalled();
    await revokeToken(database, { credentialId });
    await eventually(() => expect(ended).toHaveBeenCalledOnce());
  });

  it('says who a credential speaks for now, or why for nobody', async () => {
    const { authority } = watchOver(NEVER);
    const { viewer, credentialId } = await issue();
    expect(await authority.viewerOf(credentialId)).toEqual(viewer);
    await revokeToken(database, { credentialId });
    await expect(authority.viewerOf(credentialId)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('has no timer, listener or statement while nothing is watched', async () => {
    const before = countResources();
    const { authority, bus } = watchOver(SOON);
    const { viewer } = await issue();
    authority.watch(viewer, { ended: fail })();
    expect([authority.size, bus.listeners]).toEqual([0, 0]);
    await expectReleased(before);
  });
});
