import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from './context.js';
import {
  parseDateTime,
  parseJson,
  parseJsonLiteral,
  parseSafeInt,
  serializeDateTime,
  serializeSafeInt,
} from './scalars.js';

/** The types that every domain's fields build on. Fields are non-null unless they say otherwise; root fields say so. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: true;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    SafeInt: { Input: number; Output: number | bigint };
  };
}>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    cursorType: 'String',
    idFieldOptions: { description: 'Global and opaque: ask for it again with `node`.' },
    nodeTypeOptions: { description: 'Anything with a global id.' },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The entries of the page, each with its cursor.',
    },
    nodeFieldOptions: {
      nullable: true,
      description: 'The entry itself; null, with an error, where it could not be shown.',
    },
    nodesOnConnection: {
      description: 'The entries of the page; null, with an error, in place of one that could not be shown.',
    },
    pageInfoFieldOptions: { description: 'Where the page lies in the list.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    cursorFieldOptions: { description: 'Its place in the list, for `after` and `before` of the same list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has entries before the page.' },
    startCursorFieldOptions: { description: 'The cursor of the first entry; null on an empty page.' },
    endCursorFieldOptions: { description: 'The cursor of the last entry; null on an empty page.' },
    firstArgOptions: { description: 'That many from the start, 0 to 200; 50 by default. Not with `last`.' },
    afterArgOptions: { description: 'Only what comes after this cursor in the list.' },
    lastArgOptions: { description: 'That many from the end, 0 to 200. Not with `first`.' },
    beforeArgOptions: { description: 'Only what comes before this cursor in the list.' },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
  },
});

builder.scalarType('DateTime', {
  description:
    'An instant: RFC 3339, UTC, always with milliseconds, such as 2026-07-30T12:00:00.000Z, in the years 0001 to 9999. On the way in, with Z or an offset; finer digits are cut.',
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc3339',
  parseValue: parseDateTime,
  serialize: serializeDateTime,
});

builder.scalarType('JSON', {
  description:
    'Any JSON value, at most 100 levels deep; a whole number beyond 2^53-1 would lose digits and is refused: send it as text.',
  parseValue: parseJson,
  parseLiteral: parseJsonLiteral,
  serialize: (value) => value,
});

builder.scalarType('SafeInt', {
  description: 'A whole number up to 2^53-1, as a JSON number: file sizes and counts pass 2^31.',
  parseValue: parseSafeInt,
  serialize: serializeSafeInt,
});

builder.queryType({ description: 'What can be read.' });
builder.mutationType({
  description:
    'What can be changed. What fails is an error with a code; a CONFLICT carries the state that won.',
});
builder.subscriptionType({ description: 'What is told as it happens.' });
