import type { ServerResponse } from 'node:http';
import { DomainError, type ErrorCode } from '../errors.js';

/** What each code is in HTTP, where no GraphQL answer carries it. */
const STATUS: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  PLAN_UPGRADE_REQUIRED: 403,
  NOT_FOUND: 404,
  BAD_USER_INPUT: 400,
  INVALID_CURSOR: 400,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  QUERY_TOO_COMPLEX: 400,
  PERSISTED_QUERY_NOT_FOUND: 200,
  PAYLOAD_TOO_LARGE: 413,
  TIMEOUT: 503,
  SHUTTING_DOWN: 503,
};

/** What some codes add: how to authenticate (RFC 6750), and when to come back. */
const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  UNAUTHENTICATED: { 'www-authenticate': 'Bearer realm="tidings"' },
  TIMEOUT: { 'retry-after': '1' },
  SHUTTING_DOWN: { 'retry-after': '5' },
};

/** As a header, in seconds; when exactly, only the limit that was passed knows. */
export const headersOf = ({ code, details: { retryAfter } }: DomainError): Record<string, string> => ({
  ...HEADERS[code],
  ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
});

export const statusOf = ({ code }: DomainError): number => STATUS[code];

export interface AnswerOptions {
  /** By default that of the error's code, or 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with JSON; an answer that has begun stays as it is. */
export function answerJson(res: ServerResponse, body: unknown, options: AnswerOptions = {}): void {
  if (res.headersSent) return;
  const text = JSON.stringify(body);
  res.writeHead(options.status ?? 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...options.headers,
  });
  res.end(text);
}

/** The shape of GraphQL's errors, so that a client reads one kind of refusal. */
export const errorOf = ({ message, code, details }: DomainError) => ({
  message,
  extensions: { code, ...details },
});

/** Answers with an error, and the HTTP status of its code. */
export function answerError(res: ServerResponse, error: DomainError, options: AnswerOptions = {}): void {
  answerJson(
    res,
    { errors: [errorOf(error)] },
    {
      status: options.status ?? statusOf(error),
      headers: { ...headersOf(error), ...options.headers },
    },
  );
}

/** The path is right, the method is not. */
export function answerMethod(res: ServerResponse, allow: string): void {
  const error = new DomainError('BAD_USER_INPUT', `Expected the method ${allow} here, got another.`);
  answerError(res, error, { status: 405, headers: { allow } });
}

/** Our fault, not the client's: it reads an id that the log has too. */
export function answerInternal(res: ServerResponse, id: string): void {
  const message = `Something went wrong here, not in your request; the server's log has it as ${id}.`;
  answerJson(
    res,
    { errors: [{ message, extensions: { code: 'INTERNAL_SERVER_ERROR', id } }] },
    { status: 500 },
  );
}

export const shuttingDown = () =>
  new DomainError('SHUTTING_DOWN', 'This server is going down; ask again in a moment.');
