import type { Database } from '../database/database.js';
import type { Log, LogFamily } from '../live/log.js';
import { sessionLogKey } from '../sessions/topics.js';
import type { EventRow } from './event.js';
import { filedUnder, type KindFilter, storedKinds } from './kinds.js';
import { findUnknownKinds, readStretches } from './page-store.js';
import { findHeads } from './store.js';

/** A session's events as a log to follow; it may be narrowed to kinds. */
export type SessionLog = Log<EventRow, KindFilter>;

const KEY_PREFIX = sessionLogKey('');
const families = new WeakMap<Database, LogFamily>();

/** The log of one session. Knows no viewer: access is checked before it is followed. */
export function sessionLog(database: Database, sessionId: string): SessionLog {
  return {
    key: sessionLogKey(sessionId),
    family: familyOf(database),
    read: async ({ after, upTo, limit, filter, bytes = Number.MAX_SAFE_INTEGER }) => {
      const kinds = filter && (await storedKinds(filter, () => unknownKindsOf(database, sessionId)));
      const range = { above: after, below: upTo + 1, limit, order: 'ascending' as const };
      const { pages } = await readStretches(database, [{ sessionId, ...range, kinds }], bytes);
      return pages[0] ?? [];
    },
    matches: (event, filter) => filter.has(filedUnder(event)),
    sizeOf: ({ size }) => size,
  };
}

/** All session logs of a database: one object, so that their heads are read together. */
function familyOf(database: Database): LogFamily {
  const family = families.get(database) ?? newFamily(database);
  families.set(database, family);
  return family;
}

const newFamily = (database: Database): LogFamily => ({
  heads: async (keys) => {
    const rows = await findHeads(
      database,
      keys.map((key) => key.slice(KEY_PREFIX.length)),
    );
    return new Map(rows.map(({ id, eventHead }) => [sessionLogKey(id), eventHead]));
  },
});

const unknownKindsOf = async (database: Database, sessionId: string): Promise<readonly string[]> =>
  (await findUnknownKinds(database, [sessionId]))[0] ?? [];
