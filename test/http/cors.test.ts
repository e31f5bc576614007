import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { GOOD, openDoors, type TestDoors } from './doors.js';

const OURS = 'https://app.example';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors({ env: { TIDINGS_ORIGINS: `${OURS},http://localhost:5173` } });
});
afterAll(() => doors.close());

/** fetch() sets these headers itself; node:http sends what it is given. */
function send(method: string, headers: Readonly<Record<string, string>>, path = '/graphql') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = request(`${doors.url}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.once('error', reject);
    sent.end(method === 'POST' ? JSON.stringify({ query: 'mutation { touch }' }) : undefined);
  });
}

const preflight = (origin: string, path?: string) =>
  send(
    'OPTIONS',
    {
      origin,
      'sec-fetch-site': 'cross-site',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
    path,
  );
const post = (origin: string, authorization = GOOD, type = 'application/json') =>
  send('POST', { origin, 'sec-fetch-site': 'cross-site', 'content-type': type, authorization });

describe('a page whose origin is named', () => {
  it('is told before it asks that it may, without a credential', async () => {
    const { status, headers } = await preflight(OURS);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': OURS,
      'access-control-allow-methods': 'POST, GET',
      'access-control-allow-headers': 'authorization, content-type',
      vary: 'origin',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('reads the answer, and the refusal too', async () => {
    for (const [authorization, expected] of [
      [GOOD, 200],
      ['Bearer tdg_bad', 401],
    ] as const) {
      const { status, headers } = await post('http://localhost:5173', authorization);
      expect([status, headers['access-control-allow-origin']]).toEqual([expected, 'http://localhost:5173']);
    }
  });

  it('opens a WebSocket', async () => {
    const socket = new WebSocket(doors.socket, 'graphql-transport-ws', { origin: OURS });
    await once(socket, 'open');
    socket.close();
  });

  it('sends no simple type either (case 97)', async () => {
    expect((await post(OURS, GOOD, 'text/plain')).status).toBe(400);
  });
});

describe('a page of any other origin', () => {
  it.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'is refused: %s',
    async (origin) => {
      const touched = doors.streams.touched;
      for (const { status, headers } of [await preflight(origin), await post(origin)]) {
        expect(status).toBe(403);
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
      expect(doors.streams.touched).toBe(touched);
      const socket = new WebSocket(doors.socket, 'graphql-transport-ws', { origin });
      const [error] = await once(socket, 'error');
      expect(String(error)).toContain('403');
    },
  );

  it('is told nothing at other addresses', async () => {
    expect((await preflight(OURS, '/ingest/x')).status).toBe(405);
  });
});
