import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { asTimeout } from '../database/faults.js';
import { DomainError, type ErrorCode } from '../errors.js';

/** Codes that decide the HTTP status too; every other error is a 200 or 400 as GraphQL over HTTP says. */
const HTTP_STATUS: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  PLAN_UPGRADE_REQUIRED: 403,
  PAYLOAD_TOO_LARGE: 413,
  SHUTTING_DOWN: 503,
};

/** Is told of every error that a client only sees an id of. */
export type ReportInternal = (report: {
  readonly id: string;
  readonly error: unknown;
  readonly path: string;
}) => void;

/**
 * The one mapping from what went wrong to what a client sees: a domain error as it is, a database that is busy as TIMEOUT, a fault of the request as graphql-js worded
 * it, everything else masked behind an id that the log has too.
 */
export function toGraphQLError(error: unknown, report: ReportInternal): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  const cause = located === undefined ? error : (located.originalError ?? located);
  const known = cause instanceof DomainError ? cause : asTimeout(cause);
  if (known !== null) return shown(known, located);
  if (cause instanceof GraphQLError) {
    return typeof cause.extensions.code === 'string'
      ? (located ?? cause)
      : coded(located ?? cause, 'BAD_USER_INPUT');
  }
  return masked(error, located, report);
}

/** A fault of the document or its variables, which graphql-js gives no code. */
export function coded(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions: { ...extensions, code },
  });
}

/** Without `originalError`, for which the engine would answer a refused subscription with a 500. */
function shown(error: DomainError, located: GraphQLError | undefined): GraphQLError {
  const status = HTTP_STATUS[error.code];
  return new GraphQLError(error.message, {
    nodes: located?.nodes,
    path: located?.path,
    extensions: {
      code: error.code,
      ...error.details,
      ...(status === undefined ? {} : { http: { status } }),
    },
  });
}

function masked(error: unknown, located: GraphQLError | undefined, report: ReportInternal): GraphQLError {
  const id = randomUUID();
  report({ id, error, path: located?.path?.join('.') ?? '' });
  return new GraphQLError(
    `Something went wrong here, not in your request; the server's log has it as ${id}. Before repeating a write, check whether it took effect.`,
    { nodes: located?.nodes, path: located?.path, extensions: { code: 'INTERNAL_SERVER_ERROR', id } },
  );
}
