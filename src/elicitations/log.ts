import type { Database } from '../database/database.js';
import type { Log, LogFamily } from '../live/log.js';
import type { Scope } from './access.js';
import { type ChangeRow, listChanges } from './scope-store.js';
import { findChangeHeads } from './store.js';
import { changeLogKey } from './topics.js';

const KEY_PREFIX = changeLogKey('');
/** About what an entry holds: a few ids and instants. */
const ENTRY_BYTES = 600;
const families = new WeakMap<Database, LogFamily>();

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

/** All change logs of a database: one object, so that their heads are read together. */
function familyOf(database: Database): LogFamily {
  const family = families.get(database) ?? newFamily(database);
  families.set(database, family);
  return family;
}

const newFamily = (database: Database): LogFamily => ({
  heads: async (keys) => {
    const rows = await findChangeHeads(
      database,
      keys.map((key) => key.slice(KEY_PREFIX.length)),
    );
    return new Map(rows.map(({ scopeId, changeHead }) => [changeLogKey(scopeId), changeHead]));
  },
});
