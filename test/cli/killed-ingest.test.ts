import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { runOf } from '../../src/ingest/resuming.js';
import { createPostgres, onPostgres } from '../database.js';
import { ownRecordings } from '../ingest/recordings.js';
import { eventOffsets, ingest } from '../ingest/streams.js';
import { begin } from './command.js';

/* A real server that is killed in the middle of a stream, where nobody can tidy up, and the one that is started after it. */

const directory = mkdtempSync(join(tmpdir(), 'tidings-killed-'));
const env: Record<string, string> = {
  DATA_DIR: directory,
  PORT: '0',
  TIDINGS_DEMO: 'on',
};
const PATIENT = { timeout: 60_000, interval: 50 };
let drop = async () => {};
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  if (onPostgres) {
    const postgres = await createPostgres();
    drop = postgres.drop;
    env.DATABASE_URL = postgres.url;
  }
  server = await serve();
}, 120_000);
afterAll(async () => {
  await server.kill();
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

async function serve() {
  const { child, output, ended } = begin(['serve'], env);
  const url = await vi.waitFor(() => {
    const found = /"url":"([^"]+)\/graphql"/.exec(output.out)?.[1];
    if (found === undefined) throw new Error(`Not listening yet: ${output.out}${output.err}`);
    return found;
  }, PATIENT);
  const tokens: DemoTokens = JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { url, token: tokens.service, kill };
}

const authorized = () => ({ authorization: `Bearer ${server.token}` });

async function ask<T>(query: string, variables: object = {}): Promise<T> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorized() },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors }: { data: T; errors?: unknown } = JSON.parse(await response.text());
  expect(errors).toBeUndefined();
  return data;
}

async function newSession(): Promise<string> {
  const { createSession } = await ask<{ createSession: { session: { sessionId: string } } }>(
    'mutation { createSession(input: {}) { session { sessionId } } }',
  );
  return createSession.session.sessionId;
}

interface Told {
  readonly eventId: string;
  readonly kind: string;
}

async function eventsOf(id: string): Promise<readonly Told[]> {
  const { session } = await ask<{ session: { events: { nodes: Told[] } } }>(
    'query ($id: ID!) { session(sessionId: $id) { events(first: 200) { nodes { ... on SessionEventOccurrence { eventId kind } } } } }',
    { id },
  );
  return session.events.nodes;
}

const address = (id: string) => `${server.url}/ingest/${id}?stream=s`;

async function askOffset(id: string): Promise<number> {
  const { headers } = await fetch(address(id), { method: 'HEAD', headers: authorized() });
  return Number(headers.get('ingest-offset'));
}

/** Writes these bytes of a stream; its answer, if the server lives to give one. */
function post(id: string, offset: number, bytes: Uint8Array) {
  const upload = request(address(id), {
    method: 'POST',
    headers: { ...authorized(), 'ingest-offset': String(offset) },
    agent: false,
  });
  const answer = once(upload, 'response').then(([response]) => {
    response.resume();
    return response.statusCode as number;
  });
  answer.catch(() => undefined);
  upload.write(bytes);
  return { upload, answer };
}

const recording = ownRecordings().toSorted((a, b) => b.bytes.length - a.bytes.length)[0];
const bytes = recording?.bytes ?? new Uint8Array();

it('a stream whose server is killed again and again goes on where that was, and comes to the same', async () => {
  const id = await newSession();
  const told = eventOffsets(bytes);
  const kills = [0.1, 0.4, 0.6, 0.9].map((share) => told[Math.floor(told.length * share)] ?? 0);
  expect(new Set(kills).size).toBe(4);
  for (const cut of kills.map((at) => at + 77)) {
    const offset = await askOffset(id);
    const { answer } = post(id, offset, bytes.subarray(offset, cut));
    // Something of it, or all: what had not been committed when the kill came has to come again.
    await vi.waitFor(async () => expect(await askOffset(id)).toBeGreaterThan(offset), PATIENT);
    await server.kill();
    await expect(answer).rejects.toThrow();
    server = await serve();
  }
  const offset = await askOffset(id);
  const { upload, answer } = post(id, offset, bytes.subarray(offset));
  upload.end();
  expect(await answer).toBe(200);
  const expected = ingest([bytes], { sessionId: id, run: runOf('s') }).events;
  expect((await eventsOf(id)).map(({ eventId }) => eventId)).toEqual(expected.map(({ eventId }) => eventId));
}, 240_000);

it('a stream whose server is killed ends when nobody goes on, by the server that comes after', async () => {
  await server.kill();
  env.TIDINGS_SILENCE = '3';
  server = await serve();
  const id = await newSession();
  post(id, 0, bytes.subarray(0, (eventOffsets(bytes)[0] ?? 0) + 77));
  await vi.waitFor(async () => expect(await askOffset(id)).toBeGreaterThan(0), PATIENT);
  await server.kill();
  server = await serve();
  await vi.waitFor(async () => expect((await eventsOf(id)).at(-1)?.kind).toBe('ERROR'), PATIENT);
}, 120_000);
