/** The codes that a client can meet; `graphql/errors.ts` and `http/` map them, nothing else does. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'PLAN_UPGRADE_REQUIRED'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'INVALID_CURSOR'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'QUERY_TOO_COMPLEX'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'TIMEOUT'
  | 'SHUTTING_DOWN';

/** What goes into `extensions` beside the code: JSON, and nothing private. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * A fault that the caller may know of. Its message says what was expected, what came and what to do, and is shown as it
 * stands; every other error is masked.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }
}

export const badUserInput = (message: string, details?: ErrorDetails) =>
  new DomainError('BAD_USER_INPUT', message, details);

export const forbidden = (message: string) => new DomainError('FORBIDDEN', message);

/** For what is not there and for what one may not see: the two read alike (P9). */
export const notFound = (message: string) => new DomainError('NOT_FOUND', message);

/** `current` is the state that won; absent where showing it would tell of something one may not see. */
export const conflict = (message: string, current?: ErrorDetails) =>
  new DomainError('CONFLICT', message, current === undefined ? {} : { current });

export type CursorFault = 'MALFORMED' | 'WRONG_LOG' | 'AHEAD';

/** The client drops its cursor, reads again from the start and goes on from there (P2). */
export const invalidCursor = (reason: CursorFault, message: string) =>
  new DomainError('INVALID_CURSOR', message, { reason, retry: 'WITHOUT_CURSOR' });
