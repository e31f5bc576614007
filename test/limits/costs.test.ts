import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startTestGateway, type TestAccount, type TestGateway } from '../gateway.js';

let gateway: TestGateway;
let account: TestAccount;
let token: string;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { TIDINGS_COST_BUDGET: '1000' } });
  account = await gateway.createAccount();
  token = await account.createToken();
  await account.createSession();
});
afterAll(() => gateway.close());

const FOUR_DEEP = `{ sessions(first: 200) { nodes { events(first: 200) { nodes { ... on SessionEventOccurrence { session {
  events(first: 200) { nodes { ... on SessionEventOccurrence { session { events(last: 200) { nodes { __typename } } } } } }
} } } } } } }`;

describe('what an operation may cost', () => {
  it('is refused with figures when it is too much, before anything is read (case 95)', async () => {
    let reply: Awaited<ReturnType<typeof gateway.request>> | undefined;
    const statements = await gateway.countStatements(async () => {
      reply = await gateway.request(FOUR_DEEP, { token });
    });
    expect(reply?.status).toBe(400);
    const [error] = reply?.body.errors ?? [];
    expect(error?.extensions).toEqual({ code: 'QUERY_TOO_COMPLEX', cost: expect.any(Number), limit: 50_000 });
    expect(error?.extensions.cost).toBeGreaterThan(200 ** 4);
    expect(error?.message).toContain('costs at most 50000, this one may cost 16');
    expect(reply?.body.data).toBeUndefined();
    // Whose credential it is.
    expect(statements).toBe(1);
  });

  it('is refused over WebSocket alike', async () => {
    const { value } = await gateway.subscribe(FOUR_DEEP, { token }).next();
    expect(value).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 50_000 } }] });
  });
});

describe('what a credential may spend in a minute', () => {
  const PAGE = '{ sessions(first: 90) { nodes { id } } }';

  it('is told with each answer, and refused when it is spent', async () => {
    const spender = await account.createToken();
    const first = await gateway.request(PAGE, { token: spender });
    expect(first.body).toMatchObject({
      extensions: { cost: { requested: 100, limit: 50_000, budget: { limit: 1_000, remaining: 900 } } },
    });
    expect(first.headers.get('ratelimit-policy')).toBe('"credential";q=1000;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"credential";r=900;t=\d+$/);
    for (let spent = 200; spent <= 1_000; spent += 100) {
      expect((await gateway.request(PAGE, { token: spender })).status).toBe(200);
    }
    const refused = await gateway.request(PAGE, { token: spender });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', limit: 1_000, seconds: 60 } }],
    });
    const { value } = await gateway.subscribe(PAGE, { token: spender }).next();
    expect(value).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    // Another one of the same person has its own.
    expect((await gateway.request(PAGE, { token: await account.createToken() })).status).toBe(200);
  });

  it('is not told in updates, which are the same for all who see the same', async () => {
    const { value } = await gateway.subscribe('subscription { sessionChanged { resync } }', { token }).next();
    expect(value).toEqual({ data: { sessionChanged: { resync: true } } });
  });
});

describe('open streams', () => {
  it('are counted by credential and address, and no more once they are closed', async () => {
    const small = await startTestGateway({
      env: { TIDINGS_ADDRESS_STREAMS: '3', TIDINGS_CREDENTIAL_STREAMS: '2' },
    });
    const person = await small.createAccount();
    const [one, other] = [await person.createToken(), await person.createToken()];
    const open = async (secret: string) => {
      const socket = new WebSocket(
        small.url.replace('http', 'ws').concat('/graphql'),
        'graphql-transport-ws',
      );
      let refusal: string | undefined;
      let isAcknowledged = false;
      socket.on('open', () =>
        socket.send(
          JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${secret}` } }),
        ),
      );
      socket.on('message', () => {
        isAcknowledged = true;
      });
      socket.on('close', (code, reason) => {
        refusal ??= `${code} ${reason}`;
      });
      socket.on('unexpected-response', (request, { statusCode }) => {
        refusal = `HTTP ${statusCode}`;
        request.destroy();
      });
      socket.on('error', () => undefined);
      await vi.waitFor(() => expect(refusal !== undefined || isAcknowledged).toBe(true), { timeout: 10_000 });
      return { socket, refusal };
    };
    try {
      const first = await open(one);
      const second = await open(one);
      const third = await open(one);
      expect([first, second, third].map(({ refusal }) => refusal)).toEqual([
        undefined,
        undefined,
        '1013 RATE_LIMITED: Expected at most 2 open streams from a credential',
      ]);
      await vi.waitFor(async () => expect((await open(other)).refusal).toBeUndefined());
      expect((await open(other)).refusal).toBe('HTTP 429');
      const stream = () =>
        fetch(
          `${small.url}/graphql?query=${encodeURIComponent('subscription { sessionChanged { resync } }')}`,
          {
            headers: { accept: 'text/event-stream', authorization: `Bearer ${other}` },
          },
        );
      const refused = await stream();
      expect(refused.status).toBe(429);
      expect(JSON.parse(await refused.text())).toMatchObject({
        errors: [{ extensions: { code: 'RATE_LIMITED', maximum: 3 } }],
      });
      first.socket.close();
      await vi.waitFor(async () => {
        const taken = await stream();
        expect(taken.status).toBe(200);
        await taken.body?.cancel();
      });
      second.socket.close();
      await vi.waitFor(async () => {
        const { socket, refusal } = await open(one);
        socket.close();
        expect(refusal).toBeUndefined();
      });
    } finally {
      await small.close();
    }
  });
});
