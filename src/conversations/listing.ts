import { loadCounted } from '../accounts/answer-limit.js';
import type { Operation } from '../accounts/operation.js';
import { badUserInput } from '../errors.js';
import { ConversationEntryType } from '../generated/prisma/enums.js';
import type { Listing } from '../graphql/connections.js';
import { encodeCursor, logTag } from '../graphql/cursors.js';
import type { EntryRow } from './entry.js';
import { countOfTypes, readEntries, type TypeFilter } from './page-store.js';
import { findMatches, type Needle } from './search.js';
import { type ConversationRow, findEntries } from './store.js';
import { conversationLogKey, entryListKey } from './topics.js';

const ALL = Object.keys(ConversationEntryType).length;

/** `types` as it is given; an explicit null means the default. @throws BAD_USER_INPUT for an empty list. */
export function typeFilter(types: readonly ConversationEntryType[] | null | undefined): TypeFilter {
  if (types?.length === 0) {
    throw badUserInput('types: expected at least one type, got an empty list. Leave it out for messages.');
  }
  const filter = new Set(types ?? [ConversationEntryType.MESSAGE]);
  return filter.size === ALL ? undefined : filter;
}

/** A conversation's entries, oldest first, cut at its head in this operation; the page that is asked for by default is the newest. */
export function entryListing(
  operation: Operation,
  conversation: ConversationRow,
  types: TypeFilter,
): Listing<EntryRow, EntryRow> {
  const { id, entryHead } = conversation;
  return {
    log: entryListKey(id),
    head: entryHead,
    dense: types === undefined,
    newestByDefault: true,
    read: async (stretch) =>
      (
        await loadCounted(operation, (maximum) =>
          readEntries(operation.database, id, stretch, types, maximum),
        )
      ).entries,
    count: async () =>
      types === undefined ? entryHead : countOfTypes(operation.database, conversation, types),
    numberOf: ({ number }) => number,
    toNode: (entry) => entry,
  };
}

/** The messages of a conversation that contain a text. */
export function searchListing(
  operation: Operation,
  { id, entryHead }: ConversationRow,
  needle: Needle,
): Listing<EntryRow, EntryRow> {
  return {
    log: entryListKey(id),
    head: entryHead,
    dense: false,
    newestByDefault: true,
    read: async (stretch) => {
      const numbers = await findMatches(operation.database, id, stretch, needle);
      const entries = new Map(
        (await findEntries(operation, id, numbers)).map((entry) => [entry.number, entry]),
      );
      return numbers.flatMap((number) => entries.get(number) ?? []);
    },
    count: async () => {
      const whole = {
        above: 0,
        below: entryHead + 1,
        limit: Number.POSITIVE_INFINITY,
        order: 'descending' as const,
      };
      return (await findMatches(operation.database, id, whole, needle)).length;
    },
    numberOf: ({ number }) => number,
    toNode: (entry) => entry,
  };
}

/** An entry and its place, as `entries` and `conversationEntries` show it. */
export const edgeOf = (entry: EntryRow) => ({
  cursor: encodeCursor(logTag(entryListKey(entry.sessionId)), entry.number),
  node: entry,
});

/** A place in a conversation's log of changes, as a cursor. */
export const changeCursor = (sessionId: string, number: number): string =>
  encodeCursor(logTag(conversationLogKey(sessionId)), number);
