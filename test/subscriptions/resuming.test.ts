import { createClient as createEventStreamClient } from 'graphql-sse';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { activity, type House, openHouse } from '../events/house.js';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.js';
import { eventually } from './eventually.js';
import { comeBack, followSession } from './resume-snippet.js';
import { eventIds, named, type Result, SESSION_EVENTS, type Update, updateOf } from './streams.js';

const CUTS = 50;

let house: House;
let proxy: CuttingProxy;
/** Bytes until the next cut; endless when there are no more to come. */
let allowance: () => number;
const clients: { dispose(): unknown }[] = [];
beforeAll(async () => {
  house = await openHouse();
  proxy = await startCuttingProxy(house.url, () => allowance());
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  expect(house.logged).toEqual([]);
});
afterAll(async () => {
  await proxy.close();
  await house.close();
});

/** As many cuts as are wanted, each after 1 to `bytes`; evenly spread, so that they fall anywhere in a frame. */
function cutSometimes(cuts: number, bytes: number): void {
  let left = cuts;
  allowance = () => {
    left -= 1;
    return left < 0 ? Number.POSITIVE_INFINITY : 1 + ((left * 7_919) % bytes);
  };
}

function connect(): Client {
  const client = createClient({
    ...comeBack(20),
    url: `${proxy.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${house.tokens.member}` },
  });
  clients.push(client);
  return client;
}

/** Appends e1 … in portions while somebody follows. */
async function appendWhileFollowed(sessionId: string, events: number, portion: number): Promise<void> {
  for (let from = 1; from <= events; from += portion) {
    await house.append(sessionId, named(from, Math.min(events, from + portion - 1)).map(activity));
  }
}

describe('a client whose connection is cut', () => {
  it('gets each of 10,000 events once and in order, cut 50 times, by the snippet of the page on following (case 1)', async () => {
    const sessionId = await house.newSession();
    cutSometimes(CUTS, 20_000);
    const before = proxy.cuts();
    const client = connect();
    const seen: (string | undefined)[] = [];
    const ended = followSession(client, sessionId, ({ edges }) => {
      seen.push(...edges.map(({ node }) => node?.eventId));
    });
    await appendWhileFollowed(sessionId, 10_000, 125);
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(10_000));
    // Whatever came twice would have come by now: one more event is the next thing that comes.
    await house.append(sessionId, [activity('e10001')]);
    await eventually(() => expect(seen.at(-1)).toBe('e10001'));
    expect(seen).toEqual(named(1, 10_001));
    expect(proxy.cuts() - before).toBe(CUTS);
    await Promise.all([client.dispose(), ended]);
  });

  it('gets each event of its kinds once and in order, whoever writes beside whom', async () => {
    const sessionId = await house.newSession();
    // Less in all than its events take in the largest updates, so that every cut is made however few those are.
    cutSometimes(10, 2_000);
    const before = proxy.cuts();
    const client = connect();
    const seen: Update[] = [];
    client.subscribe(
      {
        query: SESSION_EVENTS,
        variables: {
          sessionId,
          kinds: ['USER_MESSAGE', 'UNKNOWN'],
          get after() {
            return seen.at(-1)?.checkpoint;
          },
        },
      },
      { next: (result) => seen.push(updateOf(result as Result)), error: () => {}, complete: () => {} },
    );
    const writers = ['a', 'b', 'c'];
    const write = async (writer: string) => {
      for (let round = 0; round < 40; round++) {
        const name = (kind: string) => `${writer}-${kind}-${round}`;
        await house.append(sessionId, [
          activity(name('activity')),
          { userMessage: { eventId: name('message'), messageId: 'm', text: 'Yes?' } },
          { unknown: { eventId: name('unknown'), rawKind: `kind_${writer}_${round % 7}`, payload: {} } },
          { sessionIdle: { eventId: name('idle') } },
        ]);
      }
    };
    await Promise.all(writers.map(write));
    await eventually(() => expect(eventIds(seen).length).toBeGreaterThanOrEqual(writers.length * 40 * 2));
    await house.append(sessionId, [{ userMessage: { eventId: 'last', messageId: 'm', text: 'No?' } }]);
    await eventually(() => expect(eventIds(seen).at(-1)).toBe('last'));
    const written = await house.database.prisma.event.findMany({
      where: { sessionId, kind: { notIn: ['activity', 'session_idle'] } },
      orderBy: { number: 'asc' },
    });
    expect(eventIds(seen)).toEqual(written.map(({ eventId }) => eventId));
    expect(proxy.cuts() - before).toBe(10);
  });

  it('starts over when its variables are plain values: the client sends them again as they were', async () => {
    const sessionId = await house.newSession(10);
    cutSometimes(0, 1);
    const client = connect();
    const seen: Update[] = [];
    client.on('opened', (socket) => {
      if (seen.length > 0) return;
      const stop = client.on('message', (message) => {
        if (message.type !== 'next') return;
        stop();
        (socket as WebSocket).terminate();
      });
    });
    client.subscribe(
      { query: SESSION_EVENTS, variables: { sessionId } },
      { next: (result) => seen.push(updateOf(result as Result)), error: () => {}, complete: () => {} },
    );
    await eventually(() => expect(seen).toHaveLength(2));
    expect(eventIds(seen)).toEqual([...named(1, 10), ...named(1, 10)]);
  });

  it('gets each event once by event streams too', async () => {
    const sessionId = await house.newSession();
    cutSometimes(10, 10_000);
    const before = proxy.cuts();
    const client = createEventStreamClient({
      url: `${proxy.url}/graphql`,
      headers: { authorization: `Bearer ${house.tokens.member}` },
      retryAttempts: Number.POSITIVE_INFINITY,
      retry: () => Promise.resolve(),
    });
    clients.push(client);
    const seen: Update[] = [];
    client.subscribe<{ sessionEvents: Update }>(
      {
        query: SESSION_EVENTS,
        variables: {
          sessionId,
          get after() {
            return seen.at(-1)?.checkpoint;
          },
        },
      },
      { next: (result) => seen.push(updateOf(result)), error: () => {}, complete: () => {} },
    );
    await appendWhileFollowed(sessionId, 1_000, 20);
    await eventually(() => expect(eventIds(seen).length).toBeGreaterThanOrEqual(1_000));
    await house.append(sessionId, [activity('e1001')]);
    await eventually(() => expect(eventIds(seen).at(-1)).toBe('e1001'));
    expect(eventIds(seen)).toEqual(named(1, 1_001));
    expect(proxy.cuts() - before).toBe(10);
  });
});
