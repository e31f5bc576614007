import { type EventKind, isKnownKind } from './content.js';
import type { EventRow } from './event.js';

/** The kinds that a list or a stream is narrowed to; `unknown` stands for all that this version does not know. */
export type KindFilter = ReadonlySet<EventKind>;

/** An event is filed under the kind that it was stored as, also if it is shown as unknown because it cannot be read. */
export const filedUnder = (event: EventRow): EventKind =>
  event.kind === 'unknown' && isKnownKind(event.rawKind) ? event.rawKind : event.kind;

/** The stored kinds that a filter means in a session; asks the database only for the unknown ones. */
export async function storedKinds(
  filter: KindFilter,
  unknownKinds: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const known = [...filter].filter((kind) => kind !== 'unknown');
  return filter.has('unknown') ? [...known, ...(await unknownKinds())] : known;
}
