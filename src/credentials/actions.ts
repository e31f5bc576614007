import { announceAccess } from '../accounts/authority.js';
import type { Operation } from '../accounts/operation.js';
import { mayWrite, noSuchSession } from '../accounts/ownership.js';
import {
  findOwnership,
  type Holder,
  type Issued,
  insertCredential,
  lockHolder,
  parseToken,
  runHolder,
  type TokenInput,
} from '../accounts/tokens.js';
import { asUuid } from '../accounts/uuids.js';
import type { Viewer } from '../accounts/viewer.js';
import type { Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { badUserInput, forbidden, notFound } from '../errors.js';
import { type CredentialRow, revoke } from './store.js';

/**
 * Issues a credential: PERSONAL for oneself; SERVICE by an admin, or an account without organisation, for itself; RUN by whoever
 * may write the session, for the session's owner and with an end.
 * @throws FORBIDDEN, BAD_USER_INPUT, NOT_FOUND for a session that one may not write.
 */
export async function issueCredential(operation: Operation, input: unknown): Promise<Issued> {
  requireIssuer(operation);
  const token = parseToken(input);
  requireKind(operation, token);
  return transact(operation.database, async (tx) =>
    insertCredential(tx, token, await findHolder(tx, operation, token), operation.viewer),
  );
}

/**
 * Ends a credential that the viewer may see. Doing it again changes nothing.
 * @throws NOT_FOUND for one that is unknown, malformed or foreign, all alike (P9).
 */
export async function revokeCredential(operation: Operation, credentialId: string): Promise<CredentialRow> {
  const id = asUuid(credentialId);
  const revoked =
    id === undefined ? null : await transact(operation.database, (tx) => revoke(tx, operation, id));
  if (revoked !== null) {
    announceAccess(operation.bus);
    return revoked;
  }
  throw notFound('Expected the id of a credential that you may revoke, got none of those. Check the id.');
}

function requireIssuer({ viewer }: Operation): void {
  if (viewer.kind === 'RUN') throw forbidden('Issuing credentials is not for RUN credentials.');
}

/** What the kind alone decides, before anything is looked up. */
function requireKind({ viewer }: Operation, { kind, accountId, expiresAt, ttlSeconds }: TokenInput): void {
  if (kind === 'RUN') {
    if (expiresAt !== undefined || ttlSeconds !== undefined) return;
    throw badUserInput('input: expected expiresAt or ttlSeconds for a RUN credential. Say when it ends.');
  }
  if (viewer.kind !== 'PERSONAL') throw forbidden(`A ${viewer.kind} credential issues RUN ones alone.`);
  if (accountId !== undefined && asUuid(accountId) !== viewer.accountId) {
    throw forbidden(`input.accountId: a ${kind} credential is issued for oneself alone; leave it out.`);
  }
  if (kind === 'SERVICE') requireServiceIssuer(viewer);
}

function requireServiceIssuer({ organizationId, role }: Pick<Viewer, 'organizationId' | 'role'>) {
  if (organizationId === null || role === 'ADMIN') return;
  throw forbidden("Issuing a SERVICE credential is for an organisation's admins. Ask one, or use a RUN one.");
}

async function findHolder(tx: Transaction, { viewer }: Operation, token: TokenInput): Promise<Holder> {
  if (token.kind === 'RUN') {
    const session = await findOwnership(tx, token.sessionId);
    if (session === null || !mayWrite(viewer, session)) throw noSuchSession();
    return runHolder(token, session);
  }
  // Under the account's lock, so that no demotion or move comes between this check and the credential, which it would end.
  const holder = await lockHolder(tx, viewer.accountId);
  if (token.kind === 'SERVICE') requireServiceIssuer(holder);
  return holder;
}
