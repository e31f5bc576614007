import { createClient } from 'graphql-ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { GOOD, openDoors, SERVICE, type TestDoors } from './doors.js';
import { initialised, rawSocket } from './raw-socket.js';

let doors: TestDoors;
afterEach(() => doors.close());

const limited = async (env: Readonly<Record<string, string>> = {}) => {
  doors = await openDoors({ env: { RATE_LIMIT: '3/60/300', ...env } });
};

/** The status of a request, by whoever it is. */
async function ask(headers: Readonly<Record<string, string>> = { authorization: GOOD }): Promise<number> {
  const response = await fetch(doors.graphql, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: '{ hello }' }),
  });
  await response.text();
  return response.status;
}

const askTimes = async (times: number, headers?: Readonly<Record<string, string>>) => {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push(await ask(headers));
  return statuses;
};

/** How an upgrade is refused: its status and when to come back. */
const refusedUpgrade = () =>
  new Promise<{ status: number | undefined; retryAfter: string | undefined }>((resolve, reject) => {
    const socket = new WebSocket(doors.socket, 'graphql-transport-ws');
    socket.once('open', () => reject(new Error('The WebSocket was taken in.')));
    socket.once('unexpected-response', (_, { statusCode, headers }) =>
      resolve({ status: statusCode, retryAfter: headers['retry-after'] }),
    );
  });

describe('an address that asks too often', () => {
  it('is refused, and told by how much and when to come back', async () => {
    await limited();
    expect(await askTimes(3)).toEqual([200, 200, 200]);
    const { response, body } = await doors.post('{ hello }');
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('300');
    expect(body).toEqual({
      errors: [
        {
          message:
            'Expected at most 3 requests in 60 seconds from an address, got more. Ask again in 300 seconds.',
          extensions: { code: 'RATE_LIMITED', limit: 3, seconds: 60, retryAfter: 300 },
        },
      ],
    });
  });

  it('reads in each answer what is left', async () => {
    await limited();
    const { response } = await doors.post('{ hello }');
    expect(response.headers.get('ratelimit-policy')).toBe('"address";q=3;w=60');
    expect(response.headers.get('ratelimit')).toMatch(/^"address";r=2;t=(60|59)$/);
  });

  it('is refused whatever it shows, and whatever it asks for at these doors', async () => {
    await limited();
    await askTimes(4);
    expect(await ask({ authorization: SERVICE })).toBe(429);
    expect(await ask({})).toBe(429);
    for (const method of ['POST', 'HEAD']) {
      const { status } = await fetch(`${doors.url}/ingest/8d1c1d0e-5f7b-4b0e-9d4a-1f4d5d0d9f3b`, {
        method,
        headers: { authorization: GOOD },
      });
      expect(status).toBe(429);
    }
    expect(await refusedUpgrade()).toEqual({ status: 429, retryAfter: '300' });
  });

  it('still finds probes and pages', async () => {
    await limited();
    await askTimes(4);
    for (const path of ['/health', '/ready', '/graphql', '/health', '/ready', '/graphql']) {
      const response = await fetch(`${doors.url}${path}`, { headers: { accept: 'text/html' } });
      await response.text();
      expect(response.status).toBe(200);
    }
  });

  it('asks as often as it likes where nothing is counted', async () => {
    await limited({ RATE_LIMIT: 'off' });
    expect(new Set(await askTimes(20))).toEqual(new Set([200]));
    const { response } = await doors.post('{ hello }');
    expect(response.headers.get('ratelimit')).toBeNull();
  });
});

describe('what counts for an address', () => {
  it('a request without a good credential', async () => {
    await limited();
    expect(await askTimes(4, {})).toEqual([401, 401, 401, 429]);
    expect(await ask()).toBe(429);
  });

  it('not what is asked from elsewhere, behind a proxy that is trusted', async () => {
    await limited({ TRUSTED_PROXIES: 'loopback' });
    const from = (address: string) => ({ authorization: GOOD, 'x-forwarded-for': address });
    expect(await askTimes(4, from('192.0.2.1'))).toEqual([200, 200, 200, 429]);
    // What a client writes itself stands before what the proxy adds.
    expect(await ask(from('198.51.100.1, 192.0.2.1'))).toBe(429);
    expect(await ask(from('192.0.2.2'))).toBe(200);
    // A customer has all of a network.
    expect(await askTimes(2, from('2001:db8::1'))).toEqual([200, 200]);
    expect(await askTimes(2, from('2001:db8::2'))).toEqual([200, 429]);
  });

  it('what says that it comes from elsewhere, if nobody trusts it', async () => {
    await limited();
    const statuses = [];
    for (let host = 1; host <= 4; host++) {
      statuses.push(await ask({ authorization: GOOD, 'x-forwarded-for': `192.0.2.${host}` }));
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('an event stream, once', async () => {
    await limited();
    const query = encodeURIComponent('subscription { count(to: 50) { number } }');
    const response = await fetch(`${doors.graphql}?query=${query}`, {
      headers: { authorization: GOOD, accept: 'text/event-stream' },
    });
    expect((await response.text()).match(/event: next/g)).toHaveLength(50);
    expect(await askTimes(3)).toEqual([200, 200, 429]);
  });

  it('no request of a SERVICE credential, unless that has a limit of its own', async () => {
    await limited();
    expect(new Set(await askTimes(10, { authorization: SERVICE }))).toEqual(new Set([200]));
    expect(await askTimes(3)).toEqual([200, 200, 200]);
  });

  it('and a SERVICE credential that passes its own limit takes nothing from its address', async () => {
    await limited({ TIDINGS_SERVICE_RATE_LIMIT: '2/60/30' });
    expect(await askTimes(3, { authorization: SERVICE })).toEqual([200, 200, 429]);
    expect(await askTimes(3)).toEqual([200, 200, 200]);
  });
});

describe('over WebSocket', () => {
  const refusedBy = (limit: number) => ({
    type: 'error',
    payload: [{ extensions: { code: 'RATE_LIMITED', limit } }],
  });

  it('each operation counts, and a subscription once', async () => {
    await limited();
    const { messages, subscribe, socket } = await initialised(doors.socket);
    subscribe('1', 'subscription { count(to: 20) { number } }');
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '1' }));
    for (const id of ['2', '3', '4']) {
      subscribe(id, '{ hello }');
      await vi.waitFor(() =>
        expect(messages.at(-1)).toMatchObject({ id, type: id === '4' ? 'error' : 'complete' }),
      );
    }
    expect(messages.at(-1)).toMatchObject({ ...refusedBy(3), id: '4' });
    // What was begun goes on, and requests are refused too.
    expect(socket.readyState).toBe(socket.OPEN);
    expect(await ask()).toBe(429);
    socket.close();
  });

  it('requests before it count as well', async () => {
    await limited();
    await askTimes(3);
    const { messages, subscribe, socket } = await initialised(doors.socket);
    subscribe('1', '{ hello }');
    await vi.waitFor(() => expect(messages.at(-1)).toMatchObject(refusedBy(3)));
    socket.close();
  });

  it('operations of a SERVICE credential count for itself', async () => {
    await limited({ TIDINGS_SERVICE_RATE_LIMIT: '1/60/30' });
    const client = createClient({
      url: doors.socket,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { authorization: SERVICE },
    });
    expect((await client.iterate({ query: '{ hello }' }).next()).value).toMatchObject({
      data: { hello: 'Hello you' },
    });
    const refused = await client
      .iterate({ query: '{ hello }' })
      .next()
      .catch((errors: unknown) => errors);
    expect(refused).toMatchObject(refusedBy(1).payload);
    await client.dispose();
    expect(await askTimes(3)).toEqual([200, 200, 200]);
  });

  it('a credential that is not good counts, and so does a socket that asks for nothing', async () => {
    await limited();
    const bad = await rawSocket(doors.socket);
    bad.send({ type: 'connection_init', payload: { authorization: 'Bearer tdg_bad' } });
    expect(await bad.closed).toMatchObject({ code: 4401 });
    for (let idle = 0; idle < 2; idle++) {
      const { socket, closed } = await initialised(doors.socket);
      socket.close();
      await closed;
    }
    await vi.waitFor(async () => expect(await ask()).toBe(429));
    expect(await refusedUpgrade()).toMatchObject({ status: 429 });
  });
});
