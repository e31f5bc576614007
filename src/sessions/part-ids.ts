import type { Operation } from '../accounts/operation.js';
import { sessionById } from './loaders.js';
import type { SessionRow } from './store.js';

/**
 * What names a source, a file or an output: `{sessionId}:{eventNumber}:{key}` as one event shows it, `{sessionId}::{key}` as the
 * session shows it. Two ids, because the two may differ in content and clients normalise by id.
 */
export interface PartId {
  readonly sessionId: string;
  /** Null: as the session shows it. */
  readonly eventNumber: number | null;
  readonly key: string;
}

const PART_ID = /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}):([1-9]\d{0,9})?:([^\0]+)$/;

export const formatPartId = ({ sessionId, eventNumber, key }: PartId): string =>
  `${sessionId}:${eventNumber ?? ''}:${key}`;

/** Null for what `formatPartId` never gave. */
function parsePartId(id: string): PartId | null {
  const [, sessionId, eventNumber, key] = PART_ID.exec(id) ?? [];
  if (sessionId === undefined || key === undefined) return null;
  return { sessionId, eventNumber: eventNumber === undefined ? null : Number(eventNumber), key };
}

/**
 * Reads parts by their ids, for `node`: null where the id is malformed, the session is not the viewer's to see (P9), or the event
 * lies behind the end that this operation has read.
 */
export function loadParts<T>(
  operation: Operation,
  ids: readonly string[],
  read: (part: PartId, session: SessionRow) => Promise<T | null>,
): Promise<(T | null)[]> {
  const load = async (id: string): Promise<T | null> => {
    const part = parsePartId(id);
    if (part === null) return null;
    const session = await sessionById(operation).load(part.sessionId);
    if (session === null || (part.eventNumber ?? 0) > session.eventHead) return null;
    return read(part, session);
  };
  return Promise.all(ids.map(load));
}
