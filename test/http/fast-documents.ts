import { readdirSync, readFileSync } from 'node:fs';
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isListType,
  isNonNullType,
  parse,
  typeFromAST,
  validate,
} from 'graphql';

export interface Asked {
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

/** Every query that stands in a test as it is, with variables made up by their types. */
export function queriesOfTests(schema: GraphQLSchema, sessionId: string): Asked[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter(
      (file) =>
        file.endsWith('.ts') &&
        !file.includes('node_modules') &&
        !file.startsWith('generated') &&
        file !== 'http/fast.test.ts',
    )
    .map((file) => readFileSync(`test/${file}`, 'utf8'));
  const literals = sources.flatMap((source) => [...source.matchAll(/(['`])([^'`\\]*\{[^'`\\]*)\1/g)]);
  const texts = new Set(
    literals.map(([, , text = '']) => text.replaceAll(/\$\{[^}]*(id|Id|ID)\}/g, sessionId)),
  );
  return [...texts].flatMap((document) => {
    const variables = isQuery(schema, document) ? variablesOf(schema, document, sessionId) : undefined;
    return variables === undefined ? [] : [{ document, variables }];
  });
}

function isQuery(schema: GraphQLSchema, text: string): boolean {
  try {
    const document = parse(text);
    return getOperationAST(document)?.operation === 'query' && validate(schema, document).length === 0;
  } catch {
    return false;
  }
}

function variablesOf(schema: GraphQLSchema, text: string, sessionId: string) {
  const definitions = getOperationAST(parse(text))?.variableDefinitions ?? [];
  const made = definitions.flatMap(({ variable, type }) => {
    const known = typeFromAST(schema, type as Parameters<typeof typeFromAST>[1]) as
      | GraphQLInputType
      | undefined;
    return known === undefined ? [] : [[variable.name.value, madeUp(known, sessionId)]];
  });
  return Object.fromEntries(made);
}

function madeUp(type: GraphQLInputType, sessionId: string): unknown {
  if (isNonNullType(type)) return madeUp(type.ofType, sessionId);
  if (isListType(type)) return [madeUp(type.ofType, sessionId)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  const values: Record<string, unknown> = { ID: sessionId, Int: 2, Float: 1.5, Boolean: true };
  return values[String(type)];
}

const S = 'session(sessionId: $s)';
const FIELDS = 'eventId kind createdAt';

/** What executors are known to do each in its own way; `$s` is a session, `$x` whatever is given. */
export function trickyQueries(s: string): Asked[] {
  const of = (document: string, variables: Record<string, unknown> = { s }) => ({ document, variables });
  const q = (body: string) => of(`query ($s: ID!) { ${S} { ${body} } }`);
  const given = (type: string, body: string, ...values: readonly unknown[]) => [
    of(`query ($s: ID!, $x: ${type}) { ${S} { ${body} } }`),
    ...values.map((x) => of(`query ($s: ID!, $x: ${type}) { ${S} { ${body} } }`, { s, x })),
  ];
  const events = (args: string) =>
    `events(${args}) { nodes { ... on SessionEventOccurrence { ${FIELDS} } } totalCount }`;
  return [
    of('{ __typename viewer { __typename } }', {}),
    of('{ viewer { account { accountId name } } again: viewer { account { name } } }', {}),
    of('{ viewer { account { name } } viewer { account { accountId } } }', {}),
    of('{ __proto__: viewer { __typename } }', {}),
    of('{ constructor: viewer { toString: __typename } hasOwnProperty: __typename }', {}),
    of('{ then: __typename }', {}),
    of('{ __schema { queryType { name } } viewer { __typename } }', {}),
    of('{ __type(name: "Session") { fields { name type { name kind } } } }', {}),
    q('sessionId title status createdAt checkpoint url'),
    q('z: title a: title m: status'),
    q('... on Session { title } ... { status } ... on Node { id }'),
    q(`${events('first: 3')}`),
    q(
      'events(first: 3) { edges { cursor node { __typename } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }',
    ),
    q(
      'events { nodes { __typename ... on AgentMessageEvent { text citations { quote source { title authors abstract } } } ... on UserMessageEvent { text files { filename } } } }',
    ),
    q(
      'events { nodes { ... on AgentMessageEvent { segments { text citations { citationId } unresolved } } } }',
    ),
    q(
      'events { nodes { ... on SessionEventOccurrence { session { events(last: 1) { nodes { ... on SessionEventOccurrence { eventId } } } } } } }',
    ),
    q(
      'events { nodes { ... on AgentMessageEvent { session { title } } ... on UserMessageEvent { session { status } } } }',
    ),
    q(
      'a: events(first: 1) { totalCount } b: events(last: 1) { totalCount } c: events(first: 0) { nodes { __typename } pageInfo { hasNextPage } }',
    ),
    q('citedSources { nodes { sourceRef citationCount citedBy { totalCount nodes { quote } } } totalCount }'),
    q('events(first: 201) { totalCount } title'),
    q('events(first: -1) { totalCount }'),
    q('events(first: 1, last: 1) { totalCount } a: events(first: 2) { totalCount }'),
    q('a: events(after: "nonsense") { totalCount } b: events(kinds: []) { totalCount } title'),
    q('event(eventId: "e1") { __typename ... on AgentMessageEvent { text } }'),
    q('event(eventId: "nobody") { __typename }'),
    q('event(eventId: "") { __typename }'),
    q('events(kinds: AGENT_MESSAGE) { nodes { ... on SessionEventOccurrence { kind } } }'),
    q(
      'events(kinds: [AGENT_MESSAGE, USER_MESSAGE], first: 2) { nodes { ... on SessionEventOccurrence { kind } } totalCount checkpoint }',
    ),
    ...given(
      '[SessionEventKind!]',
      'events(kinds: $x) { totalCount }',
      ['AGENT_MESSAGE'],
      'USER_MESSAGE',
      [],
      null,
      ['NOPE'],
      [null],
      3,
    ),
    ...given('Int', events('first: $x'), 2, 2.0, null, '2', 2.5, 2 ** 31, true, [2], {}),
    ...given('Int = 2', events('first: $x'), null, 1),
    ...given('String', events('first: 1, after: $x'), null, '', 'x', 4),
    ...given('Boolean!', 'title @include(if: $x) status @skip(if: $x) createdAt', true, false, null, 'true'),
    ...given(
      'Boolean = true',
      '... @include(if: $x) { title events(first: 1) @skip(if: $x) { totalCount } }',
      true,
      false,
      null,
    ),
    ...given(
      'Boolean!',
      'events(first: 2) { nodes { ...E @include(if: $x) } } } } fragment E on SessionEvent { ... on SessionEventOccurrence { eventId ',
      true,
      false,
    ),
    q('title @skip(if: true) @include(if: true) status @include(if: false) url @skip(if: false)'),
    of(
      `query ($s: ID!) { ${S} { ...A ...B } } fragment A on Session { title ...B } fragment B on Session { status title }`,
    ),
    of(
      'query ($s: ID!) { session(sessionId: $s) { title } other: session(sessionId: "nobody") { title } viewer { __typename } }',
    ),
    of('query ($s: ID!) { session(sessionId: $s) { title } }', { s: 12 }),
    of('query ($s: ID!) { session(sessionId: $s) { title } }', { s: null }),
    of('query ($s: ID!) { session(sessionId: $s) { title } }', {}),
    of('query ($s: ID!) { session(sessionId: $s) { title } }', { s, extra: { deep: [1] } }),
    of('query ($s: ID!) { session(sessionId: $s) { title } }', { s: s.toUpperCase() }),
    of('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Session { title } } }', { ids: [] }),
    of('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
      ids: ['x', 'U2Vzc2lvbjo=', btoa(`Session:${s}`)],
    }),
    of('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', { ids: btoa(`Session:${s}`) }),
    of('query ($id: ID!) { node(id: $id) { ... on Session { title events(first: 1) { totalCount } } } }', {
      id: btoa(`Session:${s}`),
    }),
    of('query ($id: ID!) { node(id: $id) { id } }', { id: 'nobody' }),
    of('query ($a: ID!) { nodes(ids: [$a, "x"]) { __typename } }', { a: btoa(`Session:${s}`) }),
    of('query ($a: ID) { nodes(ids: [$a]) { __typename } }', {}),
    of(
      '{ sessions(first: 2) { nodes { title events(first: 1) { nodes { __typename } } } totalCount pageInfo { hasNextPage } } }',
      {},
    ),
    of('query ($st: [SessionStatus!]) { sessions(status: $st) { totalCount } }', { st: ['COMPLETED'] }),
    of('{ elicitations { nodes { elicitationId } totalCount } }', {}),
    of('{ elicitationHistory(asOf: "2026-01-01T00:00:00Z", page: 0) { page } }', {}),
    of('{ elicitation(elicitationId: "nobody") { status } viewer { __typename } }', {}),
    of('{ conversation { __typename } viewer { __typename } }', {}),
    { document: 'query A { viewer { __typename } } query B { __typename }', operationName: 'B' },
    { document: 'query A { viewer { __typename } } query B { __typename }', operationName: 'A' },
    { document: 'query A { viewer { __typename } } query B { __typename }', operationName: 'C' },
    { document: 'query A { viewer { __typename } } query B { __typename }' },
    { document: 'query A { __typename }', operationName: '' },
    { document: 'query A { __typename }', operationName: null, variables: null },
    { document: 'mutation { revokeCredential(input: { credentialId: "x" }) { __typename } }' },
    { document: 'subscription { sessionChanged { __typename } }' },
  ];
}
