import type { Database } from '../database/database.js';
import type { ConversationEntryType } from '../generated/prisma/enums.js';
import type { Log } from '../live/log.js';
import { logFamilies } from '../live/log-family.js';
import type { EntryChange } from './entry.js';
import { readChanges } from './page-store.js';
import { findChangeHeads } from './store.js';
import { conversationLogKey } from './topics.js';

/** A conversation's changes as a log to follow; it may be narrowed to types. */
export type ConversationLog = Log<EntryChange, ReadonlySet<ConversationEntryType>>;

/** All logs of conversations of a database. */
const familyOf = logFamilies(conversationLogKey, async (database: Database, ids) =>
  (await findChangeHeads(database, ids)).map(({ id, changeHead }) => [id, changeHead] as const),
);

/** The log of one conversation. Knows no viewer: access is checked before it is followed. */
export function conversationLog(database: Database, sessionId: string): ConversationLog {
  return {
    key: conversationLogKey(sessionId),
    family: familyOf(database),
    read: ({ after, upTo, limit, filter, bytes = Number.MAX_SAFE_INTEGER }) => {
      const stretch = { above: after, below: upTo + 1, limit, order: 'ascending' as const };
      return readChanges(database, sessionId, stretch, filter, bytes);
    },
    matches: ({ entry }, filter) => filter.has(entry.type),
    sizeOf: ({ entry }) => entry.size,
  };
}
