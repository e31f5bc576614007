import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { openRawSocket } from './raw-socket.js';
import { memoryInUse, watchServerSockets } from './server-side.js';
import { eventIds, follow, named, pull, pullTo, SESSION_EVENTS, type Update, updateOf } from './streams.js';

const MB = 1024 * 1024;
const EVENTS = 5_000;
const TEXT = 'x'.repeat(32 * 1024);
/** As many as fit into a request's body. */
const PORTION = 200;

const WITH_TEXT = SESSION_EVENTS.replace(
  '{ eventId kind }',
  '{ eventId kind } ... on UserMessageEvent { text }',
);

const messages = (from: number, to: number) =>
  named(from, to).map((eventId) => ({ userMessage: { eventId, messageId: eventId, text: TEXT } }));

let house: House;
let sockets: ReturnType<typeof watchServerSockets>;
beforeAll(async () => {
  sockets = watchServerSockets();
  // Far more heartbeats than two pass while the slow one does not read, and so does not answer.
  // It may take a quarter of an hour over an update: how fast the machine is, is not the question.
  house = await openHouse({ webSockets: { heartbeat: 1_000, slowest: 1_024 } });
});
afterAll(async () => {
  await house.close();
  vi.restoreAllMocks();
});

describe('a subscriber that stops reading', () => {
  it('costs next to no memory, disturbs nobody, and catches up when it reads again (case 13)', async () => {
    const sessionId = await house.newSession();
    const slow = await openRawSocket(house.url, house.tokens.member);
    slow.subscribe(WITH_TEXT, { sessionId });
    await eventually(() => expect(slow.messages).toHaveLength(1));
    const fast = follow(house, { sessionId });
    await pull(fast);
    await house.append(sessionId, messages(1, PORTION));
    const seen: Update[] = await pullTo(fast, sessionId, PORTION);
    await eventually(() => expect(eventIds(updatesOf(slow.messages))).toHaveLength(PORTION));
    slow.messages.length = 0;
    const before = await memoryInUse();

    // While much is on its way to it: an answer to a ping is then due when it has had time to read that.
    slow.socket.once('message', () => slow.socket.pause());
    let held = 0;
    for (let from = PORTION + 1; from <= EVENTS; from += PORTION) {
      await house.append(sessionId, messages(from, from + PORTION - 1));
      seen.push(...(await pullTo(fast, sessionId, from + PORTION - 1)));
      held = Math.max(held, sockets.held + house.means.tails.held.bytes);
    }
    expect(eventIds(seen)).toEqual(named(1, EVENTS));
    // One update on its way, of at most 1 MiB, and the ring of the tail, of as much.
    expect(held).toBeLessThan(3 * MB);
    expect((await memoryInUse()) - before).toBeLessThan(50 * MB);
    expect(slow.socket.readyState).toBe(slow.socket.OPEN);

    slow.socket.resume();
    await eventually(() => expect(eventIds(updatesOf(slow.messages.slice(-1)))).toContain(`e${EVENTS}`));
    expect(eventIds(updatesOf(slow.messages))).toEqual(named(PORTION + 1, EVENTS));
    slow.socket.close();
  });
});

const updatesOf = (messages: Awaited<ReturnType<typeof openRawSocket>>['messages']) =>
  messages.map(({ payload }) => updateOf(payload ?? {}));
