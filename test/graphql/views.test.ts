import { parse } from 'graphql';
import { expect, it } from 'vitest';
import type { Viewer } from '../../src/accounts/viewer.js';
import { viewOf } from '../../src/graphql/views.js';
import { schema } from '../../src/schema.js';

const MEMBER: Viewer = {
  credentialId: 'c1',
  kind: 'PERSONAL',
  accountId: 'a1',
  organizationId: 'o1',
  role: 'MEMBER',
  sessionId: null,
  scopes: [],
  expiresAt: null,
};
const FOLLOW = `subscription Follow($id: ID!, $after: String, $kinds: [SessionEventKind!]) {
  sessionEvents(sessionId: $id, after: $after, kinds: $kinds) { checkpoint edges { cursor } }
}`;

interface Asked {
  readonly source?: string;
  readonly operationName?: string;
  readonly variables?: Record<string, unknown>;
  readonly viewer?: Partial<Viewer>;
}

const view = ({ source = FOLLOW, operationName, variables, viewer }: Asked = {}) =>
  viewOf(
    { schema, document: parse(source), operationName, variableValues: { id: 's1', ...variables } },
    { ...MEMBER, ...viewer },
  );

it('is one for the same operation, variables and access, wherever a subscriber stands and whichever its credential (P6)', () => {
  expect(view()).toMatch(/^.{44}$/);
  expect(view({ variables: { after: 'x' } })).toBe(view());
  expect(view({ variables: { after: 'y' }, viewer: { credentialId: 'c2', expiresAt: new Date() } })).toBe(
    view(),
  );
});

it.each<[string, Asked]>([
  ['another document', { source: `${FOLLOW} ` }],
  ['another operation name', { operationName: 'Follow' }],
  ['another variable', { variables: { kinds: ['ERROR'] } }],
  ['an unused variable', { variables: { other: 1 } }],
  ['another account', { viewer: { accountId: 'a2' } }],
  ['another organisation', { viewer: { organizationId: 'o2' } }],
  ['another role', { viewer: { role: 'ADMIN' } }],
  ['another kind', { viewer: { kind: 'SERVICE' } }],
  ['another session', { viewer: { sessionId: 's1' } }],
  ['another scope', { viewer: { scopes: ['conversation:read'] } }],
])('is another for %s', (_, asked) => {
  expect(view(asked)).toMatch(/^.{44}$/);
  expect(view(asked)).not.toBe(view());
});

it.each([
  ['in another argument', FOLLOW.replace('checkpoint', 'session { events(after: $after) { checkpoint } }')],
  ['in a directive', FOLLOW.replace('checkpoint', 'checkpoint again: checkpoint @skip(if: $after)')],
  [
    'in a fragment',
    `${FOLLOW.replace('checkpoint', '...More')} fragment More on SessionEventsUpdate { session { events(after: $after) { checkpoint } } }`,
  ],
])('is nobody else’s where the cursor is used %s too', (_, source) => {
  expect(view({ source })).toBeUndefined();
});

it.each([
  ['as a literal', FOLLOW.replace('after: $after', 'after: "x"').replace(', $after: String', '')],
  [
    'behind a fragment',
    `subscription ($id: ID!, $after: String) { ...Root } fragment Root on Subscription { sessionEvents(sessionId: $id, after: $after) { checkpoint } }`,
  ],
])('counts the cursor where it stands %s', (_, source) => {
  expect(view({ source, variables: { after: '1' } })).not.toBe(view({ source, variables: { after: '2' } }));
  expect(view({ source, variables: { after: '1' } })).toBe(view({ source, variables: { after: '1' } }));
});
