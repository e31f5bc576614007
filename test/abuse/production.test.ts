import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../access/ask.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';

const PRODUCTION = { NODE_ENV: 'production' };

/** Each has a fault that graphql-js would answer with what was perhaps meant. */
const NEARLY: readonly (readonly [document: string, variables: object])[] = [
  ['{ viewr { role } }', {}],
  ['{ viewer { rol } }', {}],
  ['{ session(sessionIdd: "x") { title } }', {}],
  ['{ viewer { ... on Viewr { role } } }', {}],
  ['query ($id: IDD!) { session(sessionId: $id) { title } }', { id: 'x' }],
  ['{ session(sessionId: "x") { events(kinds: [AGENT_MESSAG]) { totalCount } } }', {}],
  [
    'query ($k: [SessionEventKind!]) { session(sessionId: "x") { events(kinds: $k) { totalCount } } }',
    { k: ['AGENT_MESSAG'] },
  ],
  ['mutation { createSession(input: { titl: "x" }) { session { id } } }', {}],
  [
    'mutation ($i: CreateSessionInput!) { createSession(input: $i) { session { id } } }',
    { i: { titl: 'x' } },
  ],
];

describe('in production', () => {
  let gateway: TestGateway;
  let token: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: PRODUCTION });
    token = await (await gateway.createAccount()).createToken();
  });
  afterAll(() => gateway.close());

  it.each(['{ __schema { queryType { name } } }', '{ __type(name: "Query") { name } }'])(
    'the schema is not told at any door: %s (case 96)',
    async (document) => {
      const posted = await ask(gateway, token, document);
      expect(posted.body.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
      const raw = await openRawSocket(gateway.url, token);
      raw.subscribe(document, {});
      await eventually(() => expect(raw.messages).toHaveLength(1));
      expect(raw.messages[0]).toMatchObject({ type: 'error' });
      raw.socket.close();
      const got = await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(document)}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await got.text()).toContain('GRAPHQL_VALIDATION_FAILED');
    },
  );

  it.each(NEARLY)('no error says what was perhaps meant: %s (case 96)', async (document, variables) => {
    const { body } = await ask(gateway, token, document, variables);
    expect(body.errors?.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain('Did you mean');
  });

  it('a __typename is told, and GraphiQL is not shown (case 96)', async () => {
    expect((await ask(gateway, token, '{ __typename }')).body.data).toEqual({ __typename: 'Query' });
    const page = await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(401);
  });
});

describe('each by its own variable', () => {
  it('the schema, suggestions and GraphiQL come back in production (case 96)', async () => {
    const gateway = await startTestGateway({
      env: {
        ...PRODUCTION,
        TIDINGS_INTROSPECTION: 'on',
        TIDINGS_SUGGESTIONS: 'on',
        TIDINGS_GRAPHIQL: 'on',
      },
    });
    const token = await (await gateway.createAccount()).createToken();
    const { body } = await ask(gateway, token, '{ __schema { queryType { name } } }');
    expect(body.data).toEqual({ __schema: { queryType: { name: 'Query' } } });
    for (const [document, variables] of NEARLY) {
      expect((await ask(gateway, token, document, variables)).text).toContain('Did you mean');
    }
    const page = await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    await gateway.close();
  });
});

describe('what another site could make a browser send', () => {
  let gateway: TestGateway;
  let token: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    token = await (await gateway.createAccount()).createToken();
  });
  afterAll(() => gateway.close());

  const CREATE = 'mutation { createSession(input: { title: "Forged" }) { session { id } } }';
  const sessions = async () =>
    (await ask(gateway, token, '{ sessions(first: 1) { totalCount } }')).body.data?.sessions;

  it('a mutation by GET is a 405, and nothing is done (case 97)', async () => {
    const response = await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(CREATE)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await sessions()).toEqual({ totalCount: 0 });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a POST of %s is refused, and nothing is done (case 97)',
    async (type) => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: `Bearer ${token}` },
        body: JSON.stringify({ query: CREATE }),
      });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('BAD_USER_INPUT');
      expect(await sessions()).toEqual({ totalCount: 0 });
    },
  );
});
