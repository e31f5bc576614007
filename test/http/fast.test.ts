import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.js';
import { readConfig } from '../../src/config.js';
import { appendEvents } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';
import { type Gateway, startGateway } from '../../src/gateway.js';
import { ShortWay } from '../../src/http/fast/short-way.js';
import { schema } from '../../src/schema.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { type Asked, queriesOfTests, trickyQueries } from './fast-documents.js';

const PUBLIC_URL = 'http://tidings.test';

let quick: TestGateway;
/** The same database behind doors without the short way. */
let plain: Gateway;
let tokens: readonly string[];
let sessionId: string;

beforeAll(async () => {
  quick = await startTestGateway({ env: { PUBLIC_URL } });
  const config = readConfig({
    PORT: '0',
    TIDINGS_DEMO: 'off',
    RATE_LIMIT: 'off',
    TIDINGS_FAST: 'off',
    PUBLIC_URL,
    TIDINGS_DRAIN: '0',
  });
  plain = await startGateway(config, {
    database: { ...quick.database, close: async () => undefined },
    log: pino({ level: 'silent' }),
    sweepPace: 3_600_000,
    lastUsePace: 3_600_000,
    authorityPace: 3_600_000,
  });
  const account = await quick.createOrganization().createAccount({ role: 'ADMIN' });
  const session = await account.createSession({ title: 'Both ways' });
  sessionId = session.sessionId;
  tokens = [await account.createToken(), await session.createToken()];
  const runtime = await authenticate(quick.database, await account.createToken({ kind: 'SERVICE' }));
  await appendEvents({ ...quick.means, viewer: runtime }, sessionId, EVENTS);
});
afterAll(async () => {
  await plain.close();
  await quick.close();
});

const answerOf = (number: number): EventInput => ({
  kind: 'agent_message',
  eventId: `e${number}`,
  messageId: `m${number}`,
  text: `It works <citations>[c${number}]</citations>, mostly <citations>[nobody]</citations>.`,
  citations: [1, 2].map((place) => ({
    citationId: `c${number}-${place}`,
    reference: place === 1 ? `[c${number}]` : undefined,
    quote: `“Quote” ${place}\u2028\u{1F600}`,
    source: {
      sourceRef: `s${place}`,
      title: 'A trial',
      authors: ['A', 'B'],
      citationCount: 2 ** 40,
      abstract: 'Long.',
    },
  })),
  suggestedFollowUps: ['Why?'],
});

const EVENTS: readonly EventInput[] = [
  { kind: 'user_message', eventId: 'u1', messageId: 'u1', text: 'Does it work?', isInitial: true, files: [] },
  ...[1, 2, 3].map(answerOf),
  { kind: 'activity', eventId: 'a1', activityId: 'a1', status: 'COMPLETED', title: 'Reads' },
  { kind: 'session_idle', eventId: 'i1' },
];

async function ask(url: string, asked: Asked, token: string, accept?: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(accept !== undefined && { accept }),
    },
    body: JSON.stringify({
      query: asked.document,
      variables: asked.variables,
      operationName: asked.operationName,
    }),
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** As it came, byte for byte, but for what is now, and for the id under which the log has a fault of the server's. */
const shown = ({ text, ...answer }: Awaited<ReturnType<typeof ask>>) => {
  const timeless = text.replaceAll(/"asOf":"[^"]+"/g, '"asOf":"now"');
  return {
    ...answer,
    text: timeless.includes('INTERNAL_SERVER_ERROR') ? timeless.replaceAll(UUID, 'id') : timeless,
  };
};

/** How many of the answers of `work` took the short way. */
async function quickAnswers(work: () => Promise<void>): Promise<number> {
  const spy = vi.spyOn(ShortWay.prototype, 'answer');
  try {
    await work();
    const answers = await Promise.all(spy.mock.results.map(({ value }) => value));
    return answers.filter((answer) => answer !== undefined).length;
  } finally {
    spy.mockRestore();
  }
}

async function expectSame(asked: Asked, accept?: string): Promise<void> {
  for (const token of tokens) {
    const expected = shown(await ask(plain.url, asked, token, accept));
    // The second after what the first has left behind.
    for (const _ of [1, 2])
      expect(shown(await ask(quick.url, asked, token, accept)), asked.document).toEqual(expected);
  }
}

describe('the short way answers as the ordinary way does', () => {
  it('every query that stands in a test', async () => {
    const queries = queriesOfTests(schema, sessionId);
    expect(queries.length).toBeGreaterThan(100);
    const count = await quickAnswers(async () => {
      for (const asked of queries) await expectSame(asked);
    });
    expect(count).toBeGreaterThan(queries.length);
  });

  it('what executors do each in its own way', async () => {
    const queries = trickyQueries(sessionId);
    const count = await quickAnswers(async () => {
      for (const asked of queries) await expectSame(asked);
    });
    expect(count).toBeGreaterThan(queries.length);
  });

  it.each([
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'text/html, */*;q=0.1',
    'APPLICATION/JSON',
    'text/event-stream',
    'image/png',
    'application/graphql-response+json, application/json',
  ])('for who accepts %s', async (accept) => {
    await expectSame({ document: '{ viewer { account { name } } }' }, accept);
    await expectSame({ document: '{ session(sessionId: "nobody") { title } }' }, accept);
  });
});

describe('the short way', () => {
  const page =
    'query ($s: ID!) { session(sessionId: $s) { events { nodes { ... on AgentMessageEvent { citations { quote } } } } } }';

  it('reads as often as the ordinary way', async () => {
    const [token = ''] = tokens;
    const asked = { document: page, variables: { s: sessionId } };
    const read = (url: string) => quick.countStatements(() => ask(url, asked, token));
    await read(quick.url);
    const counted: number[] = [];
    expect(await quickAnswers(async () => void counted.push(await read(quick.url)))).toBe(1);
    expect(counted).toEqual([await read(plain.url)]);
  });

  it('leaves a document alone for ten answers after one in which something went wrong', async () => {
    const [token = ''] = tokens;
    const document = 'query Rests($s: ID!) { session(sessionId: $s) { title } }';
    const times = async (count: number, s: string) => {
      for (let asked = 0; asked < count; asked++) await ask(quick.url, { document, variables: { s } }, token);
    };
    expect(await quickAnswers(() => times(2, sessionId))).toBe(2);
    expect(await quickAnswers(() => times(1, 'nobody'))).toBe(0);
    expect(await quickAnswers(() => times(10, sessionId))).toBe(0);
    expect(await quickAnswers(() => times(2, sessionId))).toBe(2);
  });

  it('refuses an answer that is too large in the same words', async () => {
    const small = await startTestGateway({ env: { TIDINGS_MAX_ANSWER: '2KB' } });
    try {
      const token = await (await small.createAccount('x'.repeat(150))).createToken();
      const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}: name`).join(' ');
      const document = (count: number) => `{ viewer { account { ${names(count)} } } }`;
      const ways = async () => {
        for (const _ of [1, 2]) {
          expect((await ask(small.url, { document: document(3) }, token)).status).toBe(200);
          expect((await ask(small.url, { document: document(19) }, token)).text).toContain(
            'PAYLOAD_TOO_LARGE',
          );
        }
      };
      expect(await quickAnswers(ways)).toBe(2);
    } finally {
      await small.close();
    }
  });
});
