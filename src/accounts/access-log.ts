import type { Database, Transaction } from '../database/database.js';
import type { AccessChange } from '../generated/prisma/client.js';
import type { AccessChangeKind } from '../generated/prisma/enums.js';
import { type Listed, type ListInput, listForOperator } from './operator-list.js';
import type { Viewer } from './viewer.js';

/** Who changes access: a credential's holder or, undefined, the operator. */
export type Actor = Pick<Viewer, 'credentialId' | 'accountId'> | undefined;

/** As an actor: whoever runs the server. */
export const OPERATOR: Actor = undefined;

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

/** Changes of an account's access, an organisation's, or anybody's. @throws as `listForOperator`. */
export const listChanges = (database: Database, input: ListInput): Promise<Listed<AccessChange>> =>
  listForOperator(database, input, (tx, page) => tx.accessChange.findMany(page));
