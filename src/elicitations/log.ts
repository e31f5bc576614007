import type { Database } from '../database/database.js';
import type { Log } from '../live/log.js';
import { logFamilies } from '../live/log-family.js';
import type { Scope } from './access.js';
import { type ChangeRow, listChanges } from './scope-store.js';
import { findChangeHeads } from './store.js';
import { changeLogKey } from './topics.js';

/** About what an entry holds: a few ids and instants. */
const ENTRY_BYTES = 600;

/** All change logs of a database. */
const familyOf = logFamilies(changeLogKey, async (database: Database, ids) =>
  (await findChangeHeads(database, ids)).map(({ scopeId, changeHead }) => [scopeId, changeHead] as const),
);

/** What happens to the elicitations of a scope, as a log to follow. Knows no viewer: access is checked before it is followed. */
export function changeLog(database: Database, scope: Scope): Log<ChangeRow, never> {
  return {
    key: changeLogKey(scope.id),
    family: familyOf(database),
    read: (range) => listChanges(database, scope, range),
    matches: () => true,
    sizeOf: () => ENTRY_BYTES,
  };
}
