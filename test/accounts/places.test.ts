import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, moveAccount, setPlan, setRole } from '../../src/accounts/actions.js';
import { openTestDatabase, type TestDatabase } from '../database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('accounts and organisations', () => {
  it('makes an account without organisation', async () => {
    expect(await createAccount(database, { name: 'Ada' })).toMatchObject({
      name: 'Ada',
      organizationId: null,
      role: null,
      apiAccess: true,
    });
  });

  it('finds an organisation by its name or makes it, and its first account is its admin', async () => {
    const first = await createAccount(database, { name: 'Ada', organization: 'Acme' });
    const second = await createAccount(database, { name: 'Bob', organization: 'Acme' });
    const third = await createAccount(database, { name: 'Cy', organization: 'Acme', role: 'ADMIN' });
    expect([first.role, second.role, third.role]).toEqual(['ADMIN', 'MEMBER', 'ADMIN']);
    expect(new Set([first.organizationId, second.organizationId, third.organizationId]).size).toBe(1);
    expect(await database.prisma.organization.count({ where: { name: 'Acme' } })).toBe(1);
  });

  it('keeps names byte for byte', async () => {
    const names = ['acme', 'Acme ', ' 阿克梅 💥'];
    for (const organization of names) await createAccount(database, { name: organization, organization });
    const kept = await database.prisma.organization.findMany({ where: { name: { in: names } } });
    expect(kept.map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  it('moves an account, and moving to where it is changes nothing but the role', async () => {
    const { id } = await createAccount(database, { name: 'Ada', organization: 'From' });
    const moved = await moveAccount(database, { accountId: id, organization: 'To' });
    expect(moved.role).toBe('ADMIN');
    expect(await moveAccount(database, { accountId: id, organization: 'To' })).toEqual(moved);
    expect(await moveAccount(database, { accountId: id, organization: 'To', role: 'MEMBER' })).toEqual({
      ...moved,
      role: 'MEMBER',
    });
    expect(await moveAccount(database, { accountId: id })).toMatchObject({
      organizationId: null,
      role: null,
    });
  });

  it('changes a role within an organisation alone', async () => {
    const inside = await createAccount(database, { name: 'Ada', organization: 'Roles' });
    expect((await setRole(database, { accountId: inside.id, role: 'MEMBER' })).role).toBe('MEMBER');
    const outside = await createAccount(database, { name: 'Bob' });
    await expect(setRole(database, { accountId: outside.id, role: 'ADMIN' })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('Move it to one first'),
    });
  });

  it('says what is wrong with what an operator typed', async () => {
    const faults: [() => Promise<unknown>, string, RegExp][] = [
      [() => createAccount(database, { name: '' }), 'BAD_USER_INPUT', /^input\.name: expected some text/],
      [() => createAccount(database, { name: 'A\u0000' }), 'BAD_USER_INPUT', /U\+0000/],
      [
        () => createAccount(database, { name: 'A', role: 'ADMIN' }),
        'BAD_USER_INPUT',
        /^input\.role: .*organi[sz]ation/,
      ],
      [() => moveAccount(database, { accountId: 'ada' }), 'BAD_USER_INPUT', /^input\.accountId: .*UUID/],
      [() => moveAccount(database, { accountId: NOBODY }), 'NOT_FOUND', /00000000/],
      [() => setRole(database, { accountId: NOBODY, role: 'ADMIN' }), 'NOT_FOUND', /00000000/],
      [() => setPlan(database, { apiAccess: false }), 'BAD_USER_INPUT', /either accountId or organization/],
      [() => setPlan(database, { organization: 'Nowhere', apiAccess: false }), 'NOT_FOUND', /"Nowhere"/],
    ];
    for (const [action, code, message] of faults) {
      await expect(action()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    }
  });
});
