import { DomainError } from '../errors.js';

/** Why the database cannot be opened: for whoever runs Tidings, so its message stands alone, without a stack. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/**
 * How a statement failed in a way that goes away by itself, however it was sent. `busy`: no connection, no lock or no end in time;
 * `overtaken`: a deadlock, or a write that others made impossible. Both undo the transaction, and the same may be tried again. null
 * for any other fault: that is ours, or for the log.
 */
function passingFault(error: unknown): 'busy' | 'overtaken' | null {
  if (!(error instanceof Error)) return null;
  // Prisma: a transaction that waited too long for its connection or took too long. pg-pool has only the message.
  if (codeOf(error) === 'P2028' || error.message === 'timeout exceeded when trying to connect') return 'busy';
  switch (sqlStateOf(error)) {
    case '55P03': // lock_not_available: lock_timeout, or NOWAIT
    case '57014': // query_canceled: statement_timeout
    case '25P03': // idle_in_transaction_session_timeout
    case '53300': // too_many_connections
      return 'busy';
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
      return 'overtaken';
    default:
      return null;
  }
}

/** TIMEOUT for a fault that goes away by itself; null for any other. */
export function asTimeout(error: unknown): DomainError | null {
  switch (passingFault(error)) {
    case 'busy':
      return retryable('The database did not get to this in time');
    case 'overtaken':
      return retryable('Another change to the same data came in between');
    default:
      return null;
  }
}

const retryable = (what: string) =>
  new DomainError(
    'TIMEOUT',
    `${what}. Send the same again in a moment, a write with the ids that it had: it may have taken effect.`,
    {
      retry: 'UNCHANGED',
    },
  );

// PostgreSQL's own error lies below Prisma's; pg gives it as it is.
const sqlStateOf = (error: Error) =>
  textAt(error, 'meta', 'driverAdapterError', 'cause', 'originalCode') ?? codeOf(error);

const codeOf = (error: Error) => textAt(error, 'code');

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  return typeof found === 'string' ? found : undefined;
}
