import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql';
import { parseInstant } from '../instant.js';
import { checkedJson } from '../parse.js';

/** An instant as `parseInstant` takes it. */
export function parseDateTime(value: unknown): Date {
  const read =
    typeof value === 'string' ? parseInstant(value) : 'expected text such as "2026-07-30T12:00:00.000Z"';
  if (read instanceof Date) return read;
  throw new GraphQLError(`DateTime: ${read}.`);
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
