import type { Database } from '../database/database.js';
import type { Log } from '../live/log.js';
import { logFamilies } from '../live/log-family.js';
import { sessionLogKey } from '../sessions/topics.js';
import type { EventRow } from './event.js';
import { filedUnder, type KindFilter, storedKinds } from './kinds.js';
import { findUnknownKinds, readStretches } from './page-store.js';
import { findHeads } from './store.js';

/** A session's events as a log to follow; it may be narrowed to kinds. */
export type SessionLog = Log<EventRow, KindFilter>;

/** All session logs of a database. */
const familyOf = logFamilies(sessionLogKey, async (database: Database, ids) =>
  (await findHeads(database, ids)).map(({ id, eventHead }) => [id, eventHead] as const),
);

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

const unknownKindsOf = async (database: Database, sessionId: string): Promise<readonly string[]> =>
  (await findUnknownKinds(database, [sessionId]))[0] ?? [];
