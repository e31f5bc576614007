import { randomUUID } from 'node:crypto';
import { type ExecutionResult, GraphQLError } from 'graphql';
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
  const tookEffect = located?.extensions.tookEffect === true;
  if (known !== null) return shown(tookEffect ? besideWhatTookEffect(known) : known, located);
  if (cause instanceof GraphQLError) {
    return typeof cause.extensions.code === 'string'
      ? (located ?? cause)
      : coded(located ?? cause, 'BAD_USER_INPUT');
  }
  const id = randomUUID();
  report({ id, error, path: located?.path?.join('.') ?? '' });
  return masked(id, located, tookEffect);
}

/** A fault of the document or its variables, which graphql-js gives no code. */
export const coded = (error: GraphQLError, code: string): GraphQLError => extended(error, { code });

/**
 * A mutation's field that has a payload has committed: what fails below it is only missing from the answer, and its error has
 * `extensions.tookEffect`, lest the mutation look as if it had failed, even where the fault makes the whole payload null.
 */
export const tellingWhatTookEffect = ({ errors, ...result }: ExecutionResult): ExecutionResult =>
  errors === undefined
    ? result
    : {
        ...result,
        errors: errors.map((error) =>
          error.path !== undefined && error.path.length > 1 ? extended(error, { tookEffect: true }) : error,
        ),
      };

function extended(error: GraphQLError, more: GraphQLError['extensions']): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions: { ...extensions, ...more },
  });
}

const TOOK_EFFECT =
  'The mutation took effect; only this part of its answer is missing. Read it with a query.';

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

/** What TIMEOUT advises, to send the same again, is for what failed. */
const besideWhatTookEffect = ({ code, message, details }: DomainError) =>
  code === 'TIMEOUT'
    ? new DomainError(code, TOOK_EFFECT, { tookEffect: true })
    : new DomainError(code, `${message} ${TOOK_EFFECT}`, { ...details, tookEffect: true });

function masked(id: string, located: GraphQLError | undefined, tookEffect: boolean): GraphQLError {
  const advice = tookEffect ? TOOK_EFFECT : 'Before repeating a write, check whether it took effect.';
  return new GraphQLError(
    `Something went wrong here, not in your request; the server's log has it as ${id}. ${advice}`,
    {
      nodes: located?.nodes,
      path: located?.path,
      extensions: { code: 'INTERNAL_SERVER_ERROR', id, ...(tookEffect && { tookEffect }) },
    },
  );
}
