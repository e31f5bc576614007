import { z } from 'zod';
import type { Database } from '../database/database.js';
import { transact } from '../database/transact.js';
import { optional, parse, text } from '../parse.js';
import { requireAccount, requireOrganization } from './store.js';
import type { CredentialRow } from './tokens.js';
import { uuid } from './uuids.js';

const listInput = z.strictObject({
  accountId: optional(uuid('an accountId')),
  organization: optional(text(200, 1)),
  limit: optional(z.number().int().min(1).max(1_000)),
  before: optional(z.number().int().min(1)),
});
export type ListTokensInput = z.input<typeof listInput>;

export interface TokenList {
  /** The one issued last first; expired and revoked ones too. */
  readonly credentials: readonly CredentialRow[];
  /** Where the next page begins; null after the last. */
  readonly before: number | null;
}

/**
 * The credentials of an account, of an organisation, or all of them, for the operator: never a secret, which nobody has.
 * @throws BAD_USER_INPUT, NOT_FOUND for an account or an organisation that is not there.
 */
export async function listTokens(database: Database, input: ListTokensInput): Promise<TokenList> {
  const { accountId, organization, limit = 100, before } = parse(listInput, input);
  return transact(database, async (tx) => {
    if (accountId !== undefined) await requireAccount(tx, accountId);
    const organizationId = organization && (await requireOrganization(tx, organization)).id;
    const rows = await tx.credential.findMany({
      where: {
        ...(accountId !== undefined && { accountId }),
        ...(organizationId !== undefined && { organizationId }),
        ...(before !== undefined && { number: { lt: before } }),
      },
      orderBy: { number: 'desc' },
      take: limit + 1,
      omit: { secretHash: true },
    });
    const credentials = rows.slice(0, limit);
    return { credentials, before: rows.length > limit ? Number(credentials.at(-1)?.number) : null };
  });
}
