import type { Operation } from '../accounts/operation.js';
import { keyOf } from '../accounts/ranges.js';
import { badUserInput } from '../errors.js';
import type { SessionStatus } from '../generated/prisma/enums.js';
import type { Listing } from '../graphql/connections.js';
import { indexRanges, requireNotRun } from './access.js';
import { listHead } from './loaders.js';
import { countSessions, listSessions, type SessionRow } from './store.js';

/**
 * The sessions that the viewer may read, the last created first, cut where the list ends for this operation: neither new
 * sessions nor changes move what is on a page.
 * @throws FORBIDDEN for RUN credentials; BAD_USER_INPUT for an empty filter.
 */
export async function sessionListing(
  operation: Operation,
  status: readonly SessionStatus[] | null | undefined,
): Promise<Listing<SessionRow, SessionRow>> {
  requireNotRun(operation.viewer, 'Listing sessions');
  if (status?.length === 0) {
    throw badUserInput('status: expected at least one status, got an empty list. Leave it out for all.');
  }
  const filter = status ?? undefined;
  const head = await listHead(operation).load('head');
  return {
    log: keyOf('sessions', indexRanges(operation.viewer)),
    head,
    dense: false,
    order: 'descending',
    read: (stretch) => listSessions(operation, filter, stretch),
    count: () => countSessions(operation, filter, head),
    numberOf: ({ number }) => Number(number),
    toNode: (session) => session,
  };
}
