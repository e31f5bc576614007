import type { Operation } from '../accounts/operation.js';
import { accountById } from '../credentials/loaders.js';
import { conflict, type DomainError } from '../errors.js';
import type { ElicitationRow } from './store.js';

/** `expected` is not what the elicitation is: the error says who brought it to where it stands, and when. */
export async function settledOtherwise(
  operation: Operation,
  row: ElicitationRow,
  expected: string,
): Promise<DomainError> {
  const decider = await deciderOf(operation, row);
  return conflict(`Expected ${expected}, got one that ${told(row, decider?.name)}.`, currentOf(row, decider));
}

/** The asker's key came before, with other content. */
export async function keyTaken(operation: Operation, row: ElicitationRow): Promise<DomainError> {
  return conflict(
    'input.idempotencyKey: expected one that is new or comes with what it came with before, got one that has other content. Choose another.',
    currentOf(row, await deciderOf(operation, row)),
  );
}

interface Decider {
  readonly accountId: string;
  readonly name: string;
}

async function deciderOf(operation: Operation, { decidedById }: ElicitationRow): Promise<Decider | null> {
  const account = decidedById === null ? null : await accountById(operation).load(decidedById);
  return account === null ? null : { accountId: account.id, name: account.name };
}

const currentOf = (row: ElicitationRow, decidedBy: Decider | null) => ({
  elicitationId: row.id,
  status: row.status,
  decision: row.decision,
  decidedAt: instant(row.decidedAt),
  decidedBy,
  reason: row.reason,
  expiresAt: instant(row.expiresAt),
  consumedAt: instant(row.consumedAt),
  canceledAt: instant(row.canceledAt),
});

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;

function told({ status, decision, ...row }: ElicitationRow, name = 'somebody'): string {
  if (decision !== null) return `${name} ${decision.toLowerCase()} at ${instant(row.decidedAt)}`;
  switch (status) {
    case 'EXPIRED':
      return `expired at ${instant(row.expiresAt)}`;
    case 'CANCELED':
      return `its asker canceled at ${instant(row.canceledAt)}`;
    default:
      return 'still waits for a decision';
  }
}
