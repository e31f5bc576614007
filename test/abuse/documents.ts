import { getIntrospectionQuery } from 'graphql';

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join(' ');

/** A session as each of its events shows it. */
const inEvents = (fragment: number) =>
  `events { nodes { ... on SessionEventOccurrence { session { ...F${fragment} } } } }`;

/** What a hostile client sends of documents (case 94), each by its name. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'depth 200': `{ ${'viewer { '.repeat(200)} role ${'}'.repeat(200)} }`,
  'depth 60': `{ viewer { ${'account { organization { '.repeat(29)} name ${'} }'.repeat(29)} } }`,
  '5,000 aliases': `{ ${times(5_000, (i) => `a${i}: viewer { role }`)} }`,
  '600 aliases': `{ ${times(600, (i) => `a${i}: viewer { role }`)} }`,
  '500 duplicate fields': `{ ${'viewer { role } '.repeat(500)} }`,
  'circular fragments': '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }',
  '900 circular fragments': `{ viewer { ...F0 } } ${times(900, (i) => `fragment F${i} on Viewer { ...F${(i + 1) % 900} }`)}`,
  '3,000 variables': `query (${times(3_000, (i) => `$v${i}: ID`)}) { viewer { role } }`,
  '100,000 tokens': `{ viewer { ${'role '.repeat(100_000)} } }`,
  '4,000 directives': `{ viewer ${'@x '.repeat(4_000)} { role } }`,
  '9,000 unknown fields': `{ ${times(9_000, (i) => `nothing${i}`)} }`,
  '2,000 unknown arguments': `{ session(${times(2_000, (i) => `a${i}: 1`)}) { title } }`,
  '4,000 unknown fragments': `{ ${times(4_000, (i) => `...F${i}`)} }`,
  'fragments that double': `{ session(sessionId: "x") { ...F0 } } ${times(25, (i) => `fragment F${i} on Session { a: ${inEvents(i + 1)} b: ${inEvents(i + 1)} }`)} fragment F25 on Session { title }`,
  'the schema 100 times': `{ ${times(100, (i) => `a${i}: __schema { types { name fields { name args { name } type { name } } } }`)} }`,
  'the schema in itself': `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
};

/** The same as GraphiQL asks first. */
export const WHOLE_SCHEMA = getIntrospectionQuery({ inputValueDeprecation: true });
