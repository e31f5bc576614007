import type { LogFamily } from './log.js';

/** Where one log ends. */
export type LogHead = readonly [id: string, head: number];

/**
 * The family of the logs of one kind, whose keys are a prefix and an id: one object for each source, such as a database, for as
 * long as that is there. `readHeads` reads the heads of these ids in one statement; it may leave out logs without entries.
 */
export function logFamilies<Source extends object>(
  keyOf: (id: string) => string,
  readHeads: (source: Source, ids: readonly string[]) => Promise<readonly LogHead[]>,
): (source: Source) => LogFamily {
  const families = new WeakMap<Source, LogFamily>();
  const prefix = keyOf('');
  return (source) => {
    const family: LogFamily = families.get(source) ?? {
      heads: async (keys) => {
        const ids = keys.map((key) => key.slice(prefix.length));
        return new Map((await readHeads(source, ids)).map(([id, head]) => [keyOf(id), head]));
      },
    };
    families.set(source, family);
    return family;
  };
}
