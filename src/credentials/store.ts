import type { Operation } from '../accounts/operation.js';
import {
  inRanges,
  type NumberStretch,
  type Ranges,
  selectCount,
  selectLast,
  selectStretch,
} from '../accounts/ranges.js';
import { CREDENTIAL_COLUMNS, type CredentialRow, endCredential } from '../accounts/tokens.js';
import type { Transaction } from '../database/database.js';
import { type Account, type Organization, Prisma } from '../generated/prisma/client.js';
import { credentialRanges } from './access.js';

/** An account as a viewer sees it: organisation and role are null outside the viewer's own organisation. */
export type AccountRow = Pick<Account, 'id' | 'name' | 'organizationId' | 'role'>;

export type OrganizationRow = Pick<Organization, 'id' | 'name'>;

export type { CredentialRow };

/** Accounts by id, for those reached through something visible: whoever may not see more of them sees their name. */
export async function findAccounts(
  { database, viewer }: Operation,
  ids: readonly string[],
): Promise<AccountRow[]> {
  const accounts = await database.prisma.account.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, name: true, organizationId: true, role: true },
  });
  return accounts.map((account) =>
    account.organizationId === viewer.organizationId
      ? account
      : { ...account, organizationId: null, role: null },
  );
}

/** Of these the viewer's own organisation, which is the only one that it sees. */
export async function findOrganizations(
  { database, viewer }: Operation,
  ids: readonly string[],
): Promise<OrganizationRow[]> {
  const id = viewer.organizationId;
  if (id === null || !ids.includes(id)) return [];
  return database.prisma.organization.findMany({ where: { id }, select: { id: true, name: true } });
}

const table = Prisma.sql`credential`;
const visible = ({ viewer }: Operation): Ranges => ({ table, ranges: credentialRanges(viewer) });

/** The visible ones among these ids, in no order. Ids must be UUIDs in lower case. */
export const findCredentials = (operation: Operation, ids: readonly string[]): Promise<CredentialRow[]> =>
  operation.database.prisma.$queryRaw<CredentialRow[]>`
    SELECT ${CREDENTIAL_COLUMNS} FROM credential
    WHERE id = ANY(${ids}::uuid[]) AND ${inRanges(credentialRanges(operation.viewer))}`;

/** Visible credentials by number; the newest has the greatest. */
export const listCredentials = (operation: Operation, stretch: NumberStretch): Promise<CredentialRow[]> =>
  operation.database.prisma.$queryRaw<CredentialRow[]>(
    selectStretch(visible(operation), CREDENTIAL_COLUMNS, stretch),
  );

/** The greatest number of a visible credential, 0 without any. */
export async function readCredentialHead(operation: Operation): Promise<number> {
  const query = selectLast(visible(operation));
  const [last] = await operation.database.prisma.$queryRaw<{ number: bigint }[]>(query);
  return Number(last?.number ?? 0);
}

/** How many are visible, up to `head`. */
export async function countCredentials(operation: Operation, head: number): Promise<number> {
  const query = selectCount(visible(operation), head);
  const rows = await operation.database.prisma.$queryRaw<{ count: number }[]>(query);
  return rows[0]?.count ?? 0;
}

/** Revokes a visible credential unless it is revoked already. Null for one that is unknown or not to be seen. */
export const revoke = (
  tx: Transaction,
  { viewer }: Operation,
  credentialId: string,
): Promise<CredentialRow | null> =>
  endCredential(tx, credentialId, viewer, inRanges(credentialRanges(viewer)));
