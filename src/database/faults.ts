import { DomainError } from '../errors.js';

/** Why the database cannot be opened: for whoever runs Tidings, so its message stands alone, without a stack. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/**
 * How a statement failed in a way that goes away by itself, however it was sent. `busy`: no connection, no lock or no end in time;
 * `overtaken`: a deadlock, or a write that others made impossible; `lost`: no connection any more, so whether the last statement took
 * effect is unknown. The others undo the transaction. The same may be tried again. null for any other fault: that is ours, or for the
 * log.
 */
type PassingFault = 'busy' | 'overtaken' | 'lost';

const BY_CODE: Readonly<Record<string, PassingFault>> = {
  P2028: 'busy', // Prisma: a transaction waited too long for its connection or took too long
  '55P03': 'busy', // lock_not_available: lock_timeout, or NOWAIT
  '57014': 'busy', // query_canceled: statement_timeout
  '25P03': 'busy', // idle_in_transaction_session_timeout
  '53300': 'busy', // too_many_connections
  '40001': 'overtaken', // serialization_failure
  '40P01': 'overtaken', // deadlock_detected
  '57P01': 'lost', // admin_shutdown
  '57P02': 'lost', // crash_shutdown
  '57P03': 'lost', // cannot_connect_now
  ECONNREFUSED: 'lost',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  P1001: 'lost', // Prisma's names for such errors of a socket
  P1008: 'lost',
  P1017: 'lost',
};

/** What pg has no code for. */
const BY_MESSAGE: Readonly<Record<string, PassingFault>> = {
  'timeout exceeded when trying to connect': 'busy',
  'Connection terminated unexpectedly': 'lost',
  'Connection terminated due to connection timeout': 'lost',
  'Client has encountered a connection error and is not queryable': 'lost',
};

/** Prisma's names for them below a query by hand, which has one code for all. */
const BY_KIND: Readonly<Record<string, PassingFault>> = {
  ConnectionClosed: 'lost',
  DatabaseNotReachable: 'lost',
  SocketTimeout: 'lost',
  TooManyConnections: 'busy',
};

const passingFault = (error: unknown): PassingFault | undefined =>
  error instanceof Error
    ? (BY_MESSAGE[error.message] ??
      BY_CODE[sqlStateOf(error) ?? ''] ??
      BY_KIND[kindOf(error) ?? ''] ??
      BY_CODE[codeOf(error) ?? ''])
    : undefined;

const WHAT: Readonly<Record<PassingFault, string>> = {
  busy: 'The database did not get to this in time',
  overtaken: 'Another change to the same data came in between',
  lost: 'The connection to the database was lost',
};

/** TIMEOUT for a fault that goes away by itself; null for any other. */
export function asTimeout(error: unknown): DomainError | null {
  const fault = passingFault(error);
  return fault === undefined ? null : retryable(WHAT[fault]);
}

const retryable = (what: string) =>
  new DomainError(
    'TIMEOUT',
    `${what}. Send the same again in a moment, a write with the ids that it had: it may have taken effect.`,
    {
      retry: 'UNCHANGED',
    },
  );

// PostgreSQL's own error lies below Prisma's, or below the adapter's where a transaction could not begin or end; pg gives it as it is.
const sqlStateOf = (error: Error) => belowAdapter(error, 'originalCode') ?? codeOf(error);

const kindOf = (error: Error) => belowAdapter(error, 'kind');

const belowAdapter = (error: Error, what: string) =>
  textAt(error, 'meta', 'driverAdapterError', 'cause', what) ?? textAt(error, 'cause', what);

const codeOf = (error: Error) => textAt(error, 'code');

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  return typeof found === 'string' ? found : undefined;
}
