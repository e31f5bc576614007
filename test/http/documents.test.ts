import { getIntrospectionQuery } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { GOOD, openDoors, type TestDoors } from './doors.js';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close());

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join(' ');

const SCHEMA = '__schema { types { name fields { name args { name type { name } } type { name kind } } } }';

const TOO_COMPLEX: readonly (readonly [name: string, document: string, maximum: number])[] = [
  ['10,001 tokens', `{ ${'hello '.repeat(9_999)} }`, 10_000],
  ['100,000 tokens', `{ ${'hello '.repeat(100_000)} }`, 10_000],
  ['100,000 comments', `${'#\n'.repeat(100_000)}{ hello }`, 10_000],
  ['200 levels of selections', `${'{ hello '.repeat(200)}${'}'.repeat(200)}`, 128],
  ['33 levels of fields', `${'{ self '.repeat(32)}{ hello ${'}'.repeat(33)}`, 32],
  ['a million open braces', '{'.repeat(1_000_000), 128],
  ['200 levels of lists', `{ hello(name: ${'['.repeat(200)}${']'.repeat(200)}) }`, 128],
  ['200 levels of objects', `{ hello(name: ${'{a:'.repeat(200)}1${'}'.repeat(200)}) }`, 128],
  ['more than a million characters', `{ hello(name: "${'x'.repeat(1024 * 1024)}") }`, 1024 * 1024],
  ['a name of 300 characters', `{ ${'a'.repeat(300)}: hello }`, 256],
  ['501 aliases', `{ ${times(501, (i) => `a${i}: hello`)} }`, 500],
  ['5,000 aliases', `{ ${times(5_000, (i) => `a${i}: hello`)} }`, 10_000],
  ['201 directives', `{ hello ${'@skip(if: false) '.repeat(201)} }`, 200],
  ['201 variables', `query (${times(201, (i) => `$v${i}: Int`)}) { hello }`, 200],
  ['3,000 variables', `query (${times(3_000, (i) => `$v${i}: Int`)}) { hello }`, 10_000],
  ['101 times one field', `{ ${times(101, () => 'hello')} }`, 100],
  ['500 times one field', `{ ${times(500, () => 'hello')} }`, 100],
  [
    '500 fragments in one place',
    `{ ${times(500, (i) => `...F${i}`)} } ${times(500, (i) => `fragment F${i} on Query { hello }`)}`,
    50_000,
  ],
  ['4,000 fragments that are not there', `{ ${times(4_000, (i) => `...F${i}`)} }`, 50_000],
  ['fragments that double each time', doubling(30), 10_000],
  [
    'a chain of 200 fragments',
    `{ ...F0 } ${times(200, (i) => `fragment F${i} on Query { ...F${i + 1} }`)} fragment F200 on Query { hello }`,
    128,
  ],
  [
    'a circle of 900 fragments that nothing reaches',
    `{ hello } ${times(900, (i) => `fragment F${i} on Query { ...F${(i + 1) % 900} }`)}`,
    128,
  ],
  ['the schema 250 times', `{ ${times(250, (i) => `a${i}: ${SCHEMA}`)} }`, 50_000],
];

function doubling(depth: number): string {
  return `{ ...F0 } ${times(depth, (i) => `fragment F${i} on Query { a: self { ...F${i + 1} } b: self { ...F${i + 1} } }`)} fragment F${depth} on Query { hello }`;
}

describe('a document that is dear', () => {
  it.each(TOO_COMPLEX)('is refused for %s', async (_name, document, maximum) => {
    const { response, body } = await doors.post(document);
    expect(response.status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', maximum } }]);
    expect(body.errors?.[0]?.message.length).toBeLessThan(300);
  });

  it('is refused over WebSocket alike', async () => {
    const { iterate, dispose } = createClient({
      url: doors.socket,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { authorization: GOOD },
    });
    const documents = TOO_COMPLEX.map(([, document]) => document);
    for (const query of documents) {
      const refused = await iterate({ query })
        .next()
        .catch((errors: unknown) => errors);
      expect(refused).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
    }
    expect((await iterate({ query: '{ hello }' }).next()).value).toMatchObject({
      data: { hello: 'Hello you' },
    });
    await dispose();
  });
});

describe('a document that is large, but not dear', () => {
  it.each([
    ['a text of 500 KB', `{ hello(name: "${'x'.repeat(500_000)}") }`],
    ['braces in strings and comments', `{ hello(name: "${'{'.repeat(1_000)}") } # ${'{'.repeat(1_000)}`],
    ['32 levels', `{ ${'self { '.repeat(31)} hello ${'}'.repeat(31)} }`],
    ['500 aliases', `{ ${times(500, (i) => `a${i}: hello`)} }`],
    ['200 directives', `{ ${times(200, (i) => `f${i}: hello @skip(if: false)`)} }`],
    [
      '200 variables',
      `query (${times(200, (i) => `$v${i}: Int = ${i}`)}) { ${times(200, (i) => `f${i}: number(value: $v${i})`)} }`,
    ],
    ['what GraphiQL asks about the schema', getIntrospectionQuery({ inputValueDeprecation: true })],
    [
      '100 fragments',
      `{ ${times(100, (i) => `...F${i}`)} } ${times(100, (i) => `fragment F${i} on Query { hello }`)}`,
    ],
  ])('is answered: %s', async (_name, document) => {
    const { response, body } = await doors.post(document);
    expect(body.errors).toBeUndefined();
    expect(response.status).toBe(200);
  });

  it('that spreads a fragment within itself is told so', async () => {
    const { body } = await doors.post(
      '{ ...A } fragment A on Query { self { ...B } } fragment B on Query { self { ...A } }',
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    expect(body.errors?.[0]?.message).toContain('within itself');
  });
});

describe('what is said of a wrong value', () => {
  const long = 'x'.repeat(60_000);

  it.each([
    ['a literal', `{ hello(name: { a: "${long}" }) }`, 'GRAPHQL_VALIDATION_FAILED'],
    ['a field', `{ hello { ${long.slice(0, 256)} } nothing(a: "${long}") }`, 'GRAPHQL_VALIDATION_FAILED'],
    ['the syntax', `{ hello "${long}" }`, 'GRAPHQL_PARSE_FAILED'],
  ])('quotes little of %s', async (_name, document, code) => {
    const { body } = await doors.post(document);
    expect(body.errors?.[0]?.extensions.code).toBe(code);
    for (const { message } of body.errors ?? []) expect(message.length).toBeLessThanOrEqual(400);
  });

  it('quotes little of a variable, and still says what was expected', async () => {
    const response = await fetch(doors.graphql, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: GOOD },
      body: JSON.stringify({
        query: 'query ($to: Int!) { number(value: $to) }',
        variables: { to: 'x'.repeat(1_000_000) },
      }),
    });
    const { errors } = JSON.parse(await response.text());
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors[0].message).toBe('Variable "$to" got text: Int cannot represent non-integer value.');
  });
});
