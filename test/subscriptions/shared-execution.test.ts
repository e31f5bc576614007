import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../events/house.js';
import { follow, pull, pullTo, SESSION_EVENTS, type Stream } from './streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const event = (eventId: string) => ({
  activity: { eventId, activityId: eventId, status: 'STARTED', title: 'Work' },
});

/** How many updates were rendered while `work` was done. */
async function renderingsOf(work: () => Promise<unknown>): Promise<number> {
  const before = house.renderings.counts.made;
  await work();
  return house.renderings.counts.made - before;
}

describe('an update for many subscribers', () => {
  it('is executed once for those who have the same access, whatever their cursors and credentials (P6)', async () => {
    const sessionId = await house.newSession(3);
    const again = await house.accounts.member.createToken();
    const streams: Stream[] = [];
    for (let n = 0; n < 20; n++) streams.push(follow(house, { sessionId }));
    for (let n = 0; n < 10; n++) {
      streams.push(house.subscribe(SESSION_EVENTS, { token: again, variables: { sessionId } }) as Stream);
    }
    const admins = [follow(house, { sessionId }, 'admin'), follow(house, { sessionId }, 'admin')];
    const all = [...streams, ...admins];
    const begun = await Promise.all(all.map(pull));
    expect(new Set(begun.map(({ checkpoint }) => checkpoint)).size).toBe(1);
    const checkpoint = begun[0]?.checkpoint;
    // These came back, and stand where the others are now.
    const back = [0, 1, 2].map(() => follow(house, { sessionId, after: checkpoint }));
    await Promise.all(back.map(pull));

    for (let number = 4; number <= 8; number++) {
      const next = Promise.all([...all, ...back].map(pull));
      expect(
        await renderingsOf(async () => {
          await house.append(sessionId, [event(`n${number}`)]);
          for (const { edges } of await next)
            expect(edges.map(({ node }) => node?.eventId)).toEqual([`n${number}`]);
        }),
      ).toBe(2);
    }
    await Promise.all([...all, ...back].map((stream) => stream.return?.()));
  });

  it('is the same over WebSocket and as server-sent events, and executed once for both', async () => {
    const sessionId = await house.newSession(1);
    const client = createClient({
      url: `${house.url}/graphql`,
      headers: { authorization: `Bearer ${house.tokens.member}` },
      retryAttempts: 0,
    });
    const query = { query: SESSION_EVENTS, variables: { sessionId } };
    const streams = [follow(house, { sessionId }), client.iterate(query) as unknown as Stream];
    await Promise.all(streams.map((stream) => pullTo(stream, sessionId, 1)));
    const next = Promise.all(streams.map((stream) => stream.next()));
    expect(await renderingsOf(async () => [await house.append(sessionId, [event('n2')]), await next])).toBe(
      1,
    );
    const [first, second] = await next;
    expect(second).toEqual(first);
    client.dispose();
    await streams[0]?.return?.();
  });

  it('keeps apart what each may see', async () => {
    const sessionId = await house.newSession();
    const seen = SESSION_EVENTS.replace('checkpoint', 'session { owner { organization { id } } } checkpoint');
    const streams = (['member', 'admin', 'service'] as const).map(
      (who) => house.subscribe(seen, { token: house.tokens[who], variables: { sessionId } }) as Stream,
    );
    expect(await renderingsOf(() => Promise.all(streams.map(pull)))).toBe(3);
    await Promise.all(streams.map((stream) => stream.return?.()));
  });
});
