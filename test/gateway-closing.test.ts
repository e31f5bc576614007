import { once } from 'node:events';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createAccount } from '../src/accounts/actions.js';
import { createToken } from '../src/accounts/tokens.js';
import { readConfig } from '../src/config.js';
import { type Gateway, startGateway } from '../src/gateway.js';
import { openTestDatabase } from './database.js';
import { countResources, expectReleased } from './resources.js';

const log = pino({ level: 'silent' });
const config = readConfig({ PORT: '0', TIDINGS_DEMO: 'off', RATE_LIMIT: 'off', TIDINGS_DRAIN: '0' });

const patiently = { timeout: 20_000 };

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

/** A gateway with one member and a session of its own. */
async function open() {
  const database = await openTestDatabase();
  gateway = await startGateway(config, { database, log });
  const account = await createAccount(database, { name: 'Reader' });
  const { secret } = await createToken(database, { kind: 'PERSONAL', accountId: account.id });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const ask = (query: string, more: object = {}) =>
    fetch(`${gateway?.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ query }),
    });
  const created = await ask('mutation { createSession(input: { title: "One" }) { session { sessionId } } }');
  const { sessionId } = JSON.parse(await created.text()).data.createSession.session;
  const query = `subscription { sessionEvents(sessionId: "${sessionId}") { caughtUp } }`;
  return { gateway, secret, ask, query };
}

/** A socket with a subscription that has shown its first update, and what closes it in the end. */
async function follow({ url }: Gateway, secret: string, query: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = once(socket, 'close');
  const types: string[] = [];
  socket.on('message', (data) => types.push(JSON.parse(String(data)).type));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${secret}` } }));
  await vi.waitFor(() => expect(types).toContain('connection_ack'), patiently);
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  await vi.waitFor(() => expect(types).toContain('next'), patiently);
  return { closed };
}

describe('a gateway that is closed', () => {
  it('ends every stream, and leaves no handle, timer or listener', async () => {
    const before = countResources();
    const { gateway, secret, ask, query } = await open();
    const sockets = await Promise.all(Array.from({ length: 10 }, () => follow(gateway, secret, query)));
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => ask(query, { accept: 'text/event-stream' })),
    );
    expect(gateway.means.tails.size).toBe(1);
    // The log, and changes of access.
    expect(gateway.listeners()).toBe(2);
    const texts = streams.map((stream) =>
      stream.text().then(
        () => 'whole',
        () => 'cut',
      ),
    );
    await gateway.close();
    const codes = await Promise.all(sockets.map(async ({ closed }) => (await closed)[0]));
    expect(codes).toEqual(Array(10).fill(1001));
    expect(await Promise.all(texts)).toEqual(Array(10).fill('cut'));
    expect(gateway.means.tails.size).toBe(0);
    expect(gateway.listeners()).toBe(0);
    await expectReleased(before);
  });

  it('is closed once, however often it is asked', async () => {
    const { gateway } = await open();
    const closings = [gateway.close(), gateway.close()];
    expect(closings[0]).toBe(closings[1]);
    await Promise.all(closings);
    await gateway.close();
  });
});

describe('a gateway that cannot start', () => {
  it('leaves nothing open', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const before = countResources();
    const database = await openTestDatabase();
    await expect(startGateway({ ...config, port }, { database, log })).rejects.toThrow('EADDRINUSE');
    await expectReleased(before);
    taken.close();
  });
});
