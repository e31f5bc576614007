import type { Database } from '../database/database.js';
import type { Bus } from '../live/bus.js';
import type { Tails } from '../live/tails.js';
import type { Viewer } from './viewer.js';

/**
 * What an action or a loader works with: who asks, and the means. Loaders are kept by this object, so a fresh one
 * (for each query, each mutation field's payload, each pushed update) sees the rows as they are now, and one alone reads a log's head
 * once.
 */
export interface Operation {
  readonly viewer: Viewer;
  readonly database: Database;
  readonly bus: Bus;
  readonly tails: Tails;
  /** Bytes that an answer may hold, and that may be loaded for it. */
  readonly maxAnswer: number;
}

/** The same viewer and means with nothing read yet. */
export const renewed = (operation: Operation): Operation => ({ ...operation });
