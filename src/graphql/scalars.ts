import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql';
import { checkedJson } from '../parse.js';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** An instant of RFC 3339; digits beyond milliseconds are cut, never rounded. */
export function parseDateTime(value: unknown): Date {
  const date =
    typeof value === 'string' && DATE_TIME.test(value)
      ? new Date(value.replace(/(\.\d{3})\d+/, '$1'))
      : undefined;
  if (date === undefined || Number.isNaN(date.getTime())) {
    throw new GraphQLError('DateTime: expected an RFC 3339 instant such as 2026-07-30T12:00:00.000Z.');
  }
  return date;
}

export function serializeDateTime(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  throw new TypeError('DateTime: the server holds no Date here.');
}

/** A whole number that JSON carries exactly, also beyond GraphQL's Int. */
export function parseSafeInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('SafeInt: expected a whole number between -(2^53-1) and 2^53-1.');
}

/** Counts that the database keeps as bigint arrive as such. */
export const serializeSafeInt = (value: unknown): number =>
  parseSafeInt(typeof value === 'bigint' ? Number(value) : value);

export const parseJson = (value: unknown): unknown => checkedJson(value);

export const parseJsonLiteral = (node: ValueNode, variables?: Record<string, unknown> | null): unknown =>
  checkedJson(valueFromASTUntyped(node, variables));
