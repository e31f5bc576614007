import { once } from 'node:events';
import { request } from 'node:http';
import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILING, GOOD, openDoors, readJson, type TestDoors } from './doors.js';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors({ env: { TIDINGS_MAX_BODY: '64kB' } });
});
afterAll(() => doors.close());

const codeOf = (body: { errors?: readonly { extensions: Readonly<Record<string, unknown>> }[] }) =>
  body.errors?.map(({ extensions }) => extensions.code);

describe('GraphQL over HTTP', () => {
  it('passes every audit of graphql-http', async () => {
    const fetchFn = (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: GOOD } });
    const results = await auditServer({ url: doors.graphql, fetchFn });
    const failed = results
      .filter(({ status }) => status !== 'ok')
      .map(({ id, name, status }) => ({ id, name, status }));
    expect(failed).toEqual([]);
    expect(results).toHaveLength(61);
  });

  it('answers a query by GET', async () => {
    const response = await fetch(`${doors.graphql}?query={hello}`, { headers: { authorization: GOOD } });
    expect(await readJson(response)).toMatchObject({ data: { hello: 'Hello you' } });
  });

  it('refuses a mutation by GET', async () => {
    const response = await fetch(`${doors.graphql}?query=mutation{touch}`, {
      headers: { authorization: GOOD },
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(codeOf(await readJson(response))).toEqual(['BAD_USER_INPUT']);
  });

  it('gives each fault of a request its code', async () => {
    expect(codeOf((await doors.post('{ hello')).body)).toEqual(['GRAPHQL_PARSE_FAILED']);
    expect(codeOf((await doors.post('{ nothing }')).body)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(codeOf((await doors.post('query A { hello } query B { hello }')).body)).toEqual([
      'BAD_USER_INPUT',
    ]);
    expect(codeOf((await doors.post('query ($name: Int) { hello(name: $name) }')).body)).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
    ]);
    expect(codeOf((await doors.post('{ refused }')).body)).toEqual(['NOT_FOUND']);
  });

  it('says nothing of what went wrong inside, and logs it under the id that it gives', async () => {
    const { response, body } = await doors.post('{ hello broken }');
    expect(body.data).toEqual({ hello: 'Hello you', broken: null });
    expect(codeOf(body)).toEqual(['INTERNAL_SERVER_ERROR']);
    expect(JSON.stringify(body)).not.toMatch(/SELECT|passwd/);
    expect(response.status).toBe(200);
    const id = String(body.errors?.[0]?.extensions.id);
    expect(doors.logged.filter((line) => line.includes(id) && line.includes('SELECT'))).toHaveLength(1);
  });

  it('quotes nothing of a body that is no JSON', async () => {
    const response = await fetch(doors.graphql, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: GOOD },
      body: '{"query": secret',
    });
    expect(response.status).toBe(400);
    const body = await readJson(response);
    expect(codeOf(body)).toEqual(['BAD_USER_INPUT']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each(['variables={secret', 'extensions=secret', 'variables=1', 'extensions=[]'])(
    'takes %s in the URL for a fault of the client',
    async (parameter) => {
      const before = doors.logged.length;
      const response = await fetch(`${doors.graphql}?query={hello}&${parameter}`, {
        headers: { authorization: GOOD },
      });
      expect(response.status).toBe(400);
      const body = await readJson(response);
      expect(codeOf(body)).toEqual(['BAD_USER_INPUT']);
      expect(JSON.stringify([body, doors.logged.slice(before)])).not.toContain('secret');
      expect(doors.logged.length).toBe(before);
    },
  );

  it('answers in the order of the question', async () => {
    const { body } = await doors.post('{ later: soon first: hello last: soon }');
    expect(Object.keys(body.data ?? {})).toEqual(['later', 'first', 'last']);
  });

  it('answers with no-store', async () => {
    expect((await doors.post('{ hello }')).response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('a variable that a scalar refuses', () => {
  it.each([
    ['application/graphql-response+json', 400],
    ['application/json', 200],
  ])('is a fault of the client, in %s a %i', async (accept, status) => {
    const before = doors.logged.length;
    const response = await fetch(doors.graphql, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, authorization: GOOD },
      body: JSON.stringify({ query: 'query ($v: Picky) { picky(value: $v) }', variables: { v: 1 } }),
    });
    expect(response.status).toBe(status);
    const body = await readJson(response);
    expect(codeOf(body)).toEqual(['BAD_USER_INPUT']);
    expect(body.errors?.[0]?.message).toContain('Picky: expected something else.');
    expect(doors.logged.length).toBe(before);
  });
});

describe('a subscription', () => {
  it.each([
    'subscription { count(to: 1) @skip(if: true) { number } }',
    'subscription ($no: Boolean = false) { count(to: 1) @include(if: $no) { number } }',
    'subscription { ... @skip(if: true) { count(to: 1) { number } } }',
    'subscription { ...F } fragment F on Subscription { ...G @include(if: false) } fragment G on Subscription { count(to: 1) { number } }',
  ])('has its field unconditionally: %s', async (query) => {
    const before = doors.logged.length;
    const { response, body } = await doors.post(query, {
      accept: 'application/graphql-response+json, text/event-stream',
    });
    expect(response.status).toBe(400);
    expect(codeOf(body)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(doors.logged.length).toBe(before);
  });
});

describe('a credential', () => {
  it.each([undefined, 'Bearer tdg_bad', 'Basic abc'])(
    'is asked for before the document is read: %s',
    async (authorization) => {
      const response = await fetch(doors.graphql, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: '{ this is no JSON',
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(codeOf(await readJson(response))).toEqual(['UNAUTHENTICATED']);
    },
  );

  it('whose look-up fails is a masked error', async () => {
    const { response, body } = await doors.post('{ hello }', { authorization: FAILING });
    expect(response.status).toBe(500);
    expect(codeOf(body)).toEqual(['INTERNAL_SERVER_ERROR']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});

describe('a body beyond the limit', () => {
  const large = JSON.stringify({ query: '{ hello }', variables: { name: 'x'.repeat(256 * 1024) } });
  const headers = { 'content-type': 'application/json', authorization: GOOD };

  it('is refused by its content-length', async () => {
    const response = await fetch(doors.graphql, { method: 'POST', headers, body: large });
    expect(response.status).toBe(413);
    expect(codeOf(await readJson(response))).toEqual(['PAYLOAD_TOO_LARGE']);
  });

  it('is refused by what has come, when it came without a length', async () => {
    const status = await new Promise((resolve, reject) => {
      const upload = request(doors.graphql, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      upload.once('error', reject);
      upload.write(large);
      upload.end();
    });
    expect(status).toBe(413);
  });

  it('leaves the connection good for the next request', async () => {
    await fetch(doors.graphql, { method: 'POST', headers, body: large });
    expect((await doors.post('{ hello }')).response.status).toBe(200);
  });
});

describe('a sender that breaks off', () => {
  it('is no error of ours', async () => {
    const upload = request(doors.graphql, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 1_000, authorization: GOOD },
    });
    upload.on('error', () => undefined).write('{"query":');
    await once(upload, 'socket');
    await doors.post('{ hello }');
    const before = doors.logged.length;
    const closed = new Promise((resolve) => upload.once('close', resolve));
    upload.destroy();
    await closed;
    await doors.post('{ hello }');
    expect(doors.logged.slice(before)).toEqual([]);
  });
});

describe('a page of another site', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'Text/Plain; charset=utf-8',
  ])('cannot post %s', async (type) => {
    const { response, body } = await doors.post('mutation { touch }', { 'content-type': type });
    expect(response.status).toBe(400);
    expect(codeOf(body)).toEqual(['BAD_USER_INPUT']);
  });

  it.each<Readonly<Record<string, string>>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is refused: %o', async (headers) => {
    const { response, body } = await rawPost(headers);
    expect(response.status).toBe(403);
    expect(codeOf(body)).toEqual(['FORBIDDEN']);
  });

  it.each<Readonly<Record<string, string>>>([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://tidings.example' },
    {},
  ])('is told from one of ours: %o', async (headers) => {
    expect((await rawPost(headers)).response.status).toBe(200);
  });

  it('is not let in by CORS', async () => {
    const { response } = await doors.post('{ hello }');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  /** fetch() sets these headers itself; node:http sends what it is given. */
  function rawPost(headers: Readonly<Record<string, string>>) {
    return new Promise<{ response: { status: number }; body: Parameters<typeof codeOf>[0] }>(
      (resolve, reject) => {
        const post = request(
          doors.graphql,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: GOOD, ...headers },
          },
          async (response) => {
            const chunks = await response.setEncoding('utf8').toArray();
            resolve({ response: { status: response.statusCode ?? 0 }, body: JSON.parse(chunks.join('')) });
          },
        );
        post.once('error', reject);
        post.end(JSON.stringify({ query: 'mutation { touch }' }));
      },
    );
  }
});

describe('probes', () => {
  it('find the process alive and ready', async () => {
    expect((await fetch(`${doors.url}/health`)).status).toBe(200);
    expect((await fetch(`${doors.url}/ready`)).status).toBe(200);
  });

  it.each([
    [{ ready: false }, ['database']],
    [{ connected: false }, ['bus']],
    [{ ready: false, connected: false }, ['database', 'bus']],
  ])('find it alive but not ready with %o, and are told what fails', async (options, failing) => {
    const cut = await openDoors(options);
    expect((await fetch(`${cut.url}/health`)).status).toBe(200);
    const response = await fetch(`${cut.url}/ready`);
    expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', failing }]);
    await cut.close();
  });

  it('find nothing where nothing is', async () => {
    const response = await fetch(`${doors.url}/nowhere?token=x`);
    expect(response.status).toBe(404);
    expect(codeOf(await readJson(response))).toEqual(['NOT_FOUND']);
  });
});

describe('in production', () => {
  it('the schema is not told', async () => {
    const closed = await openDoors({ env: { NODE_ENV: 'production' } });
    expect(codeOf((await closed.post('{ __schema { queryType { name } } }')).body)).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
      'GRAPHQL_VALIDATION_FAILED',
    ]);
    await closed.close();
  });
});
