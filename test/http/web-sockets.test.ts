import { once } from 'node:events';
import { connect } from 'node:net';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { FAILING, GOOD, openDoors, steady, type TestDoors } from './doors.js';
import { initialised, rawSocket } from './raw-socket.js';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors({ env: { TIDINGS_MAX_FRAME: '64kB' } });
});
afterAll(() => doors.close());

const SILENT = 'subscription { count(to: 0, stays: true) { number } }';

const client = (authorization = GOOD): Client =>
  createClient({
    url: doors.socket,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization },
  });

describe('a WebSocket', () => {
  it('carries queries, mutations and subscriptions', async () => {
    const { iterate, dispose } = client();
    const results: unknown[] = [];
    for (const query of ['{ hello }', 'mutation { touch }', 'subscription { count(to: 2) { number } }']) {
      for await (const result of iterate({ query })) results.push(result.data);
    }
    expect(results).toEqual([
      { hello: 'Hello you' },
      { touch: 1 },
      { count: { number: 1 } },
      { count: { number: 2 } },
    ]);
    await dispose();
  });

  it.each([
    ['{ hello', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query A { hello } query B { hello }', 'BAD_USER_INPUT'],
  ])('refuses %s before it runs', async (query, code) => {
    const { messages, send, socket } = await initialised(doors.socket);
    send({ type: 'subscribe', id: '1', payload: { query } });
    await vi.waitFor(() => expect(messages).toHaveLength(2));
    expect(messages[1]).toMatchObject({ type: 'error', id: '1', payload: [{ extensions: { code } }] });
    expect(JSON.stringify(messages[1])).not.toContain('"http"');
    socket.close();
  });

  it.each([
    ['{ refused }', 'NOT_FOUND'],
    ['{ broken }', 'INTERNAL_SERVER_ERROR'],
    ['subscription { refused }', 'NOT_FOUND'],
  ])('answers %s with the code and nothing private', async (query, code) => {
    const { iterate, dispose } = client();
    const { value } = await iterate({ query }).next();
    expect(value).toMatchObject({ errors: [{ extensions: { code } }] });
    expect(JSON.stringify(value)).not.toMatch(/SELECT|"http"/);
    await dispose();
  });

  it('goes on behind an update that fails, and masks it', async () => {
    const { iterate, dispose } = client();
    const updates = [];
    for await (const update of iterate({ query: 'subscription { count(to: 4) { notThree } }' }))
      updates.push(update);
    expect(updates.map(({ data }) => data)).toEqual(
      [1, 2, null, 4].map((notThree) => ({ count: { notThree } })),
    );
    expect(updates[2]?.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    await dispose();
  });

  it('lets a subscription go when its client completes it', async () => {
    const { messages, send, socket } = await initialised(doors.socket);
    send({
      type: 'subscribe',
      id: '1',
      payload: { query: 'subscription { count(to: 1, stays: true) { number } }' },
    });
    await vi.waitFor(() => expect(messages).toHaveLength(2));
    expect(doors.streams.open).toBe(1);
    send({ type: 'complete', id: '1' });
    await vi.waitFor(() => expect(doors.streams.open).toBe(0));
    socket.close();
  });

  it('lets all subscriptions go when it is closed', async () => {
    const { messages, send, socket } = await initialised(doors.socket);
    for (const id of ['1', '2'])
      send({
        type: 'subscribe',
        id,
        payload: { query: 'subscription { count(to: 1, stays: true) { number } }' },
      });
    await vi.waitFor(() => expect(messages).toHaveLength(3));
    expect(doors.streams.open).toBe(2);
    socket.close();
    await vi.waitFor(() => expect(doors.streams.open).toBe(0));
  });

  it('pulls no more than its reader reads', async () => {
    const { messages, send, socket } = await initialised(doors.socket);
    const before = doors.streams.pulled;
    const query = 'subscription { count(to: 1000, bytes: 50000) { number padding } }';
    socket.pause();
    send({ type: 'subscribe', id: '1', payload: { query } });
    await steady(() => doors.streams.pulled);
    expect(doors.streams.pulled - before).toBeLessThan(900);
    socket.resume();
    await vi.waitFor(() => expect(messages.at(-1)?.type).toBe('complete'), { timeout: 20_000 });
    expect(messages).toHaveLength(1_002);
    socket.close();
  });
});

describe('a WebSocket is closed', () => {
  it('with 4408 when no connection_init comes', async () => {
    const impatient = await openDoors({ webSockets: { init: 100 } });
    const { closed } = await rawSocket(impatient.socket);
    expect((await closed).code).toBe(4408);
    await impatient.close();
  });

  it('with 4429 at a second connection_init', async () => {
    const { closed, send } = await initialised(doors.socket);
    send({ type: 'connection_init', payload: { authorization: GOOD } });
    expect((await closed).code).toBe(4429);
  });

  it.each([undefined, 'Bearer tdg_bad', 7])('with 4401 for a bad credential: %s', async (authorization) => {
    const { closed, send, messages } = await rawSocket(doors.socket);
    send({ type: 'connection_init', payload: { authorization } });
    expect(await closed).toEqual({ code: 4401, reason: 'UNAUTHENTICATED' });
    expect(messages).toEqual([]);
  });

  it('with 4401 for a subscribe that comes before its credential was found good', async () => {
    const { closed, send } = await rawSocket(doors.socket);
    const before = doors.streams.pulled;
    send({ type: 'connection_init', payload: { authorization: 'Bearer tdg_bad' } });
    send({ type: 'subscribe', id: '1', payload: { query: 'subscription { count(to: 1) { number } }' } });
    expect((await closed).code).toBe(4401);
    expect(doors.streams.pulled).toBe(before);
  });

  it('with 1013, to come back later, when a credential cannot be looked up', async () => {
    const { closed, send } = await rawSocket(doors.socket);
    send({ type: 'connection_init', payload: { authorization: FAILING } });
    expect((await closed).code).toBe(1013);
  });

  it('with 1009 for a frame that is too large, and never parses it', async () => {
    const { closed, send } = await initialised(doors.socket);
    const before = doors.streams.pulled;
    const query = `subscription { count(to: 1) { number } } #${'x'.repeat(80 * 1024)}`;
    send({ type: 'subscribe', id: '1', payload: { query } });
    expect((await closed).code).toBe(1009);
    expect(doors.streams.pulled).toBe(before);
  });

  it('with 4409 for an id that is in use', async () => {
    const { closed, send } = await initialised(doors.socket);
    const payload = { query: SILENT };
    send({ type: 'subscribe', id: '1', payload });
    send({ type: 'subscribe', id: '1', payload });
    expect((await closed).code).toBe(4409);
    await vi.waitFor(() => expect(doors.streams.open).toBe(0));
  });

  it.each(['{ no json', '{"type":"nothing"}', '{"id":"1","type":"next","payload":{}}'])(
    'with 4400 for %s',
    async (text) => {
      const { closed, socket } = await initialised(doors.socket);
      socket.send(text);
      expect((await closed).code).toBe(4400);
    },
  );

  it('with 4406 for another protocol', async () => {
    const socket = new WebSocket(doors.socket, []);
    const [code] = await once(socket, 'close');
    expect(code).toBe(4406);
  });

  it('with 1001 when the server stops, which waits for it', async () => {
    const stopping = await openDoors();
    const { closed, send } = await initialised(stopping.socket);
    send({
      type: 'subscribe',
      id: '1',
      payload: { query: SILENT },
    });
    await vi.waitFor(() => expect(stopping.streams.pulled).toBe(1));
    await stopping.close();
    expect((await closed).code).toBe(1001);
    expect(stopping.streams.open).toBe(0);
  });
});

describe('a client that vanishes without a word', () => {
  it('is let go after two heartbeats', async () => {
    const watchful = await openDoors({ webSockets: { heartbeat: 100 } });
    const vanishing = await initialised(watchful.socket, { autoPong: false });
    const present = await initialised(watchful.socket);
    vanishing.send({ type: 'subscribe', id: '1', payload: { query: SILENT } });
    await vi.waitFor(() => expect(watchful.streams.pulled).toBe(1));
    await vi.waitFor(() => expect(watchful.streams.open).toBe(0));
    expect(present.socket.readyState).toBe(WebSocket.OPEN);
    await watchful.close();
  });
});

describe('an upgrade', () => {
  const upgrade = (path: string, headers: readonly string[] = []) =>
    new Promise<string>((resolve, reject) => {
      const { port, host } = new URL(doors.url);
      const socket = connect(Number(port), '127.0.0.1');
      const lines = [
        `GET ${path} HTTP/1.1`,
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        ...headers,
      ];
      socket.once('error', reject).once('data', (data) => {
        socket.destroy();
        resolve(String(data).split('\r\n')[0] ?? '');
      });
      socket.write(
        `${lines.join('\r\n')}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
    });

  it('is refused anywhere else', async () => {
    expect(await upgrade('/elsewhere')).toBe('HTTP/1.1 404 Not Found');
  });

  it('is refused to a page of another site', async () => {
    expect(await upgrade('/graphql', ['Origin: https://evil.example'])).toBe('HTTP/1.1 403 Forbidden');
    expect(await upgrade('/graphql', [`Origin: ${doors.url}`])).toBe('HTTP/1.1 101 Switching Protocols');
  });
});
