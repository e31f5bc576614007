import DataLoader from 'dataloader';

/** Keys that one statement may ask for: bounds its parameters and its answer. */
const MAX_BATCH = 1_000;

/**
 * Reads rows for many keys in one statement: an answer for each key, in the keys' order. An Error fails its own key alone; whatever
 * is thrown fails them all.
 */
export type Batch<Scope, K, V> = (keys: readonly K[], scope: Scope) => Promise<readonly (V | Error)[]>;

export interface LoaderOptions<K> {
  /** What makes two keys the same; `String(key)` by default, so keys that are objects need one. */
  readonly key?: (key: K) => string;
  /** At most this many keys in one call of the batch; 1,000 by default. */
  readonly maxBatchSize?: number;
}

/**
 * A batched read, declared beside its rows: `load(scope).load(key)`. All keys asked for in one turn become one batch, and a key is read
 * once for each scope object. A scope is one operation or one pushed update; its loaders go when it does, so whoever brings a
 * fresh scope sees fresh rows.
 */
export function defineLoader<Scope extends object, K, V>(
  batch: Batch<Scope, K, V>,
  options: LoaderOptions<K> = {},
): (scope: Scope) => DataLoader<K, V, string> {
  const loaders = new WeakMap<Scope, DataLoader<K, V, string>>();
  return (scope) => {
    const known = loaders.get(scope);
    if (known !== undefined) return known;
    const loader = new DataLoader<K, V, string>((keys) => batch(keys, scope), {
      cacheKeyFn: options.key ?? String,
      maxBatchSize: options.maxBatchSize ?? MAX_BATCH,
    });
    loaders.set(scope, loader);
    return loader;
  };
}

/** The row of each key, in the keys' order; null where there is none. Of several rows with one key the last counts. */
export function rowByKey<K, Row>(
  keys: readonly K[],
  rows: Iterable<Row>,
  keyOf: (row: Row) => K,
): (Row | null)[] {
  const found = new Map<K, Row>();
  for (const row of rows) found.set(keyOf(row), row);
  return keys.map((key) => found.get(key) ?? null);
}

/** The rows of each key, in the keys' order, each list in the rows' order; empty where there are none. */
export function rowsByKey<K, Row>(keys: readonly K[], rows: Iterable<Row>, keyOf: (row: Row) => K): Row[][] {
  const lists = new Map<K, Row[]>(keys.map((key) => [key, []]));
  for (const row of rows) lists.get(keyOf(row))?.push(row);
  return keys.map((key) => [...(lists.get(key) ?? [])]);
}
