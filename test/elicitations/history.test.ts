import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveAccount } from '../../src/accounts/actions.js';
import { openRoom, present, type Room, type Who } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room?.close());

interface History {
  readonly items: readonly {
    readonly message: string;
    readonly status: string;
    readonly createdAt: string;
  }[];
  readonly page: number;
  readonly pageSize: number;
  readonly asOf: string;
  readonly total: number;
  readonly scope: string;
}

const HISTORY = `query ($scope: ElicitationScope, $page: Int, $pageSize: Int, $asOf: String) {
  elicitationHistory(scope: $scope, page: $page, pageSize: $pageSize, asOf: $asOf) {
    items { message status createdAt } page pageSize asOf total scope } }`;

async function history(who: Who, variables: object = {}): Promise<History> {
  const { elicitationHistory } = await room.execute<{ elicitationHistory: History }>(HISTORY, {
    token: room.tokens[who],
    variables: { ...variables },
  });
  return elicitationHistory;
}

const messages = ({ items }: History) => items.map(({ message }) => message);
const asked = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => `q${from - index}`);

/** Asks the loner n questions, from the first number on; gives when each was asked. */
async function ask(from: number, to: number): Promise<string[]> {
  const instants: string[] = [];
  for (let n = from; n <= to; n += 1) {
    instants.push((await room.ask({ message: `q${n}` }, 'loner')).createdAt);
  }
  return instants;
}

describe('the history of what one is asked', () => {
  let instants: string[] = [];
  beforeAll(async () => {
    expect(await history('loner')).toMatchObject({ items: [], total: 0, page: 1, pageSize: 25, scope: 'ME' });
    instants = await ask(1, 30);
  });

  it('is newest first, 25 to a page, and tells the total whatever the page', async () => {
    const first = await history('loner');
    expect(first).toMatchObject({ page: 1, pageSize: 25, total: 30, scope: 'ME' });
    expect(messages(first)).toEqual(asked(30, 6));
    expect(Date.parse(first.asOf)).toBeGreaterThanOrEqual(Date.parse(present(instants[29])));
    const second = await history('loner', { page: 2, asOf: first.asOf });
    expect(messages(second)).toEqual(asked(5, 1));
    expect(second).toMatchObject({ page: 2, total: 30, asOf: first.asOf });
  });

  it('is empty past the end, with the real total, as far as numbers go', async () => {
    expect(await history('loner', { page: 3 })).toMatchObject({ items: [], page: 3, total: 30 });
    const furthest = { page: 2 ** 31 - 1, pageSize: 100 };
    expect(await history('loner', furthest)).toMatchObject({ items: [], total: 30, ...furthest });
  });

  it.each([
    [{ page: 0 }, { page: 1, pageSize: 25 }, 25],
    [{ page: -7 }, { page: 1, pageSize: 25 }, 25],
    [{ pageSize: 0 }, { page: 1, pageSize: 1 }, 1],
    [{ pageSize: -1 }, { page: 1, pageSize: 1 }, 1],
    [{ pageSize: 101 }, { page: 1, pageSize: 100 }, 30],
    [{ pageSize: 2 ** 31 - 1, page: 2 }, { page: 2, pageSize: 100 }, 0],
    [{ page: null, pageSize: null, scope: null, asOf: null }, { page: 1, pageSize: 25, scope: 'ME' }, 25],
  ])('clamps %j and says so', async (args, echoed, items) => {
    const page = await history('loner', args);
    expect(page).toMatchObject({ ...echoed, total: 30 });
    expect(page.items).toHaveLength(items);
  });

  it('as of an instant has what was asked up to it, that instant included', async () => {
    const asOf = present(instants[9]);
    const page = await history('loner', { asOf, pageSize: 4 });
    expect(page).toMatchObject({ asOf, total: 10 });
    expect(messages(page)).toEqual(asked(10, 7));
    const before = new Date(Date.parse(asOf) - 1).toISOString();
    expect(await history('loner', { asOf: before })).toMatchObject({ asOf: before, total: 9 });
    expect(await history('loner', { asOf: '0001-01-01' })).toMatchObject({
      items: [],
      asOf: '0001-01-01T00:00:00.000Z',
      total: 0,
    });
  });

  it.each([
    ['2999-12-31', '2999-12-31T00:00:00.000Z'],
    ['2999-12-31T10:00', '2999-12-31T10:00:00.000Z'],
    ['2999-12-31T10:00:00.9999', '2999-12-31T10:00:00.999Z'],
    ['2999-12-31T10:00:00+02:00', '2999-12-31T08:00:00.000Z'],
  ])('reads asOf %s as %s', async (asOf, echoed) => {
    expect(await history('loner', { asOf })).toMatchObject({ asOf: echoed, total: 30 });
  });

  it.each([
    '',
    'now',
    '0',
    '1785000000000',
    '31.12.2999',
    'Thu, 01 Jan 2999',
    '2999-02-30',
    '2999-13-01',
    '+012999-01-01',
    '10000-01-01',
    '9999-12-31T23:59:59-14:00',
  ])('takes asOf %j as now', async (asOf) => {
    const page = await history('loner', { asOf });
    expect(page).toMatchObject({ total: 30 });
    const age = Date.now() - Date.parse(page.asOf);
    expect(Math.abs(age)).toBeLessThan(600_000);
  });

  it('of an instant still to come grows until that is reached', async () => {
    const asOf = '2999-12-31T00:00:00.000Z';
    const pinned = (await history('loner')).asOf;
    await ask(31, 31);
    expect(await history('loner', { asOf })).toMatchObject({ asOf, total: 31 });
    expect(await history('loner', { asOf: pinned })).toMatchObject({ asOf: pinned, total: 30 });
  });
});

describe('the history shows', () => {
  it('every status, as it is now, also past its time', async () => {
    const [a, r, e, c, taken] = await Promise.all(
      ['approved', 'rejected', 'expired', 'canceled', 'taken'].map((message) =>
        room.ask({ message, accountId: room.accounts.colleague.accountId }),
      ),
    );
    const id = (made: typeof a) => ({ elicitationId: present(made).elicitationId });
    await room.change('colleague', 'approveElicitation', id(a));
    await room.change('colleague', 'rejectElicitation', id(r));
    await room.change('service', 'cancelElicitation', id(c));
    await room.change('colleague', 'approveElicitation', id(taken));
    await room.change('service', 'consumeElicitation', id(taken));
    await room.database.prisma.$executeRaw`
      UPDATE elicitation SET expires_at = clock_timestamp() WHERE id = ${id(e).elicitationId}::uuid`;
    const { items } = await history('colleague');
    expect(Object.fromEntries(items.map(({ message, status }) => [message, status]))).toEqual({
      approved: 'APPROVED',
      rejected: 'REJECTED',
      expired: 'EXPIRED',
      canceled: 'CANCELED',
      taken: 'CONSUMED',
    });
    expect(await room.trail(id(e).elicitationId)).toEqual(['>PENDING', 'PENDING>EXPIRED']);
  });
});

describe('whose history', () => {
  let total = 0;
  beforeEach(async () => {
    await room.ask({ message: 'of the member' });
    total = (await history('admin', { scope: 'ORG' })).total;
  });

  it('ORG is all that was made in the organisation, for an admin and a runtime of it', async () => {
    const page = await history('admin', { scope: 'ORG' });
    expect(page).toMatchObject({ scope: 'ORG', total });
    expect(messages(page)[0]).toBe('of the member');
    expect(messages(await history('service', { scope: 'ORG' }))).toEqual(messages(page));
    expect((await history('admin')).total).toBe(0);
    expect((await history('stranger', { scope: 'ORG' })).total).toBe(0);
  });

  it('ME is what the account is asked, for itself, its runs that may read, and its runtime', async () => {
    const own = await history('member');
    expect(messages(own)[0]).toBe('of the member');
    expect(messages(await history('run'))).toEqual(messages(own));
    expect((await history('service')).total).toBe(0);
    expect((await history('lonerService')).total).toBe((await history('loner')).total);
  });

  it.each<[Who, object]>([
    ['member', { scope: 'ORG' }],
    ['run', { scope: 'ORG' }],
    ['loner', { scope: 'ORG' }],
    ['lonerService', { scope: 'ORG' }],
    ['blindRun', {}],
  ])('is refused to %s for %j, without data', async (who, variables) => {
    const { body } = await room.request(HISTORY, { token: room.tokens[who], variables: { ...variables } });
    expect(body.data).toEqual({ elicitationHistory: null });
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  });

  it('stays right in both organisations when a member moves', async () => {
    const mover = await room.organization.createAccount({ name: 'Mo' });
    const accountId = mover.accountId;
    const token = await mover.createToken();
    const theirs = { ...room.tokens, mover: token };
    const there = async (scope: 'ME' | 'ORG', token: string) =>
      (
        await room.execute<{ elicitationHistory: History }>(HISTORY, {
          token,
          variables: { scope, pageSize: 100 },
        })
      ).elicitationHistory;
    await room.ask({ message: 'before the move', accountId });
    const old = await history('admin', { scope: 'ORG', pageSize: 100 });
    await moveAccount(room.database, { accountId, organization: room.other.name });
    await room.ask({ message: 'after the move', accountId }, 'strangerService');

    expect(messages(await there('ME', theirs.mover))).toEqual(['after the move', 'before the move']);
    expect(messages(await history('stranger', { scope: 'ORG' }))).toEqual(['after the move']);
    const again = await history('admin', { scope: 'ORG', pageSize: 100, asOf: old.asOf });
    expect(again).toEqual(old);
    expect(messages(await history('admin', { scope: 'ORG' }))[0]).toBe('before the move');
  });
});

describe('what a page costs', () => {
  it('is the same statements for the first page and a deep one, with or without bodies of any size', async () => {
    const context = { text: 'x'.repeat(250_000) };
    for (let n = 0; n < 5; n += 1) await room.ask({ context, accountId: room.accounts.admin.accountId });
    const statements = (variables: object, document = HISTORY) =>
      room.database.statementsOf(() =>
        room.request(document, { token: room.tokens.admin, variables: { scope: 'ORG', ...variables } }),
      );
    const first = await statements({ pageSize: 1 });
    expect((await statements({ pageSize: 1, page: 4 })).length).toBe(first.length);
    expect(first.filter((sql) => /elicitation_body/.test(sql))).toEqual([]);
    const bodies = HISTORY.replace('message', 'message context requestedSchema formSubmission');
    const read = await statements({ pageSize: 5 }, bodies);
    expect(read.filter((sql) => /elicitation_body/.test(sql))).toHaveLength(1);
    expect(first.filter((sql) => /offset|count\(\*\)/i.test(sql))).toEqual([]);
  });
});
