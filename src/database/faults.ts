import { DomainError } from '../errors.js';

/** Why the database cannot be opened: for whoever runs Tidings, so its message stands alone, without a stack. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/**
 * What went wrong in a statement, however it was sent:
 * `unique` and `foreign-key`, with the name of the constraint or index;
 * `busy`: no connection, no lock or no end in time; `overtaken`: a deadlock, or a write that others made impossible. Both undo the
 * transaction, and the same may be tried again.
 */
export type DatabaseFault =
  | { readonly kind: 'unique' | 'foreign-key'; readonly constraint: string | undefined }
  | { readonly kind: 'busy' | 'overtaken' };

/** null for what is not the database's, and for faults that only a log should show: lost connections, wrong SQL. */
export function faultOf(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null;
  // Prisma: a transaction that waited too long for its connection or took too long. pg-pool has only the message.
  if (codeOf(error) === 'P2028' || error.message === 'timeout exceeded when trying to connect')
    return { kind: 'busy' };
  switch (sqlStateOf(error)) {
    case '23505':
      return { kind: 'unique', constraint: constraintOf(error) };
    case '23503':
      return { kind: 'foreign-key', constraint: constraintOf(error) };
    case '55P03': // lock_not_available: lock_timeout, or NOWAIT
    case '57014': // query_canceled: statement_timeout
    case '25P03': // idle_in_transaction_session_timeout
    case '53300': // too_many_connections
      return { kind: 'busy' };
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
      return { kind: 'overtaken' };
    default:
      return null;
  }
}

/** Whether a row could not be written because another has its key, by the name of the constraint or index. */
export function isTaken(error: unknown, constraint: string): boolean {
  const fault = faultOf(error);
  return fault?.kind === 'unique' && fault.constraint === constraint;
}

/** TIMEOUT for a fault that goes away by itself; null for any other. */
export function asTimeout(error: unknown): DomainError | null {
  switch (faultOf(error)?.kind) {
    case 'busy':
      return retryable('The database did not get to this in time');
    case 'overtaken':
      return retryable('Another change to the same data came in between');
    default:
      return null;
  }
}

const retryable = (what: string) =>
  new DomainError('TIMEOUT', `${what}. Nothing was written: send the same again in a moment.`, {
    retry: 'UNCHANGED',
  });

// PostgreSQL's own error lies below Prisma's; pg gives it as it is.
const sqlStateOf = (error: Error) =>
  textAt(error, 'meta', 'driverAdapterError', 'cause', 'originalCode') ?? codeOf(error);

const constraintOf = (error: Error) =>
  textAt(error, 'meta', 'driverAdapterError', 'cause', 'constraint', 'index') ?? textAt(error, 'constraint');

const codeOf = (error: Error) => textAt(error, 'code');

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  return typeof found === 'string' ? found : undefined;
}
