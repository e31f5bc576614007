import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.js';
import type { Operation } from '../../src/accounts/operation.js';
import { transact } from '../../src/database/transact.js';
import { type Appended, appendEvents, appendPrepared, prepareEvent } from '../../src/events/append.js';
import { insertSession } from '../../src/sessions/creation.js';
import { lockSession } from '../../src/sessions/store.js';
import { announce } from '../../src/sessions/topics.js';
import { activity, type House, openHouse } from './house.js';

let house: House;
let service: Operation;
beforeAll(async () => {
  house = await openHouse();
  service = { viewer: await authenticate(house.database, house.tokens.service), ...house.means };
});
afterAll(() => house.close());

/** How many connections to this database wait for a lock. */
const someWait = (count: number) =>
  vi.waitFor(
    async () => {
      const [row] = await house.database.prisma.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(row?.count).toBe(count);
    },
    { timeout: 10_000 },
  );

/** Appends one event, and does `meanwhile` before the transaction commits. */
async function appendAround(
  sessionId: string,
  eventId: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const prepared = prepareEvent({ kind: 'session_idle', eventId });
  const { session } = await transact(house.database, async (tx) => {
    const appended = await appendPrepared(service, tx, await lockSession(tx, service.viewer, sessionId), [
      prepared,
    ]);
    await meanwhile();
    return appended;
  });
  announce(service, session);
}

const PAGE = `query ($sessionId: ID!, $after: String) { session(sessionId: $sessionId) {
  checkpoint events(after: $after) { checkpoint totalCount nodes { ... on SessionEventOccurrence { eventId } } } } }`;
interface Page {
  readonly checkpoint: string;
  readonly totalCount: number;
  readonly nodes: readonly { readonly eventId: string }[];
}
const poll = async (sessionId: string, after?: string): Promise<Page> =>
  (await house.ask<{ session: { events: Page } }>('member', PAGE, { sessionId, after })).session.events;
const idle = (eventId: string) => [{ kind: 'session_idle' as const, eventId }];
const eventIds = ({ nodes }: Page) => nodes.map(({ eventId }) => eventId);

describe('appends, with transactions side by side', () => {
  it('show a reader both of two that overlap, none behind its cursor (case 2, P1)', async () => {
    const sessionId = await house.newSession(1);
    let between: Page | undefined;
    let second: Promise<Appended> | undefined;
    await appendAround(sessionId, 'first', async () => {
      second = appendEvents(service, sessionId, idle('second'));
      await someWait(1);
      between = await poll(sessionId);
    });
    await second;
    expect(between).toMatchObject({ totalCount: 1, nodes: [{ eventId: 'e1' }] });
    expect(eventIds(await poll(sessionId, between?.checkpoint))).toEqual(['first', 'second']);
  });

  it('leave no hole when one is rolled back, and the next is told at once (case 8)', async () => {
    const sessionId = await house.newSession(1);
    const stream = house.subscribe<{ sessionEvents: { edges: { node: { eventId: string } }[] } }>(
      'subscription ($sessionId: ID!) { sessionEvents(sessionId: $sessionId) { edges { node { ... on SessionEventOccurrence { eventId } } } } }',
      { token: house.tokens.member, variables: { sessionId } },
    );
    await stream.next();
    let next: Promise<Appended> | undefined;
    const failed = appendAround(sessionId, 'lost', async () => {
      next = appendEvents(service, sessionId, idle('kept'));
      await someWait(1);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect((await next)?.events).toMatchObject([{ eventId: 'kept', number: 2 }]);
    const { value } = await stream.next();
    expect(value?.data?.sessionEvents.edges).toEqual([{ node: { eventId: 'kept' } }]);
    await stream.return?.();
    expect(eventIds(await poll(sessionId))).toEqual(['e1', 'kept']);
  });

  it('of the same eventId at once make one event and one duplicate (case 9)', async () => {
    const sessionId = await house.newSession();
    const calls = await Promise.all([1, 2, 3].map(() => house.append(sessionId, [activity('same')])));
    expect(calls.map(({ duplicates }) => duplicates.length).sort()).toEqual([0, 1, 1]);
    expect((await poll(sessionId)).totalCount).toBe(1);
  });

  it('of different sessions do not wait for each other', async () => {
    const [one, two] = [await house.newSession(), await house.newSession()];
    await appendAround(one, 'e1', async () => {
      expect((await appendEvents(service, two, idle('e1'))).added).toBe(1);
    });
  });

  it('of eight writers are numbered without holes, and a reader that polls sees each once', async () => {
    const sessionId = await house.newSession();
    const total = 8 * 25;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; index < 25; index += 1) {
        await appendEvents(service, sessionId, idle(`w${writer}-${index}`));
      }
    });
    const seen: string[] = [];
    let after: string | undefined;
    while (seen.length < total) {
      const page = await poll(sessionId, after);
      seen.push(...eventIds(page));
      after = page.checkpoint;
    }
    await Promise.all(writers);
    expect(new Set(seen).size).toBe(total);
    expect((await poll(sessionId, after)).nodes).toEqual([]);
    const rows = await house.database.prisma.event.findMany({
      where: { sessionId },
      orderBy: { number: 'asc' },
    });
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(rows.map(({ eventId }) => eventId)).toEqual(seen);
  });
});

describe('sessions created side by side', () => {
  it('are listed in the order of their commits: none comes in behind a reader', async () => {
    const owner = { ...service, viewer: await authenticate(house.database, house.tokens.member) };
    const create = `mutation { createSession(input: { title: "second" }) { session { title } } }`;
    const list = '{ sessions(first: 2) { nodes { title } } }';
    let second: Promise<unknown> = Promise.resolve();
    await transact(house.database, async (tx) => {
      await insertSession(tx, owner.viewer, {
        id: randomUUID(),
        title: 'first',
        creationHash: Buffer.alloc(32),
      });
      second = house.ask('admin', create);
      await someWait(1);
    });
    await second;
    expect(await house.ask('admin', list)).toEqual({
      sessions: { nodes: [{ title: 'second' }, { title: 'first' }] },
    });
  });
});
