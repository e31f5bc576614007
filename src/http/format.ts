import type { ExecutionResult, FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

/** An error as clients see it: without what only told HTTP its status. */
export function formatError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...formatted } = error.toJSON();
  const { http: _, ...shown } = extensions ?? {};
  return { ...formatted, extensions: shown };
}

/** A result as clients see it. */
export const formatResult = (result: ExecutionResult): FormattedExecutionResult =>
  result.errors === undefined
    ? (result as FormattedExecutionResult)
    : { ...result, errors: result.errors.map(formatError) };
