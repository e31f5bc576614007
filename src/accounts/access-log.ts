import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import type { AccessChange } from '../generated/prisma/client.js';
import type { AccessChangeKind } from '../generated/prisma/enums.js';
import { optional, parse, text } from '../parse.js';
import { requireAccount, requireOrganization } from './store.js';
import { uuid } from './uuids.js';
import type { Viewer } from './viewer.js';

/** Who changes access: a credential's holder or, undefined, the operator. */
export type Actor = Pick<Viewer, 'credentialId' | 'accountId'> | undefined;

/** What is changed of whose access. `details` says what it was and is: no secret, and no text of a client's. */
export interface Change {
  readonly kind: AccessChangeKind;
  readonly accountId?: string | null;
  readonly organizationId?: string | null;
  readonly credentialId?: string;
  readonly details: Readonly<Record<string, string | boolean | null | readonly string[]>>;
}

/** Writes down changes of access in the transaction that makes them, so that there is never one without the other. */
export async function recordChanges(tx: Transaction, by: Actor, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.accessChange.createMany({
    data: changes.map(({ details, ...change }) => ({
      ...change,
      details: { ...details },
      byCredentialId: by?.credentialId ?? null,
      byAccountId: by?.accountId ?? null,
    })),
  });
}

const listInput = z.strictObject({
  accountId: optional(uuid('an accountId')),
  organization: optional(text(200, 1)),
  limit: optional(z.number().int().min(1).max(1_000)),
  before: optional(z.number().int().min(1)),
});
export type ListChangesInput = z.input<typeof listInput>;

export interface ChangeList {
  /** The last first. */
  readonly changes: readonly AccessChange[];
  /** Where the next page begins; null after the last. */
  readonly before: number | null;
}

/**
 * Changes of an account's access, an organisation's, or anybody's, for the operator.
 * @throws BAD_USER_INPUT, NOT_FOUND for an account or an organisation that is not there.
 */
export async function listChanges(database: Database, input: ListChangesInput): Promise<ChangeList> {
  const { accountId, organization, limit = 100, before } = parse(listInput, input);
  return transact(database, async (tx) => {
    if (accountId !== undefined) await requireAccount(tx, accountId);
    const organizationId = organization && (await requireOrganization(tx, organization)).id;
    const rows = await tx.accessChange.findMany({
      where: {
        ...(accountId !== undefined && { accountId }),
        ...(organizationId !== undefined && { organizationId }),
        ...(before !== undefined && { number: { lt: before } }),
      },
      orderBy: { number: 'desc' },
      take: limit + 1,
    });
    const changes = rows.slice(0, limit);
    return { changes, before: rows.length > limit ? Number(changes.at(-1)?.number) : null };
  });
}
