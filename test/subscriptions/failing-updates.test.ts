import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.js';
import { appendEvents } from '../../src/events/append.js';
import { sessionCursor } from '../../src/events/listing.js';
import { type House, openHouse } from '../events/house.js';
import { failStatement } from './held-statement.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const FOLLOW = `subscription ($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) {
    edges { cursor node { ... on AgentMessageEvent { eventId citations { citationId } } } } checkpoint
  }
}`;
const WITH_SESSION = FOLLOW.replace('edges', 'session { status } edges');

const CITATIONS = /citation\.session_id/;
const SESSION = /FROM "public"."session"/;

/** Appends by the action: the mutation's own answer would read the session too. */
async function append(sessionId: string, eventId: string): Promise<void> {
  const viewer = await authenticate(house.database, house.tokens.service);
  const source = { sourceRef: 's1', authors: [], studyTypeTags: [] };
  const citations = [{ citationId: 'c1', quote: 'So it is.', source }];
  await appendEvents({ ...house.means, viewer }, sessionId, [
    { kind: 'agent_message', eventId, messageId: 'm1', text: 'Yes.', citations, suggestedFollowUps: [] },
  ]);
}

interface Result {
  readonly data?: {
    readonly sessionEvents: {
      readonly edges: readonly { readonly cursor: string; readonly node: object | null }[];
      readonly checkpoint: string;
    } | null;
  } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: object }[];
}

/** Follows an empty session, and has had the first update. */
async function open(transport: string, query: string, sessionId: string) {
  const variables = { sessionId };
  const client = createClient({
    url: `${house.url}/graphql`,
    headers: { authorization: `Bearer ${house.tokens.member}` },
    retryAttempts: 0,
  });
  const stream: AsyncIterator<Result> =
    transport === 'WebSocket'
      ? house.subscribe<NonNullable<Result['data']>>(query, { token: house.tokens.member, variables })
      : client.iterate<NonNullable<Result['data']>>({ query, variables });
  const next = async (): Promise<Result> => (await stream.next()).value ?? {};
  await next();
  const leave = async () => {
    client.dispose();
    await stream.return?.();
  };
  return { next, leave };
}

const transports = ['WebSocket', 'event stream'];

describe.each(transports)('an update that fails in part, over %s', (transport) => {
  it('has an error in the place of event 3, and the others come (case 16)', async () => {
    const sessionId = await house.newSession();
    const { next, leave } = await open(transport, FOLLOW, sessionId);
    const logged = house.logged.length;
    const results: Result[] = [];
    for (let number = 1; number <= 5; number++) {
      const result = next();
      if (number === 3) failStatement(house.database.pool, CITATIONS);
      await append(sessionId, `e${number}`);
      results.push(await result);
    }
    const shown = (number: number) => ({
      cursor: sessionCursor(sessionId, number),
      node: number === 3 ? null : { eventId: `e${number}`, citations: [{ citationId: 'c1' }] },
    });
    // Where it stands and how far the log was read come all the same.
    expect(results.map(({ data }) => data)).toEqual(
      [1, 2, 3, 4, 5].map((number) => ({
        sessionEvents: { edges: [shown(number)], checkpoint: sessionCursor(sessionId, number) },
      })),
    );
    expect(results.map(({ errors = [] }) => errors.length)).toEqual([0, 0, 1, 0, 0]);
    expect(results[2]?.errors).toMatchObject([
      {
        path: ['sessionEvents', 'edges', 0, 'node', 'citations'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
    expect(JSON.stringify(results[2])).not.toMatch(/relation|secret|SELECT/);
    expect(house.logged.slice(logged)).toHaveLength(1);
    await leave();
  });

  it('and has nothing to show is an error, and later ones come', async () => {
    const sessionId = await house.newSession();
    const { next, leave } = await open(transport, WITH_SESSION, sessionId);
    const results: Result[] = [];
    for (let number = 1; number <= 3; number++) {
      const result = next();
      if (number === 2) failStatement(house.database.pool, SESSION);
      await append(sessionId, `e${number}`);
      results.push(await result);
    }
    expect(results.map(({ data }) => data?.sessionEvents?.edges.length)).toEqual([1, undefined, 1]);
    expect(results[1]?.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    await leave();
  });
});
