import { afterAll, beforeAll, expect, it } from 'vitest';
import { farewellOf, openEventStream, openReplica } from '../authority/house.js';
import { type House, openHouse } from '../events/house.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { run } from './command.js';

// As servers are: once a second each, and no bus between them and the command.
const PACE = 1_000;

let house: House;
beforeAll(async () => {
  house = await openHouse({ authorityPace: PACE });
});
afterAll(() => house.close());

it('a command on PostgreSQL ends what is open on every server (case 34)', async () => {
  const replica = await openReplica(house, PACE);
  const env = { DATABASE_URL: house.database.url ?? '' };
  const { accountId, createToken } = house.accounts.admin;
  const token = await createToken({ name: 'to be revoked' });
  const others = await house.newSession();
  const SESSION = 'subscription ($id: ID!) { sessionEvents(sessionId: $id) { caughtUp } }';
  const socket = await openRawSocket(replica.url, token);
  const streams = await Promise.all(
    [house.url, replica.url].flatMap((url) => [
      openEventStream(url, token, SESSION, { id: others }),
      openEventStream(url, house.tokens.admin, SESSION, { id: others }),
    ]),
  );
  const { credentials } = JSON.parse((await run(['token', 'list', '--account', accountId], env)).out);
  const { credentialId } = credentials.find(({ name }: { name: string }) => name === 'to be revoked');
  const revoked = await run(['token', 'revoke', '--credential', credentialId], env);
  expect([revoked.code, revoked.err]).toEqual([0, '']);
  await Promise.all([streams[0]?.ended, streams[2]?.ended]);
  expect(await socket.closed).toBe(4403);
  const moved = await run(['account', 'move', '--account', accountId], env);
  expect([moved.code, moved.err]).toEqual([0, '']);
  await Promise.all(streams.map(({ ended }) => ended));
  expect(streams.map(({ messages }) => farewellOf(messages).errors.map(({ code }) => code))).toEqual([
    ['UNAUTHENTICATED'],
    ['NOT_FOUND'],
    ['UNAUTHENTICATED'],
    ['NOT_FOUND'],
  ]);
  await replica.close();
});
