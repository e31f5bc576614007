import { randomUUID } from 'node:crypto';
import type { Transaction } from '../database/database.js';
import { notFound } from '../errors.js';
import type { Account, Credential, Organization } from '../generated/prisma/client.js';
import { databaseNow } from './clock.js';

/** @throws NOT_FOUND. */
export async function requireAccount(tx: Transaction, accountId: string): Promise<Account> {
  const account = await tx.account.findUnique({ where: { id: accountId } });
  if (account === null) throw notFound(`Expected the id of an account, got ${accountId}. Check it.`);
  return account;
}

/** @throws NOT_FOUND. */
export async function requireOrganization(tx: Transaction, name: string): Promise<Organization> {
  const organization = await tx.organization.findUnique({ where: { name } });
  if (organization === null) {
    throw notFound(`Expected the name of an organisation, got ${JSON.stringify(name)}. Check it.`);
  }
  return organization;
}

/** The organisation of this name, made if there is none; of two that make it at once, the unique index lets one. */
export async function findOrMakeOrganization(
  tx: Transaction,
  name: string,
): Promise<{ readonly id: string; readonly made: boolean }> {
  const id = randomUUID();
  const made = await tx.$executeRaw`
    INSERT INTO organization (id, name, created_at) VALUES (${id}::uuid, ${name}, ${await databaseNow(tx)})
    ON CONFLICT (name) DO NOTHING`;
  return made === 1 ? { id, made: true } : { id: (await requireOrganization(tx, name)).id, made: false };
}

/**
 * Revokes the account's SERVICE credentials: they end when it leaves its organisation, joins one, or is no admin any more. Gives those
 * that were in force.
 */
export const endServices = (tx: Transaction, accountId: string): Promise<Pick<Credential, 'id'>[]> =>
  tx.$queryRaw<Pick<Credential, 'id'>[]>`
    UPDATE credential SET revoked_at = date_trunc('milliseconds', clock_timestamp())
    WHERE account_id = ${accountId}::uuid AND kind = 'SERVICE' AND revoked_at IS NULL RETURNING id`;

/** PERSONAL credentials follow their account, so that the admins of where it is now see them, and no others. */
export async function movePersonal(
  tx: Transaction,
  accountId: string,
  organizationId: string | null,
): Promise<void> {
  await tx.credential.updateMany({ where: { accountId, kind: 'PERSONAL' }, data: { organizationId } });
}
