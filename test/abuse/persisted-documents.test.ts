import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.js';
import { startGateway } from '../../src/gateway.js';
import { Documents } from '../../src/graphql/documents.js';
import { PersistedDocuments } from '../../src/graphql/persisted-documents.js';
import { Turns } from '../../src/graphql/turns.js';
import { schema } from '../../src/schema.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hashed = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

/** What a request says, by each way in: the data or the first error's code and message. */
function doorsOf({ url }: TestGateway, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const shown = (body: { data?: unknown; errors?: { message: string; extensions: { code: string } }[] }) =>
    body.errors?.[0] === undefined ? body.data : [body.errors[0].extensions.code, body.errors[0].message];
  return {
    post: async (body: object) => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return shown(JSON.parse(await response.text()));
    },
    get: async (body: object) => {
      const parameters = Object.entries(body).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      const response = await fetch(`${url}/graphql?${new URLSearchParams(parameters)}`, { headers });
      return shown(JSON.parse(await response.text()));
    },
    socket: async (body: object) => {
      const raw = await openRawSocket(url, token);
      raw.send({ type: 'subscribe', id: '1', payload: { query: '', ...body } });
      await eventually(() => expect(raw.messages.length).toBeGreaterThan(0));
      const [{ type, payload }] = raw.messages as [{ type: string; payload: never }];
      raw.socket.close();
      return shown(type === 'error' ? { errors: payload } : payload);
    },
  };
}

const WAYS = ['post', 'get', 'socket'] as const;
const NOT_FOUND = ['PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'];

describe('automatic persisted queries', () => {
  let gateway: TestGateway;
  let doors: ReturnType<typeof doorsOf>;
  beforeAll(async () => {
    gateway = await startTestGateway();
    doors = doorsOf(gateway, await (await gateway.createAccount()).createToken());
  });
  afterAll(() => gateway.close());

  it.each(WAYS)('are learnt and asked for by %s', async (way) => {
    const query = `query ${way} { viewer { role } }`;
    const extensions = hashed(sha256(query));
    expect(await doors[way]({ extensions })).toEqual(NOT_FOUND);
    expect(await doors[way]({ query, extensions })).toEqual({ viewer: { role: null } });
    for (const other of WAYS) expect(await doors[other]({ extensions })).toEqual({ viewer: { role: null } });
    expect(await doors.post({ documentId: `sha256:${sha256(query)}` })).toEqual({ viewer: { role: null } });
  });

  it.each(WAYS)('are refused by %s with a hash that is not that of the document', async (way) => {
    const query = `query Wrong${way} { viewer { role } }`;
    const extensions = hashed(sha256('something else'));
    expect(await doors[way]({ query, extensions })).toEqual([
      'BAD_USER_INPUT',
      expect.stringContaining('SHA-256'),
    ]);
    expect(await doors[way]({ extensions })).toEqual(NOT_FOUND);
  });

  it('are refused in another shape', async () => {
    for (const persistedQuery of [1, 'x', [], { version: 2, sha256Hash: 'x' }, { version: 1 }]) {
      expect(await doors.post({ extensions: { persistedQuery } })).toEqual([
        'BAD_USER_INPUT',
        expect.stringContaining('sha256Hash'),
      ]);
    }
    expect(await doors.post({ documentId: 7 })).toEqual(['BAD_USER_INPUT', 'documentId: expected text.']);
    expect(await doors.socket({})).toEqual(['BAD_USER_INPUT', expect.stringContaining('query')]);
  });

  it('does no write by GET', async () => {
    const query = 'mutation { createSession(input: {}) { session { id } } }';
    const extensions = hashed(sha256(query));
    await doors.post({ query, extensions });
    expect(await doors.get({ extensions })).toEqual(['BAD_USER_INPUT', expect.any(String)]);
  });
});

describe('the documents that clients have sent with their hash', () => {
  const open = () => {
    const { documents: limits } = readConfig({});
    const documents = new Documents(schema, new Turns(), { limits, introspection: true, suggestions: true });
    return new PersistedDocuments(documents, undefined);
  };
  const send = (persisted: PersistedDocuments, query: string) =>
    persisted.read({ query, extensions: hashed(sha256(query)) }, 'me');
  const recall = (persisted: PersistedDocuments, query: string) =>
    persisted.read({ extensions: hashed(sha256(query)) }, 'me');

  it('are a megabyte at most, the latest used the longest', async () => {
    const persisted = open();
    const often = '{ viewer { role } }';
    await send(persisted, often);
    for (let i = 0; i < 60; i += 1) {
      await send(persisted, `{ viewer { a${i}: role } } #`.padEnd(40_000, '.'));
      expect(persisted.size).toBeLessThanOrEqual(1024 * 1024);
      expect(await recall(persisted, often)).toMatchObject({ source: often });
    }
    expect(persisted.size).toBeGreaterThan(900_000);
  });

  it('are none that are bad or long', async () => {
    const persisted = open();
    for (const bad of ['{ nothing }', '{ viewer', `{ ${'viewer { role } '.repeat(500)} }`]) {
      await expect(send(persisted, bad)).rejects.toThrow();
      await expect(recall(persisted, bad)).rejects.toThrow('PersistedQueryNotFound');
    }
    await send(persisted, '{ viewer { role } } #'.padEnd(100_000, '.'));
    expect(persisted.size).toBe(0);
  });
});

describe('with a manifest', () => {
  const MANIFEST = new URL('../generated/persisted-documents.json', import.meta.url);
  const written: Record<string, string> = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  const [[id, first] = ['', '']] = Object.entries(written).filter(([, text]) =>
    text.startsWith('query BrowserFirst'),
  );
  let gateway: TestGateway;
  let doors: ReturnType<typeof doorsOf>;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { TIDINGS_PERSISTED: MANIFEST.pathname } });
    doors = doorsOf(gateway, await (await gateway.createAccount()).createToken());
  });
  afterAll(() => gateway.close());

  it.each(WAYS)('its documents run by %s, named or word for word', async (way) => {
    const hash = id.replace('sha256:', '');
    for (const body of [
      { documentId: id },
      { documentId: hash },
      { extensions: hashed(hash) },
      { query: first },
    ]) {
      expect(await doors[way](body)).toEqual({ sessions: { nodes: [] } });
    }
  });

  it.each(WAYS)('no others run by %s', async (way) => {
    const query = '{ viewer { role } }';
    const extensions = hashed(sha256(query));
    expect(await doors[way]({ query })).toEqual(['FORBIDDEN', expect.stringContaining('manifest')]);
    expect(await doors[way]({ extensions })).toEqual(NOT_FOUND);
    expect(await doors[way]({ query, extensions })).toEqual(NOT_FOUND);
    expect(await doors[way]({ extensions })).toEqual(NOT_FOUND);
  });

  it('that cannot be read the server does not start', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidings-manifest-'));
    const start = (file: string) => startGateway(readConfig({ PORT: '0', TIDINGS_PERSISTED: file }));
    for (const [name, content] of Object.entries({
      list: '["{ viewer }"]',
      half: '{"a":',
      number: '{"a":1}',
    })) {
      const file = join(directory, name);
      await writeFile(file, content);
      await expect(start(file)).rejects.toThrow(ConfigError);
    }
    await expect(start(join(directory, 'missing'))).rejects.toThrow(/TIDINGS_PERSISTED/);
  });
});
