import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { optional, parse, text } from '../parse.js';
import { requireAccount, requireOrganization } from './store.js';
import { uuid } from './uuids.js';

const listInput = z.strictObject({
  accountId: optional(uuid('an accountId')),
  organization: optional(text(200, 1)),
  limit: optional(z.number().int().min(1).max(1_000)),
  before: optional(z.number().int().min(1)),
});
/** Whose; all without either. The next page begins `before` the number that ended the last; 100 by default. */
export type ListInput = z.input<typeof listInput>;

/** What a page is read by: newest first, and one more than it shows. */
interface Page {
  readonly where: {
    readonly accountId?: string;
    readonly organizationId?: string;
    readonly number?: { readonly lt: number };
  };
  readonly orderBy: { readonly number: 'desc' };
  readonly take: number;
}

export interface Listed<Row> {
  /** The last first. */
  readonly rows: readonly Row[];
  /** Where the next page begins; null after the last. */
  readonly before: number | null;
}

/**
 * A page of what the operator lists of an account, of an organisation, or of all of them.
 * @throws BAD_USER_INPUT, NOT_FOUND for an account or an organisation that is not there.
 */
export async function listForOperator<Row extends { readonly number: bigint }>(
  database: Database,
  input: ListInput,
  read: (tx: Transaction, page: Page) => Promise<Row[]>,
): Promise<Listed<Row>> {
  const { accountId, organization, limit = 100, before } = parse(listInput, input);
  return transact(database, async (tx) => {
    if (accountId !== undefined) await requireAccount(tx, accountId);
    const organizationId = organization && (await requireOrganization(tx, organization)).id;
    const where = {
      ...(accountId !== undefined && { accountId }),
      ...(organizationId !== undefined && { organizationId }),
      ...(before !== undefined && { number: { lt: before } }),
    };
    const found = await read(tx, { where, orderBy: { number: 'desc' }, take: limit + 1 });
    const rows = found.slice(0, limit);
    return { rows, before: found.length > limit ? Number(rows.at(-1)?.number) : null };
  });
}
