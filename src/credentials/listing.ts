import type { Operation } from '../accounts/operation.js';
import { keyOf } from '../accounts/ranges.js';
import type { Listing } from '../graphql/connections.js';
import { credentialRanges } from './access.js';
import { credentialHead } from './loaders.js';
import { type CredentialRow, countCredentials, listCredentials } from './store.js';

/** The viewer's credentials as a list, newest first, cut where it ends for this operation. */
export async function credentialListing(
  operation: Operation,
): Promise<Listing<CredentialRow, CredentialRow>> {
  const head = await credentialHead(operation).load('head');
  return {
    log: keyOf('credentials', credentialRanges(operation.viewer)),
    head,
    dense: false,
    order: 'descending',
    read: (stretch) => listCredentials(operation, stretch),
    count: () => countCredentials(operation, head),
    numberOf: ({ number }) => Number(number),
    toNode: (row) => row,
  };
}
