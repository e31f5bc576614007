import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/client/document.js';
import { FollowError } from '../../src/client/fault.js';

const FOLLOW = 'subscription ($after: String) { sessionEvents(after: $after) { checkpoint } }';

describe('a document that is followed', () => {
  it('says where updates are and what they come after, under whatever names', () => {
    const renamed =
      'subscription ($x: String) { news: changes(after: $x, scope: ORG) { ... { ...C } } } fragment C on U { checkpoint }';
    expect(readDocument(FOLLOW)).toEqual({ query: FOLLOW, field: 'sessionEvents', variable: 'after' });
    expect(readDocument(renamed)).toEqual({ query: renamed, field: 'news', variable: 'x' });
  });

  it('may be nodes, or text with types', () => {
    const nodes = readDocument(parse(FOLLOW));
    expect({ ...nodes, query: nodes.query.replaceAll(/\s+/g, ' ') }).toEqual(readDocument(FOLLOW));
    expect(readDocument(new String(FOLLOW))).toEqual(readDocument(FOLLOW));
  });

  it.each([
    ['{ session { checkpoint } }', 'one operation, a subscription'],
    [`${FOLLOW} query Q { a }`, 'one operation, a subscription'],
    ['subscription ($after: String) { a(after: $after) { checkpoint } b }', 'one field at its root'],
    ['subscription { ...F } fragment F on Subscription { a }', 'one field at its root'],
    ['subscription { sessionEvents { checkpoint } }', 'sessionEvents(after: $after)'],
    ['subscription { sessionEvents(after: "x") { checkpoint } }', 'sessionEvents(after: $after)'],
    ['subscription ($after: String) { a(after: $after) { edges { checkpoint } } }', 'a { checkpoint }'],
    ['subscription ($after: String) { a(after: $after) { checkpoint: id } }', 'a { checkpoint }'],
    [
      'subscription ($after: String) { a(after: $after) { ...F } } fragment F on A { ...F }',
      'a { checkpoint }',
    ],
    ['follow me', 'GraphQL'],
  ])('is refused when it could not be gone on with: %s', (query, expected) => {
    expect(() => readDocument(query)).toThrow(FollowError);
    expect(() => readDocument(query)).toThrow(
      `Expected ${expected === 'GraphQL' ? '' : 'a document with '}${expected}`,
    );
  });
});
