import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { activity, type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { openRawSocket } from './raw-socket.js';
import { memoryInUse, watchServerSockets } from './server-side.js';
import { eventIds, follow, pull, pullTo, SESSION_EVENTS } from './streams.js';

const MB = 1024 * 1024;

let house: House;
let sessionId: string;
let sockets: ReturnType<typeof watchServerSockets>;
beforeAll(async () => {
  sockets = watchServerSockets();
  house = await openHouse({ webSockets: { heartbeat: 1_500, slowest: 1024 * 1024 } });
  sessionId = await house.newSession(300);
});
afterEach(() => {
  expect(house.logged).toEqual([]);
});
afterAll(async () => {
  await house.close();
  vi.restoreAllMocks();
});

/** What a subscription holds on the server: a log that is followed, a listener on the bus. */
const held = () => ({ logs: house.means.tails.size, listeners: house.listeners(), sockets: sockets.size });
const NOTHING = { logs: 0, listeners: 0, sockets: 0 };
/** A socket alone: its credential is watched, by one listener for all. */
const SOCKET = { logs: 0, listeners: 1, sockets: 1 };

const connect = (): Client =>
  createClient({
    url: `${house.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    // Whoever waits is told; nobody else has to be.
    onNonLazyError: () => {},
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${house.tokens.member}` },
  });

/** Subscribes, and leaves after so many updates: after none, before the server can have answered. */
function subscribeFor(client: Client, updates: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = updates;
    const leave = client.subscribe(
      { query: SESSION_EVENTS, variables: { sessionId } },
      {
        next: () => {
          left -= 1;
          if (left === 0) leave();
        },
        error: reject,
        complete: resolve,
      },
    );
    // Once the request is out.
    if (updates === 0) setTimeout(leave, 1);
  });
}

describe('a subscription that is over', () => {
  it('leaves nothing behind, 1,000 times, left at any point (case 14)', async () => {
    const client = connect();
    const cycles = async (count: number) => {
      for (let cycle = 0; cycle < count; cycle += 10) {
        await Promise.all(Array.from({ length: 10 }, (_, index) => subscribeFor(client, index % 3)));
      }
    };
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await cycles(100);
    await eventually(() => expect(held()).toEqual(SOCKET));
    const before = { timers: timers(), memory: await memoryInUse() };
    await cycles(1_000);
    await eventually(() => expect(held()).toEqual(SOCKET));
    await eventually(() => expect(timers()).toBeLessThanOrEqual(before.timers));
    expect((await memoryInUse()) - before.memory).toBeLessThan(5 * MB);
    await client.dispose();
    await eventually(() => expect(held()).toEqual(NOTHING));
  });

  it('with its socket, cut amid updates or closed, leaves nothing behind', async () => {
    for (let round = 0; round < 30; round++) {
      const raw = await openRawSocket(house.url, house.tokens.member);
      for (const id of ['1', '2', '3']) raw.subscribe(SESSION_EVENTS, { sessionId }, id);
      if (round % 3 > 0) await eventually(() => expect(raw.messages.length).toBeGreaterThan(round % 5));
      if (round % 2 === 0) raw.socket.terminate();
      else raw.socket.close();
      await raw.closed;
    }
    await eventually(() => expect(held()).toEqual(NOTHING));
  });

  it('disturbs none like it: one leaves, the other goes on, both leave, the log is let go (case 17)', async () => {
    const id = await house.newSession();
    const [first, second] = [follow(house, { sessionId: id }), follow(house, { sessionId: id })];
    await Promise.all([pull(first), pull(second)]);
    expect(held()).toMatchObject({ logs: 1, listeners: 2 });
    await first.return?.();
    await eventually(() => expect(sockets.size).toBe(1));
    await house.append(id, [activity('e1')]);
    expect(eventIds(await pullTo(second, id, 1))).toEqual(['e1']);
    expect(held()).toMatchObject({ logs: 1, listeners: 2 });
    await second.return?.();
    await eventually(() => expect(held()).toEqual(NOTHING));
  });
});

describe('a client that vanishes without a word (case 15)', () => {
  it('leaves nothing behind after two heartbeats, and who answers stays', async () => {
    const vanishing = await openRawSocket(house.url, house.tokens.member, { autoPong: false });
    vanishing.subscribe(SESSION_EVENTS, { sessionId });
    const present = await openRawSocket(house.url, house.tokens.member);
    await eventually(() => expect(held()).toEqual({ logs: 1, listeners: 2, sockets: 2 }));
    await eventually(() => expect(held()).toEqual(SOCKET));
    expect(present.socket.readyState).toBe(WebSocket.OPEN);
    present.socket.close();
    await eventually(() => expect(held()).toEqual(NOTHING));
  });

  it('amid much that was sent is let go too, when there was time to read it', async () => {
    const large = await house.newSession();
    const text = 'x'.repeat(1024 * 1024);
    for (let number = 1; number <= 16; number++) {
      await house.append(large, [{ userMessage: { eventId: `e${number}`, messageId: 'm', text } }]);
    }
    const vanishing = await openRawSocket(house.url, house.tokens.member);
    const query = SESSION_EVENTS.replace(
      '{ eventId kind }',
      '{ eventId kind } ... on UserMessageEvent { text }',
    );
    vanishing.socket.pause();
    vanishing.subscribe(query, { sessionId: large });
    // More than the connection takes: the rest waits, and with it the ping.
    await eventually(() => expect(sockets.held).toBeGreaterThan(0));
    await eventually(() => expect(held()).toEqual(NOTHING));
    vanishing.socket.terminate();
  });
});
