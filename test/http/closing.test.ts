import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { GOOD, openDoors, readJson, type TestDoors } from './doors.js';
import { initialised } from './raw-socket.js';

const STAYS = 'subscription { count(to: 1, stays: true) { number } }';
const headers = { 'content-type': 'application/json', authorization: GOOD };
const draining = (seconds: string) => openDoors({ env: { TIDINGS_DRAIN: seconds } });
const patiently = { timeout: 10_000 };

/** Posts on the agent's connection: the status, and whether the connection is kept. */
function post(doors: TestDoors, agent: Agent): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const asked = request(doors.graphql, { method: 'POST', agent, headers }, (response) => {
      const { statusCode, headers } = response.resume();
      resolve([statusCode, headers.connection]);
    });
    asked.once('error', reject).end(JSON.stringify({ query: '{ hello }' }));
  });
}

const stream = (doors: TestDoors) =>
  fetch(doors.graphql, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query: STAYS }),
  });

const noLongerListens = ({ url }: TestDoors) =>
  vi.waitFor(() => expect(fetch(`${url}/health`)).rejects.toThrow(), patiently);

describe('a server that stops while somebody is connected', () => {
  it('says so for a while, on new connections and on those that are kept', async () => {
    const doors = await draining('5');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await post(doors, agent)).toEqual([200, 'keep-alive']);
    const closing = doors.close();
    await vi.waitFor(async () => expect((await fetch(`${doors.url}/ready`)).status).toBe(503));
    expect((await fetch(`${doors.url}/health`)).status).toBe(200);
    const refused = await fetch(doors.graphql, { method: 'POST', headers, body: '{"query":"{ hello }"}' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await readJson(refused)).errors?.[0]?.extensions).toEqual({ code: 'SHUTTING_DOWN' });
    expect(await post(doors, agent)).toEqual([503, 'close']);
    const upgraded = once(new WebSocket(doors.socket, 'graphql-transport-ws'), 'open');
    await expect(upgraded).rejects.toThrow('503');
    await closing;
    await expect(fetch(`${doors.url}/health`)).rejects.toThrow();
  });

  it('closes WebSockets with 1001 one after the other', async () => {
    const doors = await draining('3');
    const sockets = await Promise.all(Array.from({ length: 10 }, () => initialised(doors.socket)));
    for (const { subscribe } of sockets) subscribe('1', STAYS);
    await vi.waitFor(() => expect(doors.streams.open).toBe(10), patiently);
    const closing = doors.close();
    await Promise.race(sockets.map(({ closed }) => closed));
    for (const { socket, send } of sockets) if (socket.readyState === WebSocket.OPEN) send({ type: 'ping' });
    const answered = () => sockets.filter(({ messages }) => messages.at(-1)?.type === 'pong');
    await vi.waitFor(() => expect(answered().length).toBeGreaterThan(0), patiently);
    const codes = await Promise.all(sockets.map(async ({ closed }) => (await closed).code));
    expect(codes).toEqual(Array(10).fill(1001));
    await closing;
    expect(doors.streams.open).toBe(0);
  });

  it('cuts event streams one after the other', async () => {
    const doors = await draining('1');
    const streams = await Promise.all(Array.from({ length: 10 }, () => stream(doors)));
    await vi.waitFor(() => expect(doors.streams.open).toBe(10), patiently);
    const cuts = streams.map((response) => response.text().catch(() => 'cut'));
    const closing = doors.close();
    const left = Promise.race(cuts).then(() => doors.streams.open);
    expect(await left).toBeGreaterThan(5);
    expect(await Promise.all(cuts)).toEqual(Array(10).fill('cut'));
    await closing;
    expect(doors.streams.open).toBe(0);
  });

  it('takes nothing new from WebSockets, and closes those that wait for an answer when they have it', async () => {
    const doors = await draining('0');
    const { subscribe, messages, closed } = await initialised(doors.socket);
    subscribe('1', '{ waits }');
    subscribe('2', STAYS);
    await vi.waitFor(() => expect(messages).toHaveLength(2), patiently);
    const closing = doors.close();
    await noLongerListens(doors);
    subscribe('3', '{ hello }');
    await vi.waitFor(() => expect(messages).toHaveLength(3), patiently);
    expect(messages[2]).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'SHUTTING_DOWN' } }],
    });
    doors.streams.waiting[0]?.();
    expect((await closed).code).toBe(1001);
    expect(messages.slice(3)).toMatchObject([
      { type: 'next', id: '1', payload: { data: { waits: 'done' } } },
      { type: 'complete', id: '1' },
    ]);
    await closing;
  });

  it('lets answers that are under way finish', async () => {
    const doors = await draining('0');
    const answer = doors.post('{ waits }');
    await vi.waitFor(() => expect(doors.streams.waiting).toHaveLength(1), patiently);
    const closing = doors.close();
    await noLongerListens(doors);
    doors.streams.waiting[0]?.();
    expect((await answer).body).toMatchObject({ data: { waits: 'done' } });
    await closing;
  });
});

describe('a server that stops while nobody is connected', () => {
  it('does not wait for anybody to come', async () => {
    const order: string[] = [];
    const [visited, lonely] = [await draining('1'), await draining('1')];
    await initialised(visited.socket);
    await Promise.all([
      visited.close().then(() => order.push('visited')),
      lonely.close().then(() => order.push('lonely')),
    ]);
    expect(order).toEqual(['lonely', 'visited']);
  });
});
