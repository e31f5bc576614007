import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activity, agentMessage, type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const PAGE = `query ($sessionId: ID!, $kinds: [SessionEventKind!], $first: Int, $after: String, $last: Int) {
  session(sessionId: $sessionId) { checkpoint events(kinds: $kinds, first: $first, after: $after, last: $last) {
    nodes { ... on SessionEventOccurrence { eventId } } totalCount checkpoint
    pageInfo { hasNextPage hasPreviousPage endCursor }
  } }
}`;

interface Page {
  readonly nodes: readonly { readonly eventId: string }[];
  readonly totalCount: number;
  readonly checkpoint: string;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string | null;
  };
}
async function page(sessionId: string, kinds: readonly string[], args: object = {}) {
  const { session } = await house.ask<{ session: { checkpoint: string; events: Page } }>('member', PAGE, {
    sessionId,
    kinds,
    ...args,
  });
  return {
    ...session.events,
    head: session.checkpoint,
    ids: session.events.nodes.map(({ eventId }) => eventId),
  };
}

const unknown = (eventId: string, rawKind: string) => ({ unknown: { eventId, rawKind, payload: 1 } });

describe('events narrowed to kinds', () => {
  it('are those of the kinds, in order, with a checkpoint that goes on beyond them', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, [
      activity('e1'),
      agentMessage('e2'),
      activity('e3'),
      { sessionIdle: { eventId: 'e4' } },
      agentMessage('e5'),
      activity('e6'),
    ]);
    expect(await page(sessionId, ['SESSION_IDLE', 'AGENT_MESSAGE'])).toMatchObject({
      ids: ['e2', 'e4', 'e5'],
      totalCount: 3,
    });
    const messages = await page(sessionId, ['AGENT_MESSAGE']);
    expect(messages.checkpoint).toBe(messages.head);
    const first = await page(sessionId, ['AGENT_MESSAGE'], { first: 1 });
    expect(first).toMatchObject({
      ids: ['e2'],
      checkpoint: first.pageInfo.endCursor,
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    expect(await page(sessionId, ['AGENT_MESSAGE'], { after: first.checkpoint })).toMatchObject({
      ids: ['e5'],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(await page(sessionId, ['QUESTION'])).toMatchObject({
      ids: [],
      totalCount: 0,
      checkpoint: messages.head,
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    });
  });

  it('that this version does not know are found by UNKNOWN, whatever they are called', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, [
      unknown('e1', 'zebra'),
      activity('e2'),
      unknown('e3', 'Ärger'),
      unknown('e4', 'aaa'),
      unknown('e5', 'zebra'),
    ]);
    expect(await page(sessionId, ['UNKNOWN'])).toMatchObject({
      ids: ['e1', 'e3', 'e4', 'e5'],
      totalCount: 4,
    });
    expect(await page(sessionId, ['UNKNOWN', 'ACTIVITY'], { last: 3 })).toMatchObject({
      ids: ['e3', 'e4', 'e5'],
      totalCount: 5,
    });
    expect((await page(await house.newSession(), ['UNKNOWN'])).ids).toEqual([]);
  });

  it('that cannot be read are found under the kind that they were stored as', async () => {
    const sessionId = await house.newSession(2);
    await house.database.prisma.event.update({
      where: { sessionId_number: { sessionId, number: 1 } },
      data: { payload: {} },
    });
    expect((await page(sessionId, ['ACTIVITY'])).ids).toEqual(['e1', 'e2']);
    expect((await page(sessionId, ['UNKNOWN'])).ids).toEqual([]);
  });

  it('cost the same statements whatever the kinds', async () => {
    const sessionId = await house.newSession(3);
    const cost = (kinds: readonly string[]) => house.countStatements(() => page(sessionId, kinds));
    expect(await cost(['ACTIVITY', 'ERROR', 'QUESTION', 'METHODS'])).toBe(await cost(['ACTIVITY']));
  });
});
