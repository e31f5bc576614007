import type { Operation } from '../accounts/operation.js';
import { badUserInput } from '../errors.js';
import type { Listing } from '../graphql/connections.js';
import { encodeCursor, logTag } from '../graphql/cursors.js';
import type { SessionRow } from '../sessions/store.js';
import { sessionLogKey } from '../sessions/topics.js';
import type { EventKind } from './content.js';
import type { EventRow } from './event.js';
import { type KindFilter, storedKinds } from './kinds.js';
import { eventStretch, unknownKinds } from './loaders.js';
import { countOfKinds } from './page-store.js';

/** `kinds` as it is given. @throws BAD_USER_INPUT for an empty list. */
export function kindFilter(kinds: readonly EventKind[] | null | undefined): KindFilter | undefined {
  if (kinds?.length === 0) {
    throw badUserInput('kinds: expected at least one kind, got an empty list. Leave it out for all.');
  }
  return kinds ? new Set(kinds) : undefined;
}

/** A session's events, cut at its head in this operation; those of some kinds cost no more than they are. */
export function eventListing(
  operation: Operation,
  { id, eventHead }: SessionRow,
  filter: KindFilter | undefined,
): Listing<EventRow, EventRow> {
  const stored = () => filter && storedKinds(filter, () => unknownKinds(operation).load(id));
  return {
    log: sessionLogKey(id),
    head: eventHead,
    dense: filter === undefined,
    read: async (stretch) =>
      eventStretch(operation).load({ sessionId: id, ...stretch, kinds: await stored() }),
    count: async () => countOfKinds(operation.database, { id, eventHead }, (await stored()) ?? []),
    numberOf: ({ number }) => number,
    toNode: (event) => event,
  };
}

/** A place in a session's log, as a cursor. */
export const sessionCursor = (sessionId: string, number: number): string =>
  encodeCursor(logTag(sessionLogKey(sessionId)), number);

/** An event and its place, as `events` and `sessionEvents` show it. */
export const edgeOf = (event: EventRow) => ({
  cursor: sessionCursor(event.sessionId, event.number),
  node: event,
});
