import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor, logTag } from '../../src/graphql/cursors.js';
import { sessionLogKey } from '../../src/sessions/topics.js';
import { type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { type FollowVariables, follow, pull, type Result, SESSION_EVENTS } from './streams.js';

let house: House;
let sessionId: string;
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession(5);
});
afterEach(() => {
  // None of it is a fault of ours.
  expect(house.logged).toEqual([]);
});
afterAll(() => house.close());

type Who = keyof House['tokens'];

/** All that came over a WebSocket, to its end. */
async function byWebSocket(variables: FollowVariables, who: Who): Promise<Result[]> {
  const results: Result[] = [];
  const stream = follow(house, variables, who);
  for (let next = await stream.next(); !next.done; next = await stream.next()) results.push(next.value);
  return results;
}

/** All that came by an event stream, to its end. */
async function byEventStream(variables: FollowVariables, who: Who): Promise<Result[]> {
  const results: Result[] = [];
  const client = createClient({
    url: `${house.url}/graphql`,
    headers: { authorization: `Bearer ${house.tokens[who]}` },
    retryAttempts: 0,
  });
  const request = { query: SESSION_EVENTS, variables: { ...variables } };
  for await (const result of client.iterate<NonNullable<Result['data']>>(request)) results.push(result);
  client.dispose();
  return results;
}

/** The one error that a subscription ends with, before anything came. */
async function refusal(variables: FollowVariables, who: Who = 'member') {
  const results = await byWebSocket(variables, who);
  expect(await byEventStream(variables, who)).toEqual(results);
  // Before anything was opened.
  expect(house.means.tails.size).toBe(0);
  expect(results).toHaveLength(1);
  expect(results[0]?.data ?? null).toBeNull();
  const [error, ...others] = results[0]?.errors ?? [];
  expect(others).toEqual([]);
  expect(error?.path).toEqual(['sessionEvents']);
  return { message: error?.message, ...error?.extensions };
}

const cursor = (number: number, log = sessionLogKey(sessionId)) => encodeCursor(logTag(log), number);

describe('a cursor is refused (case 7)', () => {
  it.each([
    ['empty', ''],
    ['an emoji', '💥'],
    ['nonsense', 'banana'],
    ['base64 of nonsense', Buffer.from('{"after":3}').toString('base64url')],
    ['a number', '3'],
    ['1 MB long', 'A'.repeat(1024 * 1024)],
  ])('that is %s: MALFORMED', async (_, after) => {
    expect(await refusal({ sessionId, after })).toMatchObject({
      code: 'INVALID_CURSOR',
      reason: 'MALFORMED',
      retry: 'WITHOUT_CURSOR',
    });
  });

  it('with a character changed: MALFORMED', async () => {
    const after = cursor(3).replace(/^./, (first) => (first === 'B' ? 'C' : 'B'));
    expect(await refusal({ sessionId, after })).toMatchObject({ reason: 'MALFORMED' });
  });

  it('of another session, or of another list: WRONG_LOG', async () => {
    const other = await house.newSession(5);
    for (const log of [sessionLogKey(other), 'sessions', `sources:${sessionId}`]) {
      expect(await refusal({ sessionId, after: cursor(3, log) })).toMatchObject({
        code: 'INVALID_CURSOR',
        reason: 'WRONG_LOG',
        retry: 'WITHOUT_CURSOR',
      });
    }
  });

  it('that is ahead of the end of the log: AHEAD', async () => {
    for (const number of [6, 2 ** 31, 2 ** 48 - 1]) {
      expect(await refusal({ sessionId, after: cursor(number) })).toMatchObject({
        code: 'INVALID_CURSOR',
        reason: 'AHEAD',
        retry: 'WITHOUT_CURSOR',
      });
    }
  });
});

describe('a session is not there', () => {
  const UNKNOWN = 'c0ffee00-0000-4000-8000-000000000000';

  it('for a stranger as for everybody who asks for one that is not (P9)', async () => {
    const unknown = await refusal({ sessionId: UNKNOWN });
    expect(unknown).toMatchObject({ code: 'NOT_FOUND' });
    for (const id of ['', 'banana', randomUUID(), `${sessionId}x`]) {
      expect(await refusal({ sessionId: id })).toEqual(unknown);
    }
    expect(await refusal({ sessionId }, 'stranger')).toEqual(unknown);
  });

  it('whatever cursor is shown', async () => {
    const unknown = await refusal({ sessionId: UNKNOWN });
    for (const after of [cursor(3), cursor(9), 'banana']) {
      expect(await refusal({ sessionId, after }, 'stranger')).toEqual(unknown);
    }
  });

  it('for a RUN credential, not even its own', async () => {
    const unknown = await refusal({ sessionId: UNKNOWN });
    const { sessionId: own } = await house.database.prisma.credential
      .findFirstOrThrow({ where: { kind: 'RUN' } })
      .then(({ sessionId }) => ({ sessionId: sessionId ?? '' }));
    expect(await refusal({ sessionId: own }, 'run')).toEqual(unknown);
    expect(await refusal({ sessionId }, 'run')).toEqual(unknown);
  });
});

it('no kinds at all are refused', async () => {
  expect(await refusal({ sessionId, kinds: [] })).toMatchObject({ code: 'BAD_USER_INPUT' });
});

it.each<Who>(['member', 'admin', 'service'])('a %s of the organisation follows it', async (who) => {
  const stream = follow(house, { sessionId }, who);
  expect((await pull(stream)).edges).toHaveLength(5);
  await stream.return?.();
  await eventually(() => expect(house.means.tails.size).toBe(0));
});
