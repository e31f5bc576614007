import { createHash } from 'node:crypto';
import type { Transaction } from '../database/database.js';

/** The first key of an advisory lock says what kind of thing is locked; the second, which one. */
const ACCOUNT = 0x74646761;
const ORGANIZATION = 0x7464676f;

/** Four bytes of a hash: two things may share a lock, which costs one of them a wait and nothing else. */
const hash = (id: string): number => createHash('sha256').update(id).digest().readInt32BE(0);

/**
 * Takes the account's lock until the transaction ends: the first of all locks (account, organisation, session …). Whoever
 * holds it is alone in deciding by what the account is: its organisation, its role, what follows from them.
 */
export async function lockAccount(tx: Transaction, accountId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ACCOUNT}::int, ${hash(accountId)}::int)`;
}

/** Takes the organisation's lock until the transaction ends; after the account's. Numbers that its lists count by are given out under it. */
export async function lockOrganization(tx: Transaction, organizationId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ORGANIZATION}::int, ${hash(organizationId)}::int)`;
}

/** Waits for whoever has the account's lock, and keeps the next one waiting, until the transaction ends; readers do not wait for each other. */
export async function shareAccount(tx: Transaction, accountId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(${ACCOUNT}::int, ${hash(accountId)}::int)`;
}

/** As `shareAccount`, for an organisation's lock. */
export async function shareOrganization(tx: Transaction, organizationId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(${ORGANIZATION}::int, ${hash(organizationId)}::int)`;
}

/** An account and the organisation that it is in, which stay so until the transaction ends. */
export interface Place {
  readonly accountId: string;
  readonly organizationId: string | null;
}

/**
 * Takes the account's lock, then that of the organisation in which it then is. Null, without the second lock, for an account that is not
 * there and for a place that is not to be used: the two take the same statements (P9).
 */
export async function lockPlace(
  tx: Transaction,
  accountId: string,
  mayUse: (place: Place) => boolean,
): Promise<Place | null> {
  await lockAccount(tx, accountId);
  const account = await tx.account.findUnique({ where: { id: accountId }, select: { organizationId: true } });
  if (account === null || !mayUse({ accountId, ...account })) return null;
  const { organizationId } = account;
  if (organizationId !== null) await lockOrganization(tx, organizationId);
  return { accountId, organizationId };
}

/** As `lockAccount`, without waiting: false when somebody else has the lock. */
export async function tryLockAccount(tx: Transaction, accountId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ taken: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${ACCOUNT}::int, ${hash(accountId)}::int) AS taken`;
  return row?.taken === true;
}
