import { randomUUID } from 'node:crypto';
import { type ExecutionResult, GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { asTimeout } from '../database/faults.js';
import { DomainError, type ErrorCode, type ErrorDetails } from '../errors.js';
import { withoutValues } from './unquoted.js';

/** Codes that decide the HTTP status too; every other error is a 200 or 400 as GraphQL over HTTP says. */
const HTTP_STATUS: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  PLAN_UPGRADE_REQUIRED: 403,
  RATE_LIMITED: 429,
  QUERY_TOO_COMPLEX: 400,
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
 * it but for the values, everything else masked behind an id that the log has too.
 */
export function toGraphQLError(error: unknown, report: ReportInternal): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  const cause = located === undefined ? error : (located.originalError ?? located);
  const known = cause instanceof DomainError ? cause : asTimeout(cause);
  const tookEffect = located?.extensions.tookEffect === true;
  if (known !== null) return shown(tookEffect ? besideWhatTookEffect(known) : known, located);
  if (cause instanceof GraphQLError) {
    const { code } = cause.extensions;
    const error = located ?? cause;
    if (typeof code !== 'string') return coded(error, 'BAD_USER_INPUT', error.path ? {} : NOT_EXECUTED);
    const isRaw = code === 'GRAPHQL_PARSE_FAILED' || error.message.length > MAX_MESSAGE;
    return isRaw ? coded(error, code) : error;
  }
  const id = randomUUID();
  report({ id, error, path: located?.path?.join('.') ?? '' });
  return masked(id, located, tookEffect);
}

/**
 * A fault of the document or its variables, which graphql-js gives no code, and in whose message it quotes values. Without
 * `originalError`: for one that is no GraphQLError, such as a scalar's DomainError, the engine would answer with a 500.
 */
export const coded = (error: GraphQLError, code: string, more: ErrorDetails = {}): GraphQLError =>
  changed(error, {
    message: shortened(withoutValues(error)),
    extensions: { ...error.extensions, ...more, code },
    originalError: undefined,
  });

/** The longest message that is not shortened, and what is left of one that is: where the fault is, and what was expected there. */
const MAX_MESSAGE = 400;
const MESSAGE_START = 250;
const MESSAGE_END = 100;

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  const left = message.length - MESSAGE_START - MESSAGE_END;
  return `${message.slice(0, MESSAGE_START)} … (${left} characters) … ${message.slice(-MESSAGE_END)}`.toWellFormed();
}

/** A fault of the document or its variables: a 400 where GraphQL over HTTP wishes one, a 200 in application/json. */
export const NOT_EXECUTED: ErrorDetails = { http: { spec: true, status: 400 } };

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
          error.path !== undefined && error.path.length > 1
            ? changed(error, { extensions: { ...error.extensions, tookEffect: true } })
            : error,
        ),
      };

function changed(
  error: GraphQLError,
  changes: GraphQLErrorOptions & { readonly message?: string },
): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(changes.message ?? message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions,
    ...changes,
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
      ...(status === undefined ? {} : { http: { status, headers: comeBack(error) } }),
    },
  });
}

const comeBack = ({ details: { retryAfter } }: DomainError) =>
  typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : undefined;

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
