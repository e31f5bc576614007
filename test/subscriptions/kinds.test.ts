import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCursor } from '../../src/events/listing.js';
import { activity, agentMessage, type House, openHouse } from '../events/house.js';
import { eventIds, follow, named, pull, pullTo } from './streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Every tenth of e1 … is a message, every tenth of another kind than anybody knows, the rest are activities. */
const mixed = (from: number, to: number) =>
  named(from, to).map((eventId, index) => {
    const place = (from + index) % 10;
    if (place === 0) return agentMessage(eventId);
    return place === 5
      ? { unknown: { eventId, rawKind: `kind_${from + index}`, payload: {} } }
      : activity(eventId);
  });
const every = (place: number, from: number, to: number) =>
  named(from, to).filter((_, index) => (from + index) % 10 === place);

describe('a subscriber to some kinds (case 12)', () => {
  it('gets those alone, without a gap, and comes as far as the log goes', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, mixed(1, 499));
    const stream = follow(house, { sessionId, kinds: ['AGENT_MESSAGE'] });
    const first = await pull(stream);
    expect(first).toMatchObject({ checkpoint: sessionCursor(sessionId, 499), caughtUp: true });
    expect(eventIds([first])).toEqual(every(0, 1, 499));
    await house.append(sessionId, mixed(500, 524));
    const live = await pullTo(stream, sessionId, 524);
    expect(eventIds(live)).toEqual(every(0, 500, 524));
    await stream.return?.();
  });

  it('resumed with the same kinds from any checkpoint or edge goes on where it was', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, mixed(1, 100));
    const seen: (string | undefined)[] = [];
    let after: string | undefined;
    for (let number = 100; number < 400; number += 25) {
      const stream = follow(house, { sessionId, kinds: ['AGENT_MESSAGE', 'UNKNOWN'], after });
      const replay = await pullTo(stream, sessionId, number);
      await house.append(sessionId, mixed(number + 1, number + 25));
      const live = await pull(stream);
      seen.push(...eventIds([...replay, live]));
      // As far as it was read, or by the last event that came: that may be less far.
      after = number % 50 === 0 ? live.checkpoint : (live.edges.at(-1)?.cursor ?? live.checkpoint);
      await stream.return?.();
    }
    const rest = follow(house, { sessionId, kinds: ['AGENT_MESSAGE', 'UNKNOWN'], after });
    seen.push(...eventIds(await pullTo(rest, sessionId, 400)));
    expect(seen).toEqual(named(1, 400).filter((_, index) => (index + 1) % 5 === 0));
    await rest.return?.();
  });

  it('resumed with other kinds gets those of what came later', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, mixed(1, 100));
    const messages = follow(house, { sessionId, kinds: ['AGENT_MESSAGE'] });
    const after = (await pull(messages)).edges[3]?.cursor;
    const unknown = follow(house, { sessionId, kinds: ['UNKNOWN'], after });
    expect(eventIds(await pullTo(unknown, sessionId, 100))).toEqual(every(5, 41, 100));
    await Promise.all([messages.return?.(), unknown.return?.()]);
  });

  it('hears nothing of others, and is woken by its own', async () => {
    const sessionId = await house.newSession();
    const stream = follow(house, { sessionId, kinds: ['AGENT_MESSAGE'] });
    expect(await pull(stream)).toMatchObject({ edges: [], caughtUp: true });
    for (let number = 1; number <= 9; number++) await house.append(sessionId, mixed(number, number));
    await house.append(sessionId, mixed(10, 12));
    expect(await pull(stream)).toMatchObject({
      edges: [{ node: { eventId: 'e10' } }],
      checkpoint: sessionCursor(sessionId, 12),
    });
    await stream.return?.();
  });

  it('gets a kind that nobody knew when it came', async () => {
    const sessionId = await house.newSession(3);
    const stream = follow(house, { sessionId, kinds: ['UNKNOWN'] });
    await pull(stream);
    for (const [index, rawKind] of ['brand_new', 'newer'].entries()) {
      await house.append(sessionId, [{ unknown: { eventId: `u${index}`, rawKind, payload: {} } }]);
      expect(eventIds([await pull(stream)])).toEqual([`u${index}`]);
    }
    await stream.return?.();
  });
});
