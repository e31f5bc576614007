import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { openRawSocket } from './raw-socket.js';
import { memoryInUse, watchServerSockets } from './server-side.js';
import { named, type Result, SESSION_EVENTS, updateOf } from './streams.js';

const MB = 1024 * 1024;
const SOCKETS = 20;
const SUBSCRIBERS = 1_000;
const PORTIONS = 10;
const PORTION = 20;
const EVENTS = PORTIONS * PORTION;
/** Only those who never read ask for it: enough of it that they would be given more than a connection takes. */
const TEXT = 'x'.repeat(4 * 1024);
const WITH_TEXT = SESSION_EVENTS.replace(
  '{ eventId kind }',
  '{ eventId kind } ... on UserMessageEvent { text }',
);

let house: House;
let sockets: ReturnType<typeof watchServerSockets>;
beforeAll(async () => {
  sockets = watchServerSockets();
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
  vi.restoreAllMocks();
});

const connect = (): Client =>
  createClient({
    url: `${house.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${house.tokens.member}` },
  });

const message = (eventId: string) => ({ userMessage: { eventId, messageId: eventId, text: TEXT } });

/** Checks what it gets as it comes, so that it need not be kept. */
class Subscriber {
  /** How many came, all of them in order. */
  seen = 0;
  updates = 0;
  /** What came in the place of what was due, if anything did. */
  wrong: string | undefined;

  take(result: Result): void {
    this.updates += 1;
    for (const { node } of updateOf(result).edges) {
      this.seen += 1;
      if (node?.eventId !== `e${this.seen}`) this.wrong ??= `${node?.eventId} for e${this.seen}`;
    }
  }
}

it('1,000 subscribers of a session, of whom some never read: all others get every event, and memory stays flat', async () => {
  const sessionId = await house.newSession();
  // A socket that stops reading, with as many subscriptions as the others have.
  const stuck = await openRawSocket(house.url, house.tokens.member);
  for (let id = 0; id < SUBSCRIBERS / SOCKETS; id++) stuck.subscribe(WITH_TEXT, { sessionId }, `${id}`);
  await eventually(() => expect(stuck.messages).toHaveLength(SUBSCRIBERS / SOCKETS));
  const clients = Array.from({ length: SOCKETS }, connect);
  const subscribers = Array.from({ length: SUBSCRIBERS }, () => new Subscriber());
  for (const [index, subscriber] of subscribers.entries()) {
    clients[index % SOCKETS]?.subscribe(
      { query: SESSION_EVENTS, variables: { sessionId } },
      { next: (result) => subscriber.take(result as Result), error: () => {}, complete: () => {} },
    );
  }
  const all = (condition: (subscriber: Subscriber) => boolean) =>
    eventually(() => expect(subscribers.filter((each) => !condition(each))).toHaveLength(0));
  await all(({ updates }) => updates === 1);
  stuck.socket.pause();
  const before = await memoryInUse();

  let held = 0;
  const statements = await house.countStatements(async () => {
    for (let from = 1; from <= EVENTS; from += PORTION) {
      await house.append(sessionId, named(from, from + PORTION - 1).map(message));
      await all(({ seen }) => seen >= from + PORTION - 1);
      held = Math.max(held, sockets.held + house.means.tails.held.bytes);
    }
  });

  expect(subscribers.filter(({ wrong }) => wrong !== undefined)).toEqual([]);
  expect(subscribers.every(({ seen }) => seen === EVENTS)).toBe(true);
  // News is read once, whoever follows: what is counted is appending.
  expect(statements).toBeLessThan(PORTIONS * 20);
  // An update on its way for each subscription of the stuck socket, and the ring of the tail.
  expect(held).toBeGreaterThan(1 * MB);
  expect(held).toBeLessThan(8 * MB);
  expect((await memoryInUse()) - before).toBeLessThan(10 * MB);

  stuck.socket.resume();
  const behind = new Map(
    Array.from({ length: SUBSCRIBERS / SOCKETS }, (_, id) => [`${id}`, new Subscriber()]),
  );
  let taken = 0;
  await eventually(() => {
    for (; taken < stuck.messages.length; taken++) {
      const { id = '', payload = {} } = stuck.messages[taken] ?? {};
      behind.get(id)?.take(payload);
    }
    expect([...behind.values()].filter(({ seen }) => seen < EVENTS)).toHaveLength(0);
  });
  expect([...behind.values()].filter(({ wrong }) => wrong !== undefined)).toEqual([]);
  stuck.socket.close();
  for (const client of clients) await client.dispose();
  await eventually(() => expect(house.means.tails.size).toBe(0));
});
