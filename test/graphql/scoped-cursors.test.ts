import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../events/house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await house.newSession();
  await house.newSession();
});
afterAll(() => house.close());

type Who = Parameters<House['ask']>[0];

const LISTS = {
  sessions: 'query ($after: String) { list: sessions(first: 1, after: $after) { edges { cursor } } }',
  credentials:
    'query ($after: String) { viewer { list: credentials(first: 1, after: $after) { edges { cursor } } } }',
} as const;

const firstOf = async (who: Who, list: keyof typeof LISTS): Promise<string> =>
  /"cursor":"([^"]+)"/.exec(JSON.stringify(await house.ask(who, LISTS[list])))?.[1] ?? '';

const refusals = (who: Who, list: keyof typeof LISTS, after: string) =>
  house.refuse(who, LISTS[list], { after });

describe('a cursor of a list that belongs to somebody', () => {
  it.each(['sessions', 'credentials'] as const)('is refused in the list of another: %s', async (list) => {
    const cursor = await firstOf('member', list);
    expect(await refusals('member', list, cursor)).toEqual([]);
    for (const other of ['stranger', 'admin', 'service'] as const) {
      expect(await refusals(other, list, cursor)).toMatchObject([
        { code: 'INVALID_CURSOR', reason: 'WRONG_LOG', retry: 'WITHOUT_CURSOR' },
      ]);
    }
  });

  it('is refused in another list of the same', async () => {
    const cursor = await firstOf('member', 'credentials');
    expect(await refusals('member', 'sessions', cursor)).toMatchObject([{ reason: 'WRONG_LOG' }]);
  });

  it('outlives the credential: whoever lists the same goes on from it', async () => {
    const cursor = await firstOf('member', 'sessions');
    const renewed = await house.accounts.member.createToken();
    const document = LISTS.sessions;
    const { body } = await house.request(document, { token: renewed, variables: { after: cursor } });
    expect(body.errors).toBeUndefined();
  });
});
