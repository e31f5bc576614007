import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.js';
import { FollowError } from '../../src/client/follow.js';
import { sessionCursor } from '../../src/events/listing.js';
import { activity, type House, openHouse } from '../events/house.js';
import { countResources, expectReleased } from '../resources.js';
import { type CuttingProxy, startCuttingProxy } from '../subscriptions/cutting-proxy.js';
import { eventually } from '../subscriptions/eventually.js';
import { failStatement } from '../subscriptions/held-statement.js';
import { named, SESSION_EVENTS } from '../subscriptions/streams.js';
import { followBy, TRANSPORTS, take } from './house.js';

let house: House;
let proxy: CuttingProxy;
/** Bytes until the next cut. */
let allowances: number[] = [];
beforeAll(async () => {
  house = await openHouse();
  proxy = await startCuttingProxy(house.url, () => allowances.pop() ?? Number.POSITIVE_INFINITY);
});
afterEach(() => eventually(() => expect([house.means.tails.size, house.watched()]).toEqual([0, 0])));
afterAll(async () => {
  await proxy.close();
  await house.close();
});

const failureOf = (work: Promise<unknown>): Promise<FollowError> =>
  work.then(
    () => expect.unreachable('It should have failed.'),
    (error) => {
      expect(error).toBeInstanceOf(FollowError);
      return error as FollowError;
    },
  );

/** A credential of the member's that can be revoked without a word, so that the next one who shows it is refused. */
async function newToken() {
  const { secret, credential } = await createToken(house.database, {
    kind: 'PERSONAL',
    accountId: house.accounts.member.accountId,
  });
  const revoke = () =>
    house.ask(
      'member',
      'mutation ($id: ID!) { revokeCredential(input: { credentialId: $id }) { __typename } }',
      {
        id: credential.id,
      },
    );
  return { secret, revoke };
}

describe.each(TRANSPORTS)('a client that follows by %s', (transport) => {
  const follow = (sessionId: string, more: Partial<Parameters<typeof followBy>[1]> = {}) =>
    followBy(transport, {
      url: house.url,
      token: house.tokens.member,
      ...more,
      variables: { sessionId, ...more.variables },
    });

  it('has each event once and in order, cut 40 times', async () => {
    const sessionId = await house.newSession();
    allowances = Array.from({ length: 40 }, (_, index) => 1 + ((index * 7_919) % 20_000));
    const { following } = follow(sessionId, { url: proxy.url });
    const seen = take(following, 4_000);
    for (let from = 1; from <= 4_000; from += 100) {
      await house.append(sessionId, named(from, from + 99).map(activity));
    }
    expect(await seen).toEqual(named(1, 4_000));
    // Whatever came twice would have come before this.
    await house.append(sessionId, [activity('last')]);
    expect(await take(following, 1)).toEqual(['last']);
    expect(allowances).toEqual([]);
    await following.return();
  });

  it('begins after a checkpoint, and has the one to go on from', async () => {
    const sessionId = await house.newSession(10);
    const begun = follow(sessionId, { variables: { after: sessionCursor(sessionId, 7) } }).following;
    expect(begun.checkpoint).toBe(sessionCursor(sessionId, 7));
    expect(await take(begun, 3)).toEqual(named(8, 10));
    const { checkpoint } = begun;
    expect(checkpoint).toBe(sessionCursor(sessionId, 10));
    await begun.return();
    await house.append(sessionId, [activity('e11')]);
    const resumed = follow(sessionId, { variables: { after: checkpoint } }).following;
    expect(await take(resumed, 1)).toEqual(['e11']);
    await resumed.return();
  });

  it('holds a bounded number of updates for a reader who is slow, who misses nothing', async () => {
    const sessionId = await house.newSession();
    const { following } = follow(sessionId, { buffer: 3 });
    await following.next();
    const executed = house.renderings.counts.made;
    const seen: string[] = [];
    for (let event = 1; event <= 50; event++) {
      await house.append(sessionId, [activity(`e${event}`)]);
      if (event % 10 === 0) seen.push(...(await take(following, 1)));
    }
    seen.push(...(await take(following, 50 - seen.length)));
    expect(seen).toEqual(named(1, 50));
    await house.append(sessionId, [activity('last')]);
    expect(await take(following, 1)).toEqual(['last']);
    if (transport === 'ws') expect(house.renderings.counts.made - executed).toBeLessThan(50);
    await following.return();
  });

  it('asks for another credential when its own has ended, and goes on', async () => {
    const sessionId = await house.newSession(2);
    const given: string[] = [];
    let current = await newToken();
    const token = async () => {
      given.push(current.secret);
      return current.secret;
    };
    const { following, waits } = follow(sessionId, { token });
    expect(await take(following, 2)).toEqual(named(1, 2));
    const ended = current;
    current = await newToken();
    await ended.revoke();
    await house.append(sessionId, [activity('e3')]);
    expect(await take(following, 1)).toEqual(['e3']);
    expect(given).toEqual([ended.secret, current.secret]);
    expect(waits()).toEqual(['UNAUTHENTICATED']);
    await following.return();
  });

  it('gives up when credential after credential is refused, or none is to be had', async () => {
    const sessionId = await house.newSession();
    let asked = 0;
    const refused = follow(sessionId, { token: () => `tdg_wrong_${++asked}` });
    expect(await failureOf(refused.following.next())).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(refused.waits()).toEqual(Array(3).fill('UNAUTHENTICATED'));
    expect(asked).toBe(4);
    expect(await refused.following.next()).toEqual({ done: true, value: undefined });
    const none = follow(sessionId, { token: () => Promise.reject(new Error('logged out')) });
    expect(await failureOf(none.following.next())).toMatchObject({
      code: 'NO_TOKEN',
      cause: new Error('logged out'),
    });
    expect(none.waits()).toHaveLength(3);
  });

  it.each([
    [
      'a cursor of another log',
      { after: sessionCursor('7c9e6679-7425-40de-944b-e07fc1f90ae7', 1) },
      'INVALID_CURSOR',
      'WRONG_LOG',
    ],
    [
      'a session that is not there',
      { sessionId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' },
      'NOT_FOUND',
      undefined,
    ],
    ['no kinds', { kinds: [] }, 'BAD_USER_INPUT', undefined],
    ['a variable of another type', { kinds: 7 }, 'BAD_USER_INPUT', undefined],
  ])('says once that it was refused: %s', async (_, variables, code, reason) => {
    const { following, states } = follow(await house.newSession(), { variables });
    const fault = await failureOf(following.next());
    expect([fault.code, fault.reason]).toEqual([code, reason]);
    expect(fault.message).not.toBe('');
    expect(states).toEqual([{ is: 'connecting' }, { is: 'ended', because: fault }]);
  });

  it('says once that the document does not fit, and that this is not for its credential', async () => {
    const document = 'subscription ($after: String) { sessionNews(after: $after) { checkpoint } }';
    const strange = follow(await house.newSession(), { query: document });
    expect((await failureOf(strange.following.next())).code).toBe('GRAPHQL_VALIDATION_FAILED');
    const foreign = 'subscription ($after: String) { conversationEntries(after: $after) { checkpoint } }';
    const forbidden = follow(await house.newSession(), { query: foreign });
    expect((await failureOf(forbidden.following.next())).code).toBe('FORBIDDEN');
  });

  it('tries again when an update could not be made in whole, and then gives it whole', async () => {
    const sessionId = await house.newSession(1);
    const query = SESSION_EVENTS.replace('checkpoint', 'checkpoint session { status }');
    const { following, waits } = follow(sessionId, { query });
    await take(following, 1);
    failStatement(house.database.pool, /FROM "public"."session"/);
    await house.append(sessionId, [activity('e2')]);
    expect(await take(following, 1)).toEqual(['e2']);
    expect(waits()).toEqual(['INTERNAL_SERVER_ERROR']);
    house.logged.splice(0);
    await following.return();
  });

  it('ends by its signal and by leaving the loop, whatever is pending, and leaves nothing behind', async () => {
    const sessionId = await house.newSession(1);
    const before = countResources();
    const controller = new AbortController();
    const aborted = follow(sessionId, { signal: controller.signal });
    await take(aborted.following, 1);
    const pending = aborted.following.next();
    controller.abort();
    expect(await pending).toEqual({ done: true, value: undefined });
    const left = follow(sessionId);
    for await (const { edges } of left.following) if (edges.length > 0) break;
    expect(left.states.map(({ is }) => is)).toEqual(['connecting', 'following', 'ended']);
    const unused = follow(sessionId, { signal: AbortSignal.abort() });
    expect(await unused.following.next()).toEqual({ done: true, value: undefined });
    // While it waits for a secret, and before it tries again.
    const waiting = follow(sessionId, { token: () => new Promise<string>(() => {}) });
    const never = waiting.following.next();
    await waiting.following.return();
    expect(await never).toEqual({ done: true, value: undefined });
    const nowhere = follow(sessionId, { url: 'http://127.0.0.1:9' });
    const none = nowhere.following.next();
    await eventually(() => expect(nowhere.waits().length).toBeGreaterThan(2));
    await nowhere.following.return();
    expect(await none).toEqual({ done: true, value: undefined });
    expect(new Set(nowhere.waits())).toEqual(new Set(['CONNECTION_LOST']));
    await eventually(() => expect(house.watched()).toBe(0));
    if (transport === 'ws') await expectReleased(before);
  });
});
