import type { Operation } from '../accounts/operation.js';
import type { ElicitationStatus } from '../generated/prisma/enums.js';
import type { Listing } from '../graphql/connections.js';
import { encodeCursor, logTag } from '../graphql/cursors.js';
import type { SessionRow } from '../sessions/store.js';
import { type Scope, widestScope } from './access.js';
import { expireScope, readFresh } from './expiry.js';
import { countOf, elicitationsOf, scopeHead, transitionsOf } from './loaders.js';
import { countScope, listScope, numberIn } from './scope-store.js';
import { transitionNumber } from './state.js';
import type { ElicitationRow, TransitionRow } from './store.js';
import { changeLogKey } from './topics.js';

/**
 * How far the change log of a scope is known to go: what comes after it is news for whoever reads rows from here on. Read it before the
 * rows. The log of a scope that the viewer may not list has no position but its start.
 */
export async function checkpointOf(operation: Operation, scope: Scope | null): Promise<string> {
  const scopeId = scope?.id ?? operation.viewer.accountId;
  const head = scope === null ? 0 : (await scopeHead(operation).load(scope)).changeHead;
  return changeCursor(scopeId, head);
}

/** A place in the change log of a scope, as a cursor. */
export const changeCursor = (scopeId: string, number: number): string =>
  encodeCursor(logTag(changeLogKey(scopeId)), number);

/**
 * What was asked in a scope, newest first, cut at its head in this operation. With a status, all that is due in the scope is expired
 * before it is read (P8); without one, what is read.
 */
export async function scopeElicitations(
  operation: Operation,
  scope: Scope,
  status: readonly ElicitationStatus[] | undefined,
): Promise<Listing<ElicitationRow, ElicitationRow>> {
  const { head } = await scopeHead(operation).load(scope);
  const checkpoint = await checkpointOf(operation, scope);
  if (status !== undefined) await expireScope(operation, scope);
  return {
    log: `elicitations-in:${scope.id}`,
    head,
    dense: status === undefined,
    order: 'descending',
    checkpoint,
    read: (stretch) => readFresh(operation, () => listScope(operation, scope, stretch, status)),
    count: () => countScope(operation, scope, head, status ?? []),
    numberOf: (row) => numberIn(scope, row),
    toNode: (row) => row,
  };
}

/** What was asked in a session and the viewer sees, newest first, cut at the session's head in this operation. */
export async function sessionElicitations(
  operation: Operation,
  session: SessionRow,
): Promise<Listing<ElicitationRow, ElicitationRow>> {
  return {
    log: `elicitations-of:${session.id}`,
    head: session.elicitationHead,
    dense: false,
    order: 'descending',
    checkpoint: await checkpointOf(operation, widestScope(operation.viewer)),
    read: (stretch) => elicitationsOf(operation).load({ sessionId: session.id, ...stretch }),
    count: () => countOf(operation).load(session),
    numberOf: ({ sessionNumber }) => sessionNumber ?? 0,
    toNode: (row) => row,
  };
}

/** What has happened to an elicitation, cut at the status that is shown beside it. */
export function transitionListing(
  operation: Operation,
  { id, status }: ElicitationRow,
): Listing<TransitionRow, TransitionRow> {
  const head = transitionNumber(status);
  return {
    log: `transitions:${id}`,
    head,
    dense: true,
    // Three at most, so all are read, and those of a whole list of elicitations at once.
    read: async ({ above, below, limit, order }) => {
      const all = await transitionsOf(operation).load(id);
      const inside = all.filter(({ number }) => number > above && number < below);
      return (order === 'ascending' ? inside : inside.reverse()).slice(0, limit);
    },
    count: async () => head,
    numberOf: ({ number }) => number,
    toNode: (row) => row,
  };
}
