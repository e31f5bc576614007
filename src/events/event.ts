import type { EventContent } from './content.js';
import type { ReadContent, StoredFields } from './payload.js';
import { bytesBeside, bytesToShowBeside, contentAsRead, readPayload } from './payload.js';

/** What every event has, whatever its kind. */
interface Occurrence {
  readonly sessionId: string;
  /** 1, 2, 3 … without holes within the session (P1). */
  readonly number: number;
  /** As its writer gave it, unique within the session. */
  readonly eventId: string;
  /** Null for a historical event without one. */
  readonly createdAt: Date | null;
  /** The questionId that it answers; only a user_message has one. */
  readonly repliesTo: string | null;
  /** About how many bytes it holds in memory, or shows: the citations of a message count, though they are read apart. */
  readonly size: number;
}

/** An event as it is read: immutable (P3), its kind's own fields beside `kind`. */
export type EventRow = Occurrence & ReadContent;
export type EventOf<K extends EventRow['kind']> = Extract<EventRow, { kind: K }>;

/** An event as the database gives it; `payload` is JSON text, so that its length is known and it is parsed once. */
export interface RawEvent {
  readonly sessionId: string;
  readonly number: number;
  readonly eventId: string;
  readonly kind: string;
  readonly createdAt: Date | null;
  readonly repliesTo: string | null;
  readonly payload: string;
}

/** Bytes of an event without its payload, roughly. */
const OVERHEAD = 300;

/** Each field by its name: a page of 50 costs a tenth of what it does when the rest of a row is gathered into an object. */
export function toEventRow(raw: RawEvent): EventRow {
  const { sessionId, number, eventId, kind, createdAt, repliesTo, payload } = raw;
  const stored: unknown = JSON.parse(payload);
  const size = OVERHEAD + payload.length + bytesBeside(kind, stored);
  return { sessionId, number, eventId, createdAt, repliesTo, ...readPayload(kind, stored), size };
}

/** An event that is about to be written, or was, as `toEventRow` would read it. */
export const rowOfContent = (
  occurrence: Omit<Occurrence, 'size'>,
  content: EventContent,
  { payload }: StoredFields,
): EventRow => ({
  ...occurrence,
  ...contentAsRead(content, payload),
  size: OVERHEAD + payload.length + bytesToShowBeside(content),
});
