import type { Database } from '../database/database.js';
import { type Listed, type ListInput, listForOperator } from './operator-list.js';
import type { CredentialRow } from './tokens.js';

/**
 * The credentials of an account, of an organisation, or all of them, expired and revoked ones too: never a secret, which nobody has.
 * @throws as `listForOperator`.
 */
export const listTokens = (database: Database, input: ListInput): Promise<Listed<CredentialRow>> =>
  listForOperator(database, input, (tx, page) =>
    tx.credential.findMany({ ...page, omit: { secretHash: true } }),
  );
