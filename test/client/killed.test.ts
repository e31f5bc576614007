import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { begin } from '../cli/command.js';
import { createPostgres, onPostgres } from '../database.js';
import { APPEND, activity } from '../events/house.js';
import { freePort } from '../servers/own-process.js';
import { eventually } from '../subscriptions/eventually.js';
import { named } from '../subscriptions/streams.js';
import { followBy, TRANSPORTS } from './house.js';

/* A real server that is killed where nobody can say goodbye, and those that come after it at the same address. */

const KILLS = 4;

const directory = mkdtempSync(join(tmpdir(), 'tidings-client-'));
const env: Record<string, string> = { DATA_DIR: directory, TIDINGS_DEMO: 'on' };
let drop = async () => {};
let url = '';
let kill = async () => {};

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env.PORT = String(port);
  if (onPostgres) {
    const postgres = await createPostgres();
    drop = postgres.drop;
    env.DATABASE_URL = postgres.url;
  }
  await serve();
});
afterAll(async () => {
  await kill();
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

async function serve(): Promise<void> {
  const { child, output, ended } = begin(['serve'], env);
  kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  await eventually(() => expect(output.out + output.err).toContain('"listening"'));
}

const tokens = (): DemoTokens => JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'));

/** Until a server says that it has done it: who was killed may have done it or not. */
async function ask<T>(query: string, variables: object): Promise<T> {
  for (;;) {
    try {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens().service}` },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = await response.json();
      if (data && !errors) return data;
    } catch {
      await sleep(20);
    }
  }
}

it('clients that follow have each event once and in order, whenever their server is killed', async () => {
  const { createSession } = await ask<{ createSession: { session: { sessionId: string } } }>(
    'mutation { createSession(input: {}) { session { sessionId } } }',
    {},
  );
  const variables = createSession.session;
  const clients = TRANSPORTS.map((transport) =>
    followBy(transport, { url, token: tokens().service, variables }),
  );
  const written: string[] = [];
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      const ids = named(written.length + 1, written.length + 5);
      await ask(APPEND, { input: { ...variables, events: ids.map(activity) } });
      written.push(...ids);
    }
  };
  const writing = write();
  const seen = clients.map(() => [] as string[]);
  const reading = clients.map(async ({ following }, client) => {
    for await (const { edges } of following) {
      for (const { node } of edges) seen[client]?.push(node?.eventId ?? 'nothing');
      if (seen[client]?.at(-1) === 'last') break;
    }
  });
  for (let kills = 0; kills < KILLS; kills++) {
    const before = written.length;
    const more = 1 + Math.random() * 150;
    await eventually(() => expect(written.length).toBeGreaterThan(before + more));
    await kill();
    await serve();
  }
  isOver = true;
  await writing;
  await ask(APPEND, { input: { ...variables, events: [activity('last')] } });
  await Promise.all(reading);
  expect(seen).toEqual(clients.map(() => [...written, 'last']));
  for (const { waits } of clients) expect(waits().length).toBeGreaterThanOrEqual(KILLS);
}, 400_000);
