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
    edgesFieldOptions: { nullable: { list: false, items: false } },
    nodeFieldOptions: { nullable: true },
    nodesOnConnection: true,
    nodeQueryOptions: false,
    nodesQueryOptions: false,
  },
});

builder.scalarType('DateTime', {
  description:
    'An instant: RFC 3339, UTC, always with milliseconds, such as 2026-07-30T12:00:00.000Z. On the way in, finer digits are cut.',
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc3339',
  parseValue: parseDateTime,
  serialize: serializeDateTime,
});

builder.scalarType('JSON', {
  description: 'Any JSON value, at most 100 levels deep.',
  parseValue: parseJson,
  parseLiteral: parseJsonLiteral,
  serialize: (value) => value,
});

builder.scalarType('SafeInt', {
  description: 'A whole number up to 2^53-1, as a JSON number: file sizes and counts pass 2^31.',
  parseValue: parseSafeInt,
  serialize: serializeSafeInt,
});

builder.queryType({});
builder.mutationType({});
builder.subscriptionType({});
