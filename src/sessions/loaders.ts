import type { Operation } from '../accounts/operation.js';
import { defineLoader } from '../database/loaders.js';
import { findSessions, type SessionRow } from './store.js';

/** A visible session by its id, or null; one statement an operation, so every list of it is cut at the same head. */
export const sessionById = defineLoader(
  async (ids: readonly string[], operation: Operation): Promise<(SessionRow | null)[]> => {
    const rows = await findSessions(operation, ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  },
);
