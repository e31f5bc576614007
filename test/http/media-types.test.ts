import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOOD, openDoors, type TestDoors } from './doors.js';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close());

type Headers = Readonly<Record<string, string>>;

/** As it came: header names and values in pairs, the text. */
async function raw(query: string, headers: Headers) {
  const body = JSON.stringify({ query });
  return new Promise<{
    status: number;
    rawHeaders: string[];
    headers: NodeJS.Dict<string | string[]>;
    text: string;
  }>((resolve, reject) => {
    const post = request(
      doors.graphql,
      { method: 'POST', headers: { 'content-type': 'application/json', authorization: GOOD, ...headers } },
      async (response) => {
        const text = (await response.setEncoding('utf8').toArray()).join('');
        const { statusCode = 0, rawHeaders } = response;
        resolve({ status: statusCode, rawHeaders, headers: response.headers, text });
      },
    );
    post.once('error', reject);
    post.end(body);
  });
}

const count = ({ rawHeaders }: { readonly rawHeaders: readonly string[] }, name: string) =>
  rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;

const REFUSED = {
  errors: [{ message: expect.stringMatching(/expected/), extensions: { code: 'BAD_USER_INPUT' } }],
};

describe('what an answer is', () => {
  it.each([
    ['multipart/mixed, application/json', 'application/json; charset=utf-8'],
    [
      'multipart/mixed;deferSpec=20220824, application/graphql-response+json',
      'application/graphql-response+json; charset=utf-8',
    ],
    ['APPLICATION/JSON', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['image/png, */*', 'application/json; charset=utf-8'],
  ])('follows from %s', async (accept, type) => {
    const answer = await raw('{ hello }', { accept });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    expect(count(answer, 'transfer-encoding')).toBe(0);
    expect(count(answer, 'content-length')).toBe(1);
    expect(JSON.parse(answer.text)).toMatchObject({ data: { hello: 'Hello you' } });
  });

  it.each(['multipart/mixed', 'image/png', 'application/json; charset=latin1'])(
    'cannot be only %s, and then nothing is executed',
    async (accept) => {
      const before = doors.streams.touched;
      const answer = await raw('mutation { touch }', { accept });
      expect(answer.status).toBe(406);
      expect(JSON.parse(answer.text)).toMatchObject(REFUSED);
      expect(doors.streams.touched).toBe(before);
    },
  );

  it.each(['*/*', 'application/json', 'application/graphql-response+json'])(
    'is no event stream for who asks for %s',
    async (accept) => {
      const answer = await raw('subscription { count(to: 0, stays: true) { number } }', { accept });
      expect(answer.status).toBe(406);
      expect(JSON.parse(answer.text)).toMatchObject(REFUSED);
      expect(doors.streams.open).toBe(0);
    },
  );

  it('says of a refused event stream no more than of any answer', async () => {
    const answer = await raw('subscription { refused }', { accept: 'text/event-stream' });
    expect(answer.text).toContain('NOT_FOUND');
    expect(count(answer, 'content-encoding')).toBe(0);
    expect(count(answer, 'cache-control')).toBe(1);
  });
});

describe('what a request is', () => {
  it.each(['APPLICATION/JSON', 'Application/Json; charset=UTF-8', 'application/json;charset=utf-8'])(
    'may be named %s',
    async (type) => {
      expect((await raw('{ hello }', { 'content-type': type })).status).toBe(200);
    },
  );

  it.each(['application/xml', 'application/jsonx', ''])('cannot be %j', async (type) => {
    const answer = await raw('{ hello }', { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.text)).toMatchObject(REFUSED);
  });
});

describe('an offer to upgrade', () => {
  it.each([
    ['h2c', 'Upgrade, HTTP2-Settings'],
    ['TLS/1.0', 'upgrade'],
  ])('to %s is ignored', async (upgrade, connection) => {
    const answer = await raw('{ hello }', { upgrade, connection, 'http2-settings': 'AAMAAABkAAQAAP__' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ data: { hello: 'Hello you' } });
  });

  it('is ignored where nothing can be upgraded', async () => {
    const status = await new Promise((resolve, reject) => {
      const options = { headers: { upgrade: 'h2c', connection: 'Upgrade' } };
      const get = request(`${doors.url}/health`, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      get.once('error', reject);
      get.end();
    });
    expect(status).toBe(200);
  });
});
