import {
  defaultFieldResolver,
  type ExecutionResult,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { answerTooLarge } from '../accounts/answer-limit.js';
import { DomainError } from '../errors.js';
import type { Context } from './context.js';

/** Bytes around a field's name and value. */
const PUNCTUATION = 4;

/** Bytes of each execution's answer so far: its variables are an object of its own, whether it answers a query or makes one update. */
const shown = new WeakMap<GraphQLResolveInfo['variableValues'], number>();

/** What the resolvers that count were before. */
const own = new WeakMap<GraphQLFieldResolver<unknown, Context>, GraphQLFieldResolver<unknown, Context>>();

/**
 * Makes each field of a schema count what it shows, about, and refuse once the answer is too large. What is loaded is counted where it
 * is loaded; but one text that was loaded once may be shown under a thousand names.
 */
export function metered(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) field.resolve = counting(field);
  }
  return schema;
}

/** A field's own resolver, for who counts what it shows: `bytesOfName`, and of a leaf `bytesOfLeaf`. */
export const unmetered = (
  resolve: GraphQLFieldResolver<unknown, Context>,
): GraphQLFieldResolver<unknown, Context> => own.get(resolve) ?? resolve;

/** What a field counts before it is resolved. */
export const bytesOfName = (key: string | number): number => String(key).length + PUNCTUATION;

type Field = Pick<GraphQLFieldConfig<unknown, Context>, 'resolve' | 'type'>;

function counting({ resolve = defaultFieldResolver, type }: Field): GraphQLFieldResolver<unknown, Context> {
  const isLeaf = isLeafType(getNamedType(type));
  const counted: GraphQLFieldResolver<unknown, Context> = (source, args, context, info) => {
    const count = (bytes: number) => add(info.variableValues, bytes, context.operation.maxAnswer);
    count(bytesOfName(info.path.key));
    const value: unknown = resolve(source, args, context, info);
    if (!isLeaf) return value;
    const countedLeaf = (leaf: unknown) => {
      count(bytesOfLeaf(leaf));
      return leaf;
    };
    return value instanceof Promise ? value.then(countedLeaf) : countedLeaf(value);
  };
  own.set(counted, resolve);
  return counted;
}

function add(execution: GraphQLResolveInfo['variableValues'], bytes: number, maximum: number): void {
  const total = (shown.get(execution) ?? 0) + bytes;
  shown.set(execution, total);
  if (total > maximum) throw answerTooLarge(maximum);
}

/** Of a scalar's value, or of a list of them. Most texts are short, and then their characters are near enough. */
export function bytesOfLeaf(value: unknown): number {
  if (typeof value === 'string') return value.length < 100 ? value.length : Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return PUNCTUATION;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + key.length + PUNCTUATION + bytesOfLeaf(item),
    0,
  );
}

/** An answer that is too large is refused whole: what is left of it might be most of it. */
export function refusedIfTooLarge(result: ExecutionResult): ExecutionResult {
  const refusal = result.errors?.find(
    ({ originalError }) => originalError instanceof DomainError && originalError.code === 'PAYLOAD_TOO_LARGE',
  );
  return refusal === undefined ? result : { data: null, errors: [refusal] };
}
