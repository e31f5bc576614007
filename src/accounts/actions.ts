import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { badUserInput } from '../errors.js';
import type { Account } from '../generated/prisma/client.js';
import { OrganizationRole } from '../generated/prisma/enums.js';
import { optional, parse, text } from '../parse.js';
import { type Change, OPERATOR, recordChanges } from './access-log.js';
import { databaseNow } from './clock.js';
import { lockAccount } from './locks.js';
import {
  endServices,
  findOrMakeOrganization,
  movePersonal,
  requireAccount,
  requireOrganization,
} from './store.js';
import { uuid } from './uuids.js';

/** What an operator does to accounts. Whoever may call these may do anything, so no viewer is asked for. */

const accountId = () => uuid('an accountId');
const name = () => text(200, 1);
const role = z.enum(OrganizationRole);

const createAccountInput = z.strictObject({
  name: name(),
  organization: optional(name()),
  role: optional(role),
});
export type CreateAccountInput = z.input<typeof createAccountInput>;

/**
 * Makes an account; its organisation, if one is named, is found by that name or made. The one that an organisation is made for
 * is its admin, later ones are members, unless `role` says otherwise.
 * @throws BAD_USER_INPUT.
 */
export async function createAccount(database: Database, input: CreateAccountInput): Promise<Account> {
  const { name, organization, role } = parse(createAccountInput, input);
  requirePlace(organization, role);
  return transact(database, async (tx) => {
    const place = await findPlace(tx, organization, role);
    const account = await tx.account.create({
      data: { id: randomUUID(), name, createdAt: await databaseNow(tx), ...place },
    });
    await recordChanges(tx, OPERATOR, [changeOf('ACCOUNT_CREATED', account, { role: account.role })]);
    return account;
  });
}

const moveAccountInput = z.strictObject({
  accountId: accountId(),
  organization: optional(name()),
  role: optional(role),
});
export type MoveAccountInput = z.input<typeof moveAccountInput>;

/**
 * Moves an account to an organisation, found or made as in `createAccount`, or out of all without one. Its sessions stay where
 * they were made, its SERVICE credentials end, its PERSONAL ones go with it. Moving to where it is changes its role at most.
 * @throws BAD_USER_INPUT, NOT_FOUND.
 */
export async function moveAccount(database: Database, input: MoveAccountInput): Promise<Account> {
  const { accountId, organization, role } = parse(moveAccountInput, input);
  requirePlace(organization, role);
  return transact(database, async (tx) => {
    await lockAccount(tx, accountId);
    const account = await requireAccount(tx, accountId);
    const place = await findPlace(tx, organization, role);
    if (place.organizationId === account.organizationId) {
      return role === undefined ? account : changeRole(tx, account, role);
    }
    const ended = await endServices(tx, accountId);
    await movePersonal(tx, accountId, place.organizationId);
    const moved = await tx.account.update({ where: { id: accountId }, data: place });
    const from = { fromOrganizationId: account.organizationId, fromRole: account.role };
    await recordChanges(tx, OPERATOR, [
      changeOf('ACCOUNT_MOVED', moved, { ...from, role: moved.role }),
      ...ended.map(({ id }) => revocation(id, account, 'account moved')),
    ]);
    return moved;
  });
}

const setRoleInput = z.strictObject({ accountId: accountId(), role });
export type SetRoleInput = z.input<typeof setRoleInput>;

/**
 * Makes an account admin or member of its organisation; who is no admin any more loses its SERVICE credentials.
 * @throws BAD_USER_INPUT for an account without organisation, NOT_FOUND.
 */
export async function setRole(database: Database, input: SetRoleInput): Promise<Account> {
  const { accountId, role } = parse(setRoleInput, input);
  return transact(database, async (tx) => {
    await lockAccount(tx, accountId);
    return changeRole(tx, await requireAccount(tx, accountId), role);
  });
}

const setPlanInput = z.strictObject({
  accountId: optional(accountId()),
  organization: optional(name()),
  apiAccess: z.boolean(),
});
export type SetPlanInput = z.input<typeof setPlanInput>;

/**
 * Gives an account or a whole organisation API access, or takes it: every request without it is PLAN_UPGRADE_REQUIRED.
 * @throws BAD_USER_INPUT unless exactly one of the two is named, NOT_FOUND.
 */
export async function setPlan(database: Database, input: SetPlanInput): Promise<void> {
  const { accountId, organization, apiAccess } = parse(setPlanInput, input);
  if ((accountId === undefined) === (organization === undefined)) {
    throw badUserInput('input: expected either accountId or organization. Name the one whose plan it is.');
  }
  await transact(database, async (tx) => {
    if (accountId !== undefined) {
      const account = await requireAccount(tx, accountId);
      await tx.account.update({ where: { id: account.id }, data: { apiAccess } });
      await recordChanges(tx, OPERATOR, [changeOf('PLAN_CHANGED', account, { apiAccess })]);
    }
    if (organization !== undefined) {
      const { id } = await requireOrganization(tx, organization);
      await tx.organization.update({ where: { id }, data: { apiAccess } });
      const change = { kind: 'PLAN_CHANGED', organizationId: id, details: { apiAccess } } as const;
      await recordChanges(tx, OPERATOR, [change]);
    }
  });
}

function requirePlace(organization: string | undefined, role: OrganizationRole | undefined): void {
  if (organization !== undefined || role === undefined) return;
  throw badUserInput('input.role: expected an organization beside it. A role is one in an organisation.');
}

async function findPlace(
  tx: Transaction,
  organization: string | undefined,
  role: OrganizationRole | undefined,
): Promise<Pick<Account, 'organizationId' | 'role'>> {
  if (organization === undefined) return { organizationId: null, role: null };
  const { id, made } = await findOrMakeOrganization(tx, organization);
  return { organizationId: id, role: role ?? (made ? 'ADMIN' : 'MEMBER') };
}

async function changeRole(tx: Transaction, account: Account, role: OrganizationRole): Promise<Account> {
  if (account.organizationId === null) {
    throw badUserInput('input.accountId: expected an account with an organisation. Move it to one first.');
  }
  if (account.role === role) return account;
  const ended = account.role === 'ADMIN' ? await endServices(tx, account.id) : [];
  const changed = await tx.account.update({ where: { id: account.id }, data: { role } });
  await recordChanges(tx, OPERATOR, [
    changeOf('ROLE_CHANGED', changed, { fromRole: account.role, role }),
    ...ended.map(({ id }) => revocation(id, account, 'account demoted')),
  ]);
  return changed;
}

const changeOf = (
  kind: Change['kind'],
  { id, organizationId }: Pick<Account, 'id' | 'organizationId'>,
  details: Change['details'],
): Change => ({ kind, accountId: id, organizationId, details });

const revocation = (credentialId: string, account: Account, cause: string): Change => ({
  ...changeOf('CREDENTIAL_REVOKED', account, { kind: 'SERVICE', cause }),
  credentialId,
});
