import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPEND, type House, openHouse } from './house.js';

let house: House;
let sessionId: string;
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession();
});
afterAll(() => house.close());

/** As a variable, spelled by hand: JavaScript would lose the digits before they are sent. */
async function append(payload: string) {
  const event = `{"unknown":{"eventId":"e","rawKind":"x","payload":${payload}}}`;
  const response = await fetch(`${house.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      authorization: `Bearer ${house.tokens.service}`,
    },
    body: `{"query":${JSON.stringify(APPEND)},"variables":{"input":{"sessionId":"${sessionId}","events":[${event}]}}}`,
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const inline = (payload: string) => `mutation {
  appendSessionEvents(input: { sessionId: "${sessionId}", events: [{ unknown: { eventId: "e", rawKind: "x", payload: ${payload} } }] }) { checkpoint }
}`;

const REFUSED: readonly (readonly [payload: string, expected: RegExp])[] = [
  ['9007199254740993', /whole numbers of up to/],
  ['[{"a":-9007199254740993}]', /whole numbers of up to/],
  ['1e400', /numbers of up to/],
  ['"a\\u0000b"', /U\+0000/],
  ['{"\\u0000":1}', /U\+0000/],
  [`${'['.repeat(102)}${']'.repeat(102)}`, /100 levels/],
];

describe('JSON that cannot be kept as it is', () => {
  it.each(REFUSED)('is refused in a variable, as a fault of the client: %s', async (payload, expected) => {
    const logged = house.logged.length;
    const { status, body } = await append(payload);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(body.errors[0].message).toMatch(expected);
    expect(house.logged.length).toBe(logged);
  });

  it.each([
    '9007199254740993',
    '[{ a: -9007199254740993 }]',
    '1e400',
    '"a\\u0000b"',
    '[['.repeat(51) + ']]'.repeat(51),
  ])('is refused in a document: %s', async (payload) => {
    const { body } = await house.request(inline(payload), { token: house.tokens.service });
    expect(body.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    expect(body.errors?.[0]?.message).toMatch(/numbers of up to|U\+0000|100 levels/);
  });

  it('leaves nothing behind, and what can be kept is kept', async () => {
    const { status, body } = await append('[9007199254740991, 1.5e300, 0.1, {"a": null}]');
    expect([status, body.errors]).toEqual([200, undefined]);
    const { session } = await house.ask<{ session: unknown }>(
      'member',
      'query ($id: ID!) { session(sessionId: $id) { events { nodes { ... on UnknownEvent { payload } } } } }',
      { id: sessionId },
    );
    expect(session).toEqual({
      events: { nodes: [{ payload: [9007199254740991, 1.5e300, 0.1, { a: null }] }] },
    });
  });
});
