import { type ExecutionResult, type GraphQLSchema, graphql } from 'graphql';
import { expect } from 'vitest';
import type { Operation } from '../../src/accounts/operation.js';
import '../../src/artifacts/types.js';
import '../../src/citations/fields.js';
import { builder } from '../../src/graphql/builder.js';
import '../../src/graphql/nodes.js';
import '../../src/sessions/fields.js';

let schema: GraphQLSchema | undefined;

/** Runs a document against the schema of these domains alone. */
export async function run(
  operation: Operation,
  source: string,
  variableValues: Record<string, unknown> = {},
): Promise<ExecutionResult> {
  schema ??= builder.toSchema();
  const contextValue = { operation, publicUrl: 'http://127.0.0.1:4000' };
  return graphql({ schema, source, variableValues, contextValue });
}

/** The data of a document that runs without an error, as plain JSON. */
export async function ask(
  operation: Operation,
  source: string,
  variables?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { data, errors } = await run(operation, source, variables);
  expect(errors).toBeUndefined();
  return JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
}
