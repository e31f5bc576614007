import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../access/ask.js';
import { type House, openHouse } from '../events/house.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { HOSTILE, WHOLE_SCHEMA } from './documents.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const CODES = ['QUERY_TOO_COMPLEX', 'GRAPHQL_VALIDATION_FAILED'];

describe('a hostile document', () => {
  it.each(Object.entries(HOSTILE))('is refused before it is executed: %s (case 94)', async (_, document) => {
    const { status, body } = await house.request(document, { token: house.tokens.member });
    expect(status).toBe(400);
    expect(body.data).toBeUndefined();
    const errors = body.errors ?? [];
    // No more is looked for, and little is said of each.
    expect(errors.length).toBeLessThanOrEqual(11);
    for (const { message, extensions } of errors) {
      expect(CODES).toContain(extensions.code);
      expect(message.length).toBeLessThanOrEqual(400);
      if (extensions.code === 'QUERY_TOO_COMPLEX') {
        expect(message).toContain(String(extensions.maximum));
      }
    }
  });

  it('is refused as an event stream and over a WebSocket alike (case 94)', async () => {
    const raw = await openRawSocket(house.url, house.tokens.member);
    for (const [id, document] of Object.entries(HOSTILE)) {
      const response = await fetch(`${house.url}/graphql`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${house.tokens.member}`,
        },
        body: JSON.stringify({ query: document }),
      });
      expect(await response.text()).toMatch(/QUERY_TOO_COMPLEX|GRAPHQL_VALIDATION_FAILED/);
      raw.subscribe(document, {}, id);
    }
    const names = Object.keys(HOSTILE);
    await eventually(() => expect(raw.messages).toHaveLength(names.length));
    expect(raw.messages.map(({ type }) => type)).toEqual(names.map(() => 'error'));
    expect(new Set(raw.messages.map(({ id }) => id))).toEqual(new Set(names));
    raw.socket.close();
  });

  it('costs its sender turns, and others none: one is answered while thirty wait', async () => {
    const raw = await openRawSocket(house.url, house.tokens.member);
    for (let id = 0; id < 30; id++) raw.subscribe(HOSTILE['9,000 unknown fields'] ?? '', {}, `${id}`);
    await eventually(() => expect(raw.messages.length).toBeGreaterThan(0));
    const { status } = await ask(house, house.tokens.admin, '{ viewer { hostile: role } }');
    expect(status).toBe(200);
    expect(raw.messages.length).toBeLessThan(30);
    await eventually(() => expect(raw.messages).toHaveLength(30));
    raw.socket.close();
  });

  it('is told from what GraphiQL asks about the schema', async () => {
    const { status, body } = await ask(house, house.tokens.member, WHOLE_SCHEMA);
    expect([status, body.errors]).toEqual([200, undefined]);
  });
});

describe('JSON that is dear to read', () => {
  const post = async (body: string) => {
    const response = await fetch(`${house.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${house.tokens.member}` },
      body,
    });
    return { status: response.status, body: await response.text() };
  };
  const QUERY = '"query":"query ($v: JSON) { viewer { role } }"';

  it.each([
    ['2,000,000 open brackets', `{${QUERY},"variables":{"v":${'['.repeat(2_000_000)}`],
    ['200 levels', `{${QUERY},"variables":{"v":${'['.repeat(200)}${']'.repeat(200)}}}`],
    ['a million empty arrays', `{${QUERY},"variables":{"v":[${'[],'.repeat(1_000_000)}1]}}`],
    ['a name twice', `{${QUERY},"variables":{"v":{"role":1,"role":2}}}`],
    ['a document twice', `{${QUERY},${QUERY}}`],
  ])('is refused as the body of a request: %s', async (_, body) => {
    const answer = await post(body);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
  });

  it.each([
    ['300,000 open brackets', `{"id":"1","type":"subscribe","payload":{"v":${'['.repeat(300_000)}`],
    ['a name twice', '{"id":"1","type":"subscribe","id":"2","payload":{"query":"{ viewer { role } }"}}'],
  ])('ends a WebSocket with 4400: %s', async (_, message) => {
    const raw = await openRawSocket(house.url, house.tokens.member);
    raw.socket.send(message);
    expect(await raw.closed).toBe(4400);
    expect(raw.messages).toEqual([]);
  });

  it('is refused in a URL', async () => {
    for (const variables of [`{"a":1,"a":2}`, '['.repeat(200)]) {
      const query = new URLSearchParams({ query: '{ viewer { role } }', variables });
      const response = await fetch(`${house.url}/graphql?${query}`, {
        headers: { authorization: `Bearer ${house.tokens.member}` },
      });
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('"code":"BAD_USER_INPUT"'),
      ]);
    }
  });

  it('gives names such as __proto__ no power: they are refused as variables, and stay what they are in JSON', async () => {
    const unknown = await post(
      '{"query":"{ viewer { role } }","variables":{"__proto__":{"admin":true},"constructor":1},"operationName":null}',
    );
    expect(unknown.status).toBe(200);
    const request =
      'mutation ($i: RequestElicitationInput!) { requestElicitation(input: $i) { elicitation { context } } }';
    const kept = await post(
      `{"query":${JSON.stringify(request)},"variables":{"i":{"message":"Q","context":{"__proto__":{"a":1},"b":{"constructor":2}}}}}`,
    );
    expect(kept.body).toContain('{"__proto__":{"a":1},"b":{"constructor":2}}');
    const wrong = await post(
      `{"query":${JSON.stringify(request)},"variables":{"i":{"__proto__":{"message":"Q"}}}}`,
    );
    expect(JSON.parse(wrong.body).errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  });
});
