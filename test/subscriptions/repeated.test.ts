import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activity, agentMessage, type House, openHouse } from '../events/house.js';
import { eventIds, follow, named, pull, pullTo } from './streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const FOLLOW = `subscription ($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) {
    session { status checkpoint }
    edges {
      node {
        ... on SessionEventOccurrence { eventId }
        ... on ActivityEvent { activityId status }
        ... on AgentMessageEvent { messageId text citations { citationId } }
      }
    }
    checkpoint
  }
}`;

interface FullUpdate {
  readonly session: { readonly status: string; readonly checkpoint: string };
  readonly edges: readonly { readonly node: object }[];
  readonly checkpoint: string;
}

/** All that a session's followers are told, from the start; `events` are so many. */
async function told(sessionId: string, events: number) {
  const stream = house.subscribe<{ sessionEvents: FullUpdate }>(FOLLOW, {
    token: house.tokens.member,
    variables: { sessionId },
  });
  const nodes: object[] = [];
  while (nodes.length < events) {
    const { value } = await stream.next();
    nodes.push(...(value?.data?.sessionEvents.edges ?? []).map(({ node }: { node: object }) => node));
  }
  await stream.return?.();
  return nodes;
}

describe('what is appended again', () => {
  it('after a time-out is told once, and the writer learns that it was there (case 9)', async () => {
    const sessionId = await house.newSession();
    const stream = follow(house, { sessionId });
    await pull(stream);
    const first = await house.append(sessionId, named(1, 3).map(activity));
    const again = await house.append(sessionId, named(2, 4).map(activity));
    expect([first.duplicates, again.duplicates]).toEqual([[], ['e2', 'e3']]);
    expect(again.edges.map(({ node }) => node.eventId)).toEqual(['e2', 'e3', 'e4']);
    expect(eventIds(await pullTo(stream, sessionId, 4))).toEqual(named(1, 4));
    await stream.return?.();
  });

  it('by eight writers at once is told once, each event in its place', async () => {
    const sessionId = await house.newSession();
    const stream = follow(house, { sessionId });
    const writer = async () => {
      for (let from = 1; from <= 40; from += 4) {
        await house.append(sessionId, named(from, from + 3).map(activity));
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    expect(eventIds(await pullTo(stream, sessionId, 40))).toEqual(named(1, 40));
    await stream.return?.();
  });

  it('with other content is refused, with all that came with it, and nobody is told', async () => {
    const sessionId = await house.newSession(1);
    const stream = follow(house, { sessionId });
    await pull(stream);
    const input = { sessionId, events: [activity('e2'), agentMessage('e1')] };
    const append = `mutation ($input: AppendSessionEventsInput!) { appendSessionEvents(input: $input) { checkpoint } }`;
    expect(await house.refuse('service', append, { input })).toMatchObject([{ code: 'CONFLICT' }]);
    await house.append(sessionId, [activity('e3')]);
    expect(eventIds(await pullTo(stream, sessionId, 2))).toEqual(['e3']);
    await stream.return?.();
  });
});

describe('snapshots of one thing', () => {
  it('are told each: an activity started, then completed (case 10)', async () => {
    const sessionId = await house.newSession();
    for (const status of ['STARTED', 'COMPLETED']) {
      await house.append(sessionId, [
        { activity: { eventId: status, activityId: 'a1', status, title: 'Reading' } },
      ]);
    }
    expect(await told(sessionId, 2)).toEqual([
      { eventId: 'STARTED', activityId: 'a1', status: 'STARTED' },
      { eventId: 'COMPLETED', activityId: 'a1', status: 'COMPLETED' },
    ]);
  });

  it('stay as they were: a message told again with more citations (case 11)', async () => {
    const sessionId = await house.newSession();
    const source = { sourceRef: 's1', authors: [], studyTypeTags: [] };
    const citations = ['c1', 'c2'].map((citationId) => ({ citationId, quote: 'So it is.', source }));
    const first = { text: 'It is', citations: citations.slice(0, 1) };
    await house.append(sessionId, [agentMessage('e1', first)]);
    const before = await told(sessionId, 1);
    await house.append(sessionId, [agentMessage('e2', { text: 'It is so', citations })]);
    expect(await told(sessionId, 2)).toEqual([
      ...before,
      {
        eventId: 'e2',
        messageId: 'm1',
        text: 'It is so',
        citations: [{ citationId: 'c1' }, { citationId: 'c2' }],
      },
    ]);
    expect(before).toEqual([
      { eventId: 'e1', messageId: 'm1', text: 'It is', citations: [{ citationId: 'c1' }] },
    ]);
  });
});

it('an update shows the session as it is at least as new as its edges', async () => {
  const sessionId = await house.newSession();
  const stream = house.subscribe<{ sessionEvents: FullUpdate }>(FOLLOW, {
    token: house.tokens.member,
    variables: { sessionId },
  });
  const next = async (): Promise<FullUpdate | undefined> => (await stream.next()).value?.data?.sessionEvents;
  expect(await next()).toMatchObject({ edges: [], session: { status: 'COMPLETED' } });
  const steps = [
    [activity('e1'), 'PROCESSING'],
    [{ error: { eventId: 'e2', code: 'AGENT_FAILED', message: 'No.', retryable: false } }, 'FAILED'],
    [{ sessionIdle: { eventId: 'e3' } }, 'COMPLETED'],
  ] as const;
  for (const [event, status] of steps) {
    await house.append(sessionId, [event]);
    const update = await next();
    expect(update).toMatchObject({ edges: [{}], session: { status } });
    expect(update?.session.checkpoint).toBe(update?.checkpoint);
  }
  await stream.return?.();
});
