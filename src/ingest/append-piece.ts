import type { Operation } from '../accounts/operation.js';
import type { Transaction } from '../database/database.js';
import { type Appended, appendDecided, type PreparedEvent, prepareEvent } from '../events/append.js';
import type { EventInput } from '../events/content.js';
import { hasEvents } from '../events/store.js';
import type { SessionRow } from '../sessions/store.js';
import { inSpan } from '../spans.js';
import { judge } from './resending.js';
import { findTurns, type KnownTurn, writeTurns } from './store.js';
import type { Piece } from './stream.js';

/** Of one kind of event. */
export interface KindCounts {
  /** How many are new. */
  readonly accepted: number;
  /** How many were there already, or tell of an end that is none, since more is there. */
  readonly duplicates: number;
}

export interface AppendedPiece {
  /** As it is after the append. */
  readonly session: SessionRow;
  /** By kind, in upper case. */
  readonly kinds: ReadonlyMap<string, KindCounts>;
}

/** A piece whose events passed the door. */
export interface PreparedPiece extends Omit<Piece, 'events'> {
  readonly events: readonly PreparedEvent[];
}

/** @throws BAD_USER_INPUT */
export const preparePiece = (piece: Piece): PreparedPiece => ({
  ...piece,
  events: piece.events.map((event) => prepareEvent(event)),
});

/**
 * Appends what a piece of a raw stream comes to, all or nothing. Streams that come side by side are judged one after the other, under
 * the session's lock. `keep` writes what else the piece is to be committed with.
 * @throws NOT_FOUND unless the viewer may write to the session; what `keep` throws.
 */
export async function appendPiece(
  operation: Operation,
  sessionId: string,
  piece: PreparedPiece,
  keep: (tx: Transaction) => Promise<void> = async () => undefined,
): Promise<AppendedPiece> {
  const appended = await inSpan('ingest', { 'tidings.events': piece.events.length }, () =>
    appendDecided(operation, sessionId, async (tx) => {
      await keep(tx);
      return decidePiece(tx, sessionId, piece);
    }),
  );
  return { session: appended.session, kinds: countKinds(piece, appended) };
}

/** What of a piece is to be appended. The caller holds the session's lock. */
export async function decidePiece(
  tx: Transaction,
  sessionId: string,
  piece: PreparedPiece,
): Promise<readonly PreparedEvent[]> {
  const turns = piece.progress.map(({ turn }) => turn);
  const known = await findTurns(tx, sessionId, turns);
  const isNews = known.length > 0 && (await isAnother(tx, sessionId, piece, known));
  const judged = judge(sessionId, piece, isNews ? [] : known);
  if (judged.turns.length > 0) await writeTurns(tx, sessionId, judged.turns);
  const prepare = (event: EventInput) => prepareEvent(event);
  const ending = judged.isBehind ? [] : piece.ending;
  return [...judged.reopened.map(prepare), ...piece.events, ...ending.map(prepare)];
}

/**
 * Whether it is another stream of the same name: it says what is not there, where that name was read already. Some services go on with
 * a message under its id, and some give no ids.
 */
async function isAnother(
  tx: Transaction,
  sessionId: string,
  { events, progress }: PreparedPiece,
  known: readonly KnownTurn[],
): Promise<boolean> {
  const read = new Map(known.map(({ turn, objects }) => [turn, objects]));
  if (progress.some(({ turn, objects }) => objects > (read.get(turn) ?? 0))) return false;
  const eventIds = events.map(({ content }) => content.eventId);
  return !(await hasEvents(tx, sessionId, eventIds));
}

function countKinds(
  { ending }: PreparedPiece,
  { session, events, added, duplicates }: Appended,
): ReadonlyMap<string, KindCounts> {
  const counts = new Map<string, KindCounts>();
  const count = (kind: string, what: keyof KindCounts) => {
    const before = counts.get(kind) ?? { accepted: 0, duplicates: 0 };
    counts.set(kind, { ...before, [what]: before[what] + 1 });
  };
  const byId = new Map(events.map((event) => [event.eventId, event]));
  const known = new Set(duplicates);
  for (const { eventId, kind, number } of byId.values()) {
    if (number > session.eventHead - added) count(kind.toUpperCase(), 'accepted');
    if (known.has(eventId)) count(kind.toUpperCase(), 'duplicates');
  }
  for (const { eventId, kind } of ending) if (!byId.has(eventId)) count(kind.toUpperCase(), 'duplicates');
  return counts;
}
