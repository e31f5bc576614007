import type { Database } from '../database/database.js';
import { notFound } from '../errors.js';
import { asUuid } from './uuids.js';
import type { Viewer } from './viewer.js';

/**
 * The operator in the place of an account's runtime, who may do what a SERVICE credential of the account may.
 * @throws NOT_FOUND
 */
export async function runtimeOf({ prisma }: Database, accountId: string): Promise<Viewer> {
  const id = asUuid(accountId);
  const account = id === undefined ? null : await prisma.account.findUnique({ where: { id } });
  if (account === null)
    throw notFound(
      `Expected the id of an account, got ${JSON.stringify(accountId.slice(0, 100))}. Check it.`,
    );
  return {
    // Of no row: nothing that a runtime writes tells by which credential it did.
    credentialId: 'operator',
    kind: 'SERVICE',
    accountId: account.id,
    organizationId: account.organizationId,
    role: account.role,
    sessionId: null,
    scopes: [],
    expiresAt: null,
  };
}
