import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { costOf } from '../../src/graphql/document-cost.js';

const schema = buildSchema(`
  type Query {
    things(first: Int, after: String, last: Int): ThingConnection
    history(pageSize: Int = 25): History
    nodes(ids: [ID!]!): [Node]
    any: Either
    name: String
  }
  type Mutation { make: Thing }
  type ThingConnection { nodes: [Thing] edges: [Edge!]! totalCount: Int }
  type Edge { node: Thing }
  type History { items: [Thing!]! }
  interface Node { id: ID! }
  type Thing implements Node {
    id: ID!
    parts: [Part!]!
    owner: Thing
    things(first: Int, last: Int): ThingConnection
  }
  type Part implements Node { id: ID! }
  union Either = Thing | Part
`);

function cost(source: string, variableValues: Record<string, unknown> = {}): number {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  return costOf({ schema, document, variableValues });
}

const PAGE = 10;

describe('what an operation costs', () => {
  it.each([
    ['plain values nothing', '{ name }', 0],
    ['an object 1', '{ any { __typename } }', 1],
    ['a page 10, with one for each entry', '{ things(first: 7) { nodes { id } } }', PAGE + 7],
    ['a page that names no size, one of fifty', '{ things { nodes { id } } }', PAGE + 50],
    ['a page of another default, that', '{ history { items { id } } }', PAGE + 25],
    ['the edges too', '{ things(last: 3) { edges { node { id } } } }', PAGE + 3 * 2],
    ['a page without entries 10', '{ things { totalCount } }', PAGE],
    ['a page of none as well', '{ things(first: 0) { nodes { id } } }', PAGE],
    ['a list of ids as many as there are', '{ nodes(ids: ["a", "b"]) { id } }', PAGE + 2],
    ['a list without a size, five', '{ things(first: 1) { nodes { parts { id } } } }', PAGE + 1 + 5],
    ['a write 10', 'mutation { make { id } }', 10],
    [
      'a size that will be refused as much as the largest',
      '{ things(first: 99999) { nodes { id } } }',
      PAGE + 200,
    ],
    ['the schema a thousand', getIntrospectionQuery(), 1_000],
  ])('%s', (_, source, expected) => {
    expect(cost(source)).toBe(expected);
  });

  it('pages within pages multiply', () => {
    const inner = PAGE + 200;
    expect(
      cost(
        '{ things(first: 200) { nodes { things(first: 200) { nodes { things(last: 200) { nodes { id } } } } } } }',
      ),
    ).toBe(PAGE + 200 * (1 + PAGE + 200 * (1 + inner)));
  });

  it('sizes may be variables, with or without a default', () => {
    const source = 'query ($n: Int = 3) { things(first: $n) { nodes { id } } }';
    expect(cost(source)).toBe(PAGE + 3);
    expect(cost(source, { n: 100 })).toBe(PAGE + 100);
    expect(cost('query ($n: Int) { things(first: $n) { nodes { id } } }')).toBe(PAGE + 50);
    expect(cost('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', 'b', 'c'] })).toBe(PAGE + 3);
  });

  it('fragments count where they are spread, also within a page', () => {
    expect(
      cost(`{ a: things(first: 2) { ...Page } b: things(first: 3) { ...Page } }
        fragment Page on ThingConnection { nodes { ...Owned } }
        fragment Owned on Thing { owner { id } }`),
    ).toBe(2 * PAGE + 2 * 2 + 3 * 2);
  });

  it('of an object that may be of several types, the dearest alone counts', () => {
    expect(
      cost('{ any { ... on Node { id } ... on Thing { parts { id } owner { id } } ... on Part { id } } }'),
    ).toBe(1 + 5 + 1);
  });

  it('what is left out is free', () => {
    const source =
      'query ($on: Boolean!) { any @include(if: $on) { __typename } things @skip(if: $on) { nodes { id } } }';
    expect(cost(source, { on: true })).toBe(1);
    expect(cost(source, { on: false })).toBe(PAGE + 50);
  });

  it('a document that doubles with each fragment is read once, and costs what it means', () => {
    const fragments = Array.from(
      { length: 100 },
      (_, i) => `fragment F${i} on Thing { a: owner { ...F${i + 1} } b: owner { ...F${i + 1} } }`,
    );
    const source = `mutation { make { ...F0 } } ${fragments.join(' ')} fragment F100 on Thing { id }`;
    expect(costOf({ schema, document: parse(source) })).toBe(Number.MAX_SAFE_INTEGER);
  });
});
