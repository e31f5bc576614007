import type { Operation } from '../accounts/operation.js';
import type { NumberStretch } from '../accounts/ranges.js';
import { defineLoader } from '../database/loaders.js';
import type { Listing } from '../graphql/connections.js';

/** A stretch that is asked for, and its place in the call. */
export type Asked<K> = K & NumberStretch & { readonly place: number };

/** A row and the place of the stretch that it belongs to. */
export type Placed<Row> = Row & { readonly place: number };

/**
 * Stretches of numbered lists, each of what `K` names: those of a whole list of sessions are one statement, or two where some are
 * read from their end. `read` gives each stretch's rows in the stretch's order.
 */
export const definePages = <K extends object, Row>(
  read: (
    operation: Operation,
    order: NumberStretch['order'],
    asked: readonly Asked<K>[],
  ) => Promise<readonly Placed<Row>[]>,
) =>
  defineLoader(
    async (keys: readonly (K & NumberStretch)[], operation: Operation): Promise<Row[][]> => {
      const pages: Row[][] = keys.map(() => []);
      const asked = keys.map((key, place) => ({ ...key, place }));
      const reads = (['ascending', 'descending'] as const).map(async (order) => {
        const some = asked.filter((key) => key.order === order);
        const rows = some.length === 0 ? [] : await read(operation, order, some);
        for (const row of rows) pages[row.place]?.push(row);
      });
      await Promise.all(reads);
      return pages;
    },
    { key: JSON.stringify },
  );

/** A session's list that has each number from 1 to its head, read in such stretches. */
export const denseListing = <Row extends { readonly number: number | null }, Node>(
  list: Pick<Listing<Row, Node>, 'log' | 'head' | 'read' | 'toNode'>,
): Listing<Row, Node> => ({
  ...list,
  dense: true,
  count: async () => list.head,
  numberOf: ({ number }) => number ?? 0,
});

/** What is looked up in each session, for one condition a session: then many parts of one session cost one index scan. */
export function idsBySession<K extends { readonly sessionId: string }>(
  keys: readonly K[],
  idOf: (key: K) => string,
): [sessionId: string, ids: string[]][] {
  const ids = new Map<string, string[]>(keys.map(({ sessionId }) => [sessionId, []]));
  for (const key of keys) ids.get(key.sessionId)?.push(idOf(key));
  return [...ids];
}
