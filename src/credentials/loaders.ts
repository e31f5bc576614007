import type { Operation } from '../accounts/operation.js';
import { defineLoader, rowByKey } from '../database/loaders.js';
import {
  type AccountRow,
  type CredentialRow,
  findAccounts,
  findCredentials,
  findOrganizations,
  type OrganizationRow,
  readCredentialHead,
} from './store.js';

/** An account reached through something visible; ids must exist. Null organisation and role outside the viewer's own. */
export const accountById = defineLoader<Operation, string, AccountRow | null>(async (ids, operation) =>
  rowByKey(ids, await findAccounts(operation, ids), ({ id }) => id),
);

/** The viewer's organisation by its id; null for any other. */
export const organizationById = defineLoader<Operation, string, OrganizationRow | null>(
  async (ids, operation) => rowByKey(ids, await findOrganizations(operation, ids), ({ id }) => id),
);

/** A visible credential by its id, or null. */
export const credentialById = defineLoader<Operation, string, CredentialRow | null>(async (ids, operation) =>
  rowByKey(ids, await findCredentials(operation, ids), ({ id }) => id),
);

/** Where all lists of credentials of an operation end, read once. */
export const credentialHead = defineLoader<Operation, 'head', number>(async (keys, operation) => {
  const head = await readCredentialHead(operation);
  return keys.map(() => head);
});
