import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendEvents } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';
import { openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { EVERY_KIND } from './every-kind.js';

let database: TestDatabase;
let seeded: Seeded;
beforeAll(async () => {
  database = await openTestDatabase();
  seeded = await openSeeded(database);
});
afterAll(() => seeded.close());

const append = (sessionId: string, events: readonly EventInput[]) =>
  appendEvents(seeded.as('service'), sessionId, events);
const rowsOf = (sessionId: string) =>
  database.prisma.event.findMany({ where: { sessionId }, orderBy: { number: 'asc' } });
const sessionOf = (id: string) => database.prisma.session.findUniqueOrThrow({ where: { id } });
const activity = (eventId: string, title = 'Reading'): EventInput => ({
  kind: 'activity',
  eventId,
  activityId: 'a1',
  status: 'STARTED',
  title,
});
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => activity(`e${from + index}`));

describe('appending', () => {
  it('numbers events 1 to n without holes, in the order of the calls and of each call (P1)', async () => {
    const sessionId = await seeded.newSession();
    await Promise.all([
      append(sessionId, many(7)),
      append(sessionId, many(5, 100)),
      append(sessionId, many(3, 200)),
    ]);
    const rows = await rowsOf(sessionId);
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    const ofFirst = rows.filter(({ eventId }) => /^e\d$/.test(eventId)).map(({ eventId }) => eventId);
    expect(ofFirst).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
    expect(await sessionOf(sessionId)).toMatchObject({ eventHead: 15 });
  });

  it('gives the events as they will be read, one for each input', async () => {
    const sessionId = await seeded.newSession();
    const { events, session, duplicates, added } = await append(sessionId, EVERY_KIND);
    expect(events.map(({ number }) => number)).toEqual(EVERY_KIND.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ eventId: 'every-1', kind: 'user_message', isInitial: true });
    expect(duplicates).toEqual([]);
    expect(added).toBe(EVERY_KIND.length);
    expect(session).toMatchObject({
      eventHead: 14,
      citationHead: 1,
      sourceHead: 1,
      artifactHead: 1,
      deliveredOutputHead: 1,
    });
  });

  it("takes the writer's time, else the database's, else for a historical event none", async () => {
    const sessionId = await seeded.newSession();
    const createdAt = new Date('2020-02-29T23:59:59.999Z');
    const before = new Date();
    await append(sessionId, [
      { kind: 'session_idle', eventId: 'given', createdAt, historical: true },
      { kind: 'session_idle', eventId: 'now' },
      { kind: 'session_idle', eventId: 'none', historical: true },
    ]);
    const [given, now, none] = await rowsOf(sessionId);
    expect(given?.createdAt).toEqual(createdAt);
    expect(none?.createdAt).toBeNull();
    expect(now?.createdAt?.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect((await sessionOf(sessionId)).updatedAt).toEqual(now?.createdAt);
  });

  it('costs as many statements for five hundred events as for one of each sort', async () => {
    const count = async (events: readonly EventInput[]) => {
      const sessionId = await seeded.newSession();
      return (await database.statementsOf(() => append(sessionId, events))).length;
    };
    const rich = Array.from({ length: 35 }, (_, round) =>
      EVERY_KIND.map((event) => ({ ...event, eventId: `${event.eventId}-${round}` })),
    ).flat();
    expect(await count(many(500))).toBe(await count(many(1)));
    expect(await count(rich)).toBe(await count(EVERY_KIND));
    // BEGIN, lock, known events, insert, session, COMMIT.
    expect(await count(many(500))).toBe(6);
  });

  it('tells who follows the log or the lists, once and after the commit', async () => {
    const sessionId = await seeded.newSession();
    const { ownerId } = await sessionOf(sessionId);
    const heard: { head: number; committed: Promise<number> }[] = [];
    const stop = seeded.bus.subscribe(`account:${ownerId}`, ({ head }) =>
      heard.push({ head, committed: sessionOf(sessionId).then(({ eventHead }) => eventHead) }),
    );
    await append(sessionId, many(3));
    await append(sessionId, many(3));
    stop();
    expect(heard.map(({ head }) => head)).toEqual([3]);
    expect(await heard[0]?.committed).toBe(3);
  });
});

describe('an eventId that was there (P3)', () => {
  it('is a reported duplicate with the same content, and the others are written', async () => {
    const sessionId = await seeded.newSession();
    const first = await append(sessionId, many(3));
    const again = await append(sessionId, [activity('e1'), activity('e9'), activity('e0')]);
    expect(again.duplicates).toEqual(['e1', 'e0']);
    expect(again.events.map(({ number }) => number)).toEqual([2, 4, 1]);
    // Its size in memory is an estimate, and differs.
    expect(again.events[0]).toEqual({ ...first.events[1], size: expect.any(Number) });
    expect(again.session.eventHead).toBe(4);
  });

  it('changes nothing when all of a call was there (case 9)', async () => {
    const sessionId = await seeded.newSession();
    await append(sessionId, EVERY_KIND);
    const before = await sessionOf(sessionId);
    const again = await append(sessionId, EVERY_KIND);
    expect(again).toMatchObject({ added: 0, duplicates: EVERY_KIND.map(({ eventId }) => eventId) });
    expect(await sessionOf(sessionId)).toEqual(before);
    expect(await database.prisma.citation.count({ where: { sessionId } })).toBe(1);
  });

  it('is a CONFLICT with other content, says what is there, and nothing of the call is written', async () => {
    const sessionId = await seeded.newSession();
    await append(sessionId, [activity('e1')]);
    const before = await sessionOf(sessionId);
    const call = append(sessionId, [activity('e2'), activity('e1', 'Writing')]);
    await expect(call).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { current: { eventId: 'e1', kind: 'ACTIVITY', createdAt: expect.stringMatching(/Z$/) } },
    });
    expect(await rowsOf(sessionId)).toHaveLength(1);
    expect(await sessionOf(sessionId)).toEqual(before);
  });

  it('follows the same rule within one call', async () => {
    const sessionId = await seeded.newSession();
    const { events, duplicates, added } = await append(sessionId, [
      activity('e1'),
      activity('e2'),
      activity('e1'),
    ]);
    expect(events.map(({ number }) => number)).toEqual([1, 2, 1]);
    expect({ duplicates, added }).toEqual({ duplicates: ['e1'], added: 2 });
    const call = append(sessionId, [activity('e3'), activity('e3', 'Writing')]);
    // Neither was written, so there is no state that won.
    await expect(call).rejects.toMatchObject({
      code: 'CONFLICT',
      details: {},
      message: expect.stringContaining('got it twice with different content; nothing was written'),
    });
    expect(await rowsOf(sessionId)).toHaveLength(2);
    const known = append(sessionId, [activity('e1'), activity('e1', 'Writing')]);
    await expect(known).rejects.toMatchObject({ code: 'CONFLICT', details: { current: { eventId: 'e1' } } });
  });

  it('is another event in another session', async () => {
    const [one, two] = [await seeded.newSession(), await seeded.newSession()];
    await append(one, [activity('e1')]);
    expect((await append(two, [activity('e1', 'Writing')])).duplicates).toEqual([]);
  });
});

describe('snapshots of one resource', () => {
  it('are events of their own: a step started and completed (case 10)', async () => {
    const sessionId = await seeded.newSession();
    const done: EventInput = {
      kind: 'activity',
      eventId: 'e2',
      activityId: 'a1',
      status: 'COMPLETED',
      title: 'Read',
    };
    await append(sessionId, [activity('e1'), done]);
    expect(await rowsOf(sessionId)).toMatchObject([
      { eventId: 'e1', resourceId: 'a1', payload: { status: 'STARTED' } },
      { eventId: 'e2', resourceId: 'a1', payload: { status: 'COMPLETED' } },
    ]);
  });
});

describe('the door', () => {
  const message = {
    kind: 'agent_message' as const,
    messageId: 'm1',
    text: '',
    suggestedFollowUps: [],
    citations: [],
  };
  const cite = (citationId: string) => ({
    citationId,
    quote: 'q',
    source: { sourceRef: 's', authors: [], studyTypeTags: [] },
  });

  it.each<[string, EventInput, string]>([
    [
      'an empty citationId',
      { ...message, eventId: 'e', citations: [cite('')] },
      'input.events[3].agentMessage.citations[0].citationId',
    ],
    [
      'a citationId given twice',
      { ...message, eventId: 'e', citations: [cite('c'), cite('c')] },
      'input.events[3].agentMessage.citations[1].citationId',
    ],
    ['an empty eventId', activity(''), 'input.events[3].activity.eventId'],
    ['a NUL', activity('e', 'a\u0000b'), 'input.events[3].activity.title'],
    [
      'a known kind as an unknown one',
      { kind: 'unknown', eventId: 'e', rawKind: 'error', payload: 1 },
      'input.events[3].unknown.rawKind',
    ],
    [
      'an empty artifactId',
      {
        kind: 'artifacts_delivered',
        eventId: 'e',
        artifacts: [{ artifactId: '', kind: 'REPORT_ASSET', filename: 'f' }],
      },
      'input.events[3].artifactsDelivered.artifacts[0].artifactId',
    ],
  ])('refuses %s and names its place', async (_, event, path) => {
    const sessionId = await seeded.newSession();
    const call = append(sessionId, [...many(3), event]);
    await expect(call).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(`${path}: expected`),
      details: { path },
    });
    expect(await rowsOf(sessionId)).toEqual([]);
  });

  it.each([0, 501])('refuses %i events', async (count) => {
    const call = append(await seeded.newSession(), many(count));
    await expect(call).rejects.toMatchObject({ code: 'BAD_USER_INPUT', details: { maximum: 500 } });
  });

  it('keeps a message of 2 MB whole, and what JSON can hold of an unknown kind', async () => {
    const sessionId = await seeded.newSession();
    const text = '💥<citations>'.repeat(150_000);
    const payload = { '': [1e-7, -0.5, 2 ** 53 - 1, true, null, 'ü'], __proto__x: {} };
    await append(sessionId, [
      { ...message, eventId: 'e1', text },
      { kind: 'unknown', eventId: 'e2', rawKind: 'x', payload },
    ]);
    const [first, second] = await rowsOf(sessionId);
    expect(first?.payload).toMatchObject({ text });
    expect(second?.payload).toEqual(payload);
  });
});

describe('who may append', () => {
  it('is whoever may write to the session; to others it is not there (P9)', async () => {
    const sessionId = await seeded.newSession();
    const call = appendEvents(seeded.as('stranger'), sessionId, many(1));
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await rowsOf(sessionId)).toEqual([]);
  });
});

describe("a session's status and its pending stop", () => {
  const lifecycle = (kind: EventInput['kind'], eventId: string) => ({ kind, eventId }) as EventInput;
  const stateAfter = async (...kinds: EventInput['kind'][]) => {
    const sessionId = await seeded.newSession();
    for (const [index, kind] of kinds.entries()) await append(sessionId, [lifecycle(kind, `e${index}`)]);
    const { status, pendingStop } = await sessionOf(sessionId);
    return { status, pendingStop };
  };

  it('follow the events, in one call as in many', async () => {
    expect(await stateAfter('session_resumed')).toMatchObject({ status: 'PROCESSING' });
    expect(await stateAfter('session_resumed', 'stop_requested')).toEqual({
      status: 'PROCESSING',
      pendingStop: 2,
    });
    expect(await stateAfter('stop_requested', 'session_stopped')).toEqual({
      status: 'COMPLETED',
      pendingStop: null,
    });
    expect(await stateAfter('stop_requested', 'session_idle')).toEqual({
      status: 'COMPLETED',
      pendingStop: null,
    });
    expect(await stateAfter('stop_requested', 'session_paused')).toMatchObject({ pendingStop: 1 });
    expect(await stateAfter('stop_requested', 'stop_requested')).toMatchObject({ pendingStop: 1 });
    expect(await stateAfter('stop_requested', 'session_resumed')).toMatchObject({ pendingStop: 1 });
    const sessionId = await seeded.newSession();
    await append(sessionId, [
      lifecycle('stop_requested', 'e1'),
      { kind: 'error', eventId: 'e2', code: 'AGENT_FAILED', message: 'x', retryable: false },
      lifecycle('stop_requested', 'e3'),
    ]);
    expect(await sessionOf(sessionId)).toMatchObject({ status: 'FAILED', pendingStop: 3 });
    await append(sessionId, [
      { kind: 'activity', eventId: 'e4', activityId: 'a', status: 'STARTED', title: 'Reading' },
    ]);
    expect(await sessionOf(sessionId)).toMatchObject({ status: 'PROCESSING', pendingStop: 3 });
    await append(sessionId, [{ kind: 'user_message', eventId: 'e5', messageId: 'm', text: 'And?' }]);
    expect(await sessionOf(sessionId)).toMatchObject({ status: 'PROCESSING', pendingStop: null });
  });
});
