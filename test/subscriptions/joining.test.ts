import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.js';
import { appendEvents } from '../../src/events/append.js';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { activity, type House, openHouse } from '../events/house.js';
import { beforeAnswers, holdAnswer } from './held-statement.js';
import { eventIds, follow, named, pull, pullTo } from './streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const append = (sessionId: string, ...ids: string[]) => house.append(sessionId, ids.map(activity));

/** What follows a subscribe: the session is looked up, the log's head is read, then its entries. */
const STATEMENTS = {
  'its session is looked up': /FROM "public"."session"/,
  'the end of its log is read': /SELECT id, event_head/,
  'its first page is read': /FROM event e WHERE/,
};

describe('a subscriber that joins', () => {
  it.each(Object.entries(STATEMENTS))(
    'gets once what is committed just after %s (cases 4, 5)',
    async (_, statement) => {
      const sessionId = await house.newSession(3);
      const held = holdAnswer(house.database.pool, statement);
      const stream = follow(house, { sessionId });
      const updates = pullTo(stream, sessionId, 4);
      await held.reached;
      await append(sessionId, 'e4');
      held.release();
      expect(eventIds(await updates)).toEqual(named(1, 4));
      await append(sessionId, 'e5');
      expect(eventIds(await pullTo(stream, sessionId, 5))).toEqual(['e5']);
      await stream.return?.();
    },
  );

  it.each(Object.entries(STATEMENTS).slice(0, 2))(
    'at the head gets once what is committed just after %s (cases 4, 5)',
    async (_, statement) => {
      const sessionId = await house.newSession();
      const { checkpoint } = await append(sessionId, 'e1');
      const held = holdAnswer(house.database.pool, statement);
      const stream = follow(house, { sessionId, after: checkpoint });
      const updates = pullTo(stream, sessionId, 2);
      await held.reached;
      await append(sessionId, 'e2');
      held.release();
      expect(eventIds(await updates)).toEqual(['e2']);
      await append(sessionId, 'e3');
      expect(eventIds(await pullTo(stream, sessionId, 3))).toEqual(['e3']);
      await stream.return?.();
    },
  );

  it('gets what is committed while each of its pages is read, once and in order', async () => {
    const sessionId = await house.newSession(600);
    let number = 600;
    // The server may be a page ahead of what was pulled, so nothing here waits for a particular read.
    beforeAnswers(house.database.pool, STATEMENTS['its first page is read'], 4, () => {
      number += 1;
      return append(sessionId, `e${number}`);
    });
    const stream = follow(house, { sessionId });
    const updates = await pullTo(stream, sessionId, 604);
    expect(eventIds(updates)).toEqual(named(1, 604));
    await stream.return?.();
  });

  it('at the head gets one empty update, and then nothing until there is news (case 6)', async () => {
    const sessionId = await house.newSession(5);
    const { checkpoint } = await append(sessionId, 'e6');
    const stream = follow(house, { sessionId, after: checkpoint });
    expect(await pull(stream)).toEqual({ edges: [], checkpoint, caughtUp: true });
    // The log of another session, a rename and an appending that adds nothing are no news.
    await append(await house.newSession(), 'e1');
    await house.ask(
      'member',
      'mutation ($input: UpdateSessionInput!) { updateSession(input: $input) { session { id } } }',
      { input: { sessionId, title: 'Renamed' } },
    );
    await append(sessionId, 'e6');
    await append(sessionId, 'e7');
    expect(eventIds([await pull(stream)])).toEqual(['e7']);
    await stream.return?.();
  });

  it('a session without events gets one empty update at once', async () => {
    const sessionId = await house.newSession();
    const stream = follow(house, { sessionId });
    const update = await pull(stream);
    expect(update).toMatchObject({ edges: [], caughtUp: true });
    await append(sessionId, 'e1');
    const again = follow(house, { sessionId, after: update.checkpoint });
    expect(eventIds([await pull(again)])).toEqual(['e1']);
    await Promise.all([stream.return?.(), again.return?.()]);
  });

  it('is told where it has caught up, in updates of at most 200', async () => {
    const sessionId = await house.newSession(450);
    const stream = follow(house, { sessionId });
    const updates = await pullTo(stream, sessionId, 450);
    expect(updates.map(({ edges, caughtUp }) => [edges.length, caughtUp])).toEqual([
      [200, false],
      [200, false],
      [50, true],
    ]);
    // Each edge is a place to go on from, and the last edge's is the update's.
    for (const { edges, checkpoint } of updates) expect(edges.at(-1)?.cursor).toBe(checkpoint);
    const after = updates[0]?.edges[100]?.cursor;
    const again = follow(house, { sessionId, after });
    expect(eventIds(await pullTo(again, sessionId, 450))).toEqual(named(102, 450));
    await Promise.all([stream.return?.(), again.return?.()]);
  });

  it('gets what is committed and told to nobody, within seconds and once (P4)', async () => {
    const sessionId = await house.newSession(1);
    const stream = follow(house, { sessionId });
    await pullTo(stream, sessionId, 1);
    const viewer = await authenticate(house.database, house.tokens.service);
    const unheard = { ...house.means, bus: new InProcessBus(() => {}), viewer };
    const event = (eventId: string) => ({ kind: 'session_idle', eventId }) as const;
    await appendEvents(unheard, sessionId, [event('e2'), event('e3')]);
    expect(eventIds(await pullTo(stream, sessionId, 3))).toEqual(['e2', 'e3']);
    await append(sessionId, 'e4');
    expect(eventIds(await pullTo(stream, sessionId, 4))).toEqual(['e4']);
    await stream.return?.();
  });

  it('by an id in capitals gets the same', async () => {
    const sessionId = await house.newSession(2);
    const stream = follow(house, { sessionId: sessionId.toUpperCase() });
    const [update] = await pullTo(stream, sessionId, 2);
    await append(sessionId, 'e3');
    expect(eventIds([await pull(stream)])).toEqual(['e3']);
    const again = follow(house, { sessionId, after: update?.checkpoint });
    expect(eventIds([await pull(again)])).toEqual(['e3']);
    await Promise.all([stream.return?.(), again.return?.()]);
  });
});
