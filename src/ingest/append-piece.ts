import type { Operation } from '../accounts/operation.js';
import type { Transaction } from '../database/database.js';
import { appendDecided, prepareEvent } from '../events/append.js';
import type { EventInput } from '../events/content.js';
import { hasEvents } from '../events/store.js';
import type { SessionRow } from '../sessions/store.js';
import { judge } from './resending.js';
import { findTurns, type KnownTurn, writeTurns } from './store.js';
import type { Piece } from './stream.js';

export interface AppendedPiece {
  /** As it is after the append. */
  readonly session: SessionRow;
  /** How many events are new. */
  readonly added: number;
  /** How many were there already, or tell of an end that is none, since more is there. */
  readonly duplicates: number;
}

/**
 * Appends what a piece of a raw stream comes to, all or nothing. Streams that come side by side are judged one after the other, under
 * the session's lock.
 * @throws NOT_FOUND unless the viewer may write to the session.
 */
export async function appendPiece(
  operation: Operation,
  sessionId: string,
  piece: Piece,
): Promise<AppendedPiece> {
  const events = prepare(piece.events);
  const ending = prepare(piece.ending);
  const turns = piece.progress.map(({ turn }) => turn);
  const appended = await appendDecided(operation, sessionId, async (tx) => {
    const known = await findTurns(tx, sessionId, turns);
    const isNews = known.length > 0 && (await isAnother(tx, sessionId, piece, known));
    const judged = judge(sessionId, piece, isNews ? [] : known);
    if (judged.turns.length > 0) await writeTurns(tx, sessionId, judged.turns);
    return [...prepare(judged.reopened), ...events, ...(judged.isBehind ? [] : ending)];
  });
  const told = new Set(appended.events.map(({ eventId }) => eventId));
  const untold = piece.ending.filter(({ eventId }) => !told.has(eventId));
  return {
    session: appended.session,
    added: appended.added,
    duplicates: appended.duplicates.length + untold.length,
  };
}

/**
 * Whether it is another stream of the same name: it says what is not there, where that name was read already. Some services go on with
 * a message under its id, and some give no ids.
 */
async function isAnother(
  tx: Transaction,
  sessionId: string,
  { events, progress }: Piece,
  known: readonly KnownTurn[],
): Promise<boolean> {
  const read = new Map(known.map(({ turn, objects }) => [turn, objects]));
  if (progress.some(({ turn, objects }) => objects > (read.get(turn) ?? 0))) return false;
  const eventIds = events.map(({ eventId }) => eventId);
  return !(await hasEvents(tx, sessionId, eventIds));
}

const prepare = (events: readonly EventInput[]) => events.map((event) => prepareEvent(event));
