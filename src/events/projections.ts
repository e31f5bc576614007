import type { Database, Transaction } from '../database/database.js';
import type { Hint } from '../live/bus.js';
import type { SessionRow } from '../sessions/store.js';
import type { EventRow } from './event.js';

/** What a projection has written: the heads of the session that it moved, and whom to tell after the commit. */
export interface Projected {
  readonly heads: Partial<Pick<SessionRow, 'entryHead' | 'changeHead' | 'projectedHead'>>;
  readonly hints: readonly Hint[];
}

/**
 * Writes what follows from a session's new events, in the transaction that appends them and holds the session's lock: whoever reads
 * sees both or neither. `session` is as it was before these events.
 */
export type Projection = (
  tx: Transaction,
  session: SessionRow,
  events: readonly EventRow[],
) => Promise<Projected>;

const registered = new WeakMap<Database, Projection>();

/** From here on every append to the database runs the projection, which a domain further right brings. */
export function registerProjection(database: Database, projection: Projection): void {
  registered.set(database, projection);
}

export async function projectEvents(
  database: Database,
  tx: Transaction,
  session: SessionRow,
  events: readonly EventRow[],
): Promise<Projected> {
  const projection = registered.get(database);
  return projection === undefined ? { heads: {}, hints: [] } : projection(tx, session, events);
}
