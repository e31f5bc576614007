import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { House } from '../events/house.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { SESSION_EVENTS } from '../subscriptions/streams.js';
import { open, SOON } from './house.js';

let house: House;
let sessionId: string;
beforeAll(async () => {
  house = await open(SOON);
  sessionId = await house.newSession(1);
});
afterAll(() => house.close());

/** Sockets of two credentials with so many subscriptions together, each of which has had its first update. */
async function openMany(count: number) {
  const sockets = [];
  for (let begun = 0; begun < count; begun += 100) {
    const who = begun % 200 === 0 ? 'member' : 'admin';
    const socket = await openRawSocket(house.url, house.tokens[who]);
    const here = Math.min(100, count - begun);
    for (let id = 0; id < here; id++) socket.subscribe(SESSION_EVENTS, { sessionId }, `${id}`);
    await eventually(() => expect(socket.messages).toHaveLength(here));
    sockets.push(socket);
  }
  return sockets;
}

describe('what is open and has no news', () => {
  it.each([1, 100, 1_000])('costs one statement a look, for %i subscriptions', async (count) => {
    const sockets = await openMany(count);
    expect(house.watched()).toBe(count + sockets.length);
    const begun = performance.now();
    const statements = await house.database.statementsOf(() =>
      eventually(() => expect(performance.now() - begun).toBeGreaterThan(20 * SOON)),
    );
    const looks = statements.filter((sql) => sql.includes('FROM credential c'));
    const heads = statements.filter((sql) => sql.includes('event_head'));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThanOrEqual((performance.now() - begun) / SOON + 1);
    // The heads of logs are read again every few seconds.
    expect(statements.length - looks.length - heads.length).toBe(0);
    for (const { socket } of sockets) socket.close();
    await eventually(() => expect([house.watched(), house.listeners()]).toEqual([0, 0]));
  });

  it('costs nothing when nothing is open', async () => {
    const begun = performance.now();
    const statements = await house.database.statementsOf(() =>
      eventually(() => expect(performance.now() - begun).toBeGreaterThan(20 * SOON)),
    );
    expect(statements).toEqual([]);
  });
});
