import type { Operation } from '../accounts/operation.js';
import { writeArtifacts, writeDeliveredOutputs } from '../artifacts/store.js';
import { writeCitations } from '../citations/store.js';
import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { badUserInput, conflict } from '../errors.js';
import type { Hint } from '../live/bus.js';
import { parse } from '../parse.js';
import { statusAfter } from '../sessions/state.js';
import { lockSession, type SessionRow } from '../sessions/store.js';
import { announce } from '../sessions/topics.js';
import { type EventContent, type EventInput, eventContent, isKnownKind } from './content.js';
import { contentHash } from './content-hash.js';
import { type EventRow, rowOfContent } from './event.js';
import { storedFields } from './payload.js';
import { projectEvents } from './projections.js';
import { pendingStopAfter } from './state.js';
import { findKnownEvents, insertEvents, type KnownEvent, type KnownEvents, type NewEvent } from './store.js';

/** The most events that one call may bring. */
export const MAX_EVENTS = 500;

/** An event that passed the door, ready to be written. */
export interface PreparedEvent {
  readonly content: EventContent;
  readonly hash: Buffer;
  /** The questionId that this user_message answers. */
  readonly repliesTo?: string;
  /** What its writer named it by, for the error when that is taken; by default its eventId. */
  readonly name?: string;
}

export interface Appended {
  /** As it is after the append. */
  readonly session: SessionRow;
  /** One for each input, in that order; for a duplicate the event that was there. */
  readonly events: readonly EventRow[];
  /** The eventIds among them that were there already, each once. */
  readonly duplicates: readonly string[];
  /** How many are new. */
  readonly added: number;
  /** What to publish after the commit, beside the session itself. */
  readonly hints: readonly Hint[];
}

/** An event that a call wrote, or found written by an earlier call like it, and the session after it. */
export interface Written {
  readonly session: SessionRow;
  readonly event: EventRow;
}

/**
 * The door: 1 to 500 events, each as its kind's schema has it.
 * @throws BAD_USER_INPUT that names the path, such as `input.events[3].agentMessage.citations[0].citationId`.
 */
function prepareEvents(inputs: readonly EventInput[]): readonly PreparedEvent[] {
  if (inputs.length === 0 || inputs.length > MAX_EVENTS) {
    throw badUserInput(`input.events: expected 1 to ${MAX_EVENTS} events, got ${inputs.length}.`, {
      path: 'input.events',
      maximum: MAX_EVENTS,
    });
  }
  return inputs.map((input, index) => prepareEvent(input, memberPath(index, input)));
}

/** One event through the door; `path` names it in errors. @throws BAD_USER_INPUT. */
export function prepareEvent(input: EventInput, path = 'input'): PreparedEvent {
  const content = parse(eventContent, input, path);
  return { content, hash: contentHash(content) };
}

const memberPath = (index: number, { kind }: EventInput): string =>
  `input.events[${index}].${kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

/**
 * The one way to append: checks, writes all or nothing, and tells who listens after the commit. Numbers are given out under the
 * session's lock (P1); an eventId that is there already is a duplicate if its content is the same (P3).
 * @throws BAD_USER_INPUT; NOT_FOUND unless the viewer may write to the session; CONFLICT, with `current` if that is stored.
 */
export async function appendEvents(
  operation: Operation,
  sessionId: string,
  inputs: readonly EventInput[],
): Promise<Appended> {
  const prepared = prepareEvents(inputs);
  return appendDecided(operation, sessionId, async () => prepared);
}

/**
 * Appends what is decided under the session's lock, in the transaction that appends it: as many events as the caller can answer for.
 * @throws NOT_FOUND unless the viewer may write to the session; CONFLICT with `current`; what `decide` throws.
 */
export async function appendDecided(
  operation: Operation,
  sessionId: string,
  decide: (tx: Transaction) => Promise<readonly PreparedEvent[]>,
): Promise<Appended> {
  const appended = await transact(operation.database, async (tx) => {
    const session = await lockSession(tx, operation.viewer, sessionId);
    return appendPrepared(operation, tx, session, await decide(tx));
  });
  announceAppended(operation, appended);
  return appended;
}

/**
 * Appends one event that is decided under the session's lock: `decide` gives the event to write, or the one that is there already.
 * @throws NOT_FOUND unless the viewer may write to the session; CONFLICT with `current`; what `decide` throws.
 */
export async function appendOne(
  operation: Operation,
  sessionId: string,
  decide: (tx: Transaction, session: SessionRow) => Promise<PreparedEvent | EventRow>,
): Promise<Written> {
  const appended = await transact(operation.database, async (tx): Promise<Appended> => {
    const session = await lockSession(tx, operation.viewer, sessionId);
    const decided = await decide(tx, session);
    return 'number' in decided
      ? { session, events: [decided], duplicates: [decided.eventId], added: 0, hints: [] }
      : appendPrepared(operation, tx, session, [decided]);
  });
  announceAppended(operation, appended);
  return { session: appended.session, event: only(appended.events) };
}

const counted = new WeakMap<Database, number>();

/** How many events this process has committed to a database. */
export const appendedTo = (database: Database): number => counted.get(database) ?? 0;

/** Tells whoever follows, after the commit; of an append that added nothing there is nothing to tell. */
export function announceAppended(
  operation: Pick<Operation, 'bus' | 'database'>,
  { session, added, hints }: Appended,
): void {
  if (added === 0) return;
  counted.set(operation.database, appendedTo(operation.database) + added);
  announce(operation, session);
  for (const hint of hints) operation.bus.publish(hint);
}

function only(events: readonly EventRow[]): EventRow {
  const [event] = events;
  if (event === undefined) throw new Error('An append of one event gave none (append-1).');
  return event;
}

/**
 * Appends within a transaction that holds the session's lock; whoever calls it announces what was appended after the commit. The same
 * few statements for one event and for five hundred.
 * @throws CONFLICT, with `current` if that is stored; the transaction must not commit then.
 */
export async function appendPrepared(
  { database }: Pick<Operation, 'database'>,
  tx: Transaction,
  session: SessionRow,
  prepared: readonly PreparedEvent[],
): Promise<Appended> {
  const known = await findKnownEvents(
    tx,
    session.id,
    prepared.map(({ content }) => content.eventId),
  );
  const { events, added, duplicates } = settle(session, prepared, known);
  if (added.length === 0) return { session, events, duplicates, added: 0, hints: [] };
  await insertEvents(tx, session.id, added);
  const heads = await writeParts(tx, session, added);
  const projected = await projectEvents(database, tx, session, rowsOf(added));
  const updated = await tx.session.update({
    where: { id: session.id },
    data: {
      ...heads,
      ...projected.heads,
      ...lifecycleAfter(session, added),
      updatedAt: latest(session.updatedAt, known.now),
    },
  });
  return { session: updated, events, duplicates, added: added.length, hints: projected.hints };
}

const rowsOf = (added: readonly NewEvent[]): readonly EventRow[] => added.map(({ row }) => row);

interface Settled {
  readonly events: readonly EventRow[];
  readonly added: readonly NewEvent[];
  readonly duplicates: readonly string[];
}

/** Which of the inputs are new, in which place, and which are there already (P3), in the database or earlier in the call. */
function settle(session: SessionRow, prepared: readonly PreparedEvent[], known: KnownEvents): Settled {
  const seen = new Map<string, KnownEvent | NewEvent>(known.events);
  const added: NewEvent[] = [];
  const duplicates = new Set<string>();
  const events = prepared.map((event) => {
    const { eventId } = event.content;
    const earlier = seen.get(eventId);
    if (earlier !== undefined) {
      // What stands earlier in this call is not written either, so there is nothing to show.
      if (!event.hash.equals(earlier.hash)) {
        throw contradiction(event, known.events.get(eventId));
      }
      duplicates.add(eventId);
      return 'row' in earlier ? earlier.row : asKnown(event, earlier);
    }
    const fresh = numbered(session, session.eventHead + added.length + 1, event, known.now);
    added.push(fresh);
    seen.set(eventId, fresh);
    return fresh.row;
  });
  return { events, added, duplicates: [...duplicates] };
}

/** The event that is there, of which the same was sent again: what it says need not be read. */
const asKnown = ({ content }: PreparedEvent, { hash: _, kind: __, ...occurrence }: KnownEvent): EventRow =>
  rowOfContent(occurrence, content, storedFields(content));

function numbered(session: SessionRow, number: number, event: PreparedEvent, now: Date): NewEvent {
  const { content, hash, repliesTo = null } = event;
  const stored = storedFields(content);
  const createdAt = content.createdAt ?? (content.historical ? null : now);
  const { eventId } = content;
  const row = rowOfContent({ sessionId: session.id, number, eventId, createdAt, repliesTo }, content, stored);
  return { row, content, hash, stored };
}

/** The state that won, for `extensions.current`. */
export const currentOf = ({
  eventId,
  kind,
  createdAt,
}: Pick<EventRow, 'eventId' | 'kind' | 'createdAt'>) => ({
  eventId,
  kind: kind.toUpperCase(),
  createdAt: createdAt?.toISOString() ?? null,
});

/** `earlier` is absent where both are of one call. */
function contradiction({ content, name }: PreparedEvent, earlier: KnownEvent | undefined) {
  const named = name ?? `the eventId "${content.eventId}"`;
  return conflict(
    earlier === undefined
      ? `Expected ${named} once in a call, or with the same content, got it twice with different content; nothing was written. Give each event an id of its own.`
      : `Expected ${named} to be new or to come with the content it had, got other content. Give what is new an id of its own.`,
    earlier && currentOf({ ...earlier, kind: isKnownKind(earlier.kind) ? earlier.kind : 'unknown' }),
  );
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);

/** What events bring along that has rows of its own: only the statements that something needs. */
async function writeParts(tx: Transaction, session: SessionRow, added: readonly NewEvent[]) {
  const messages = added.flatMap(({ row, content }) =>
    content.kind === 'agent_message' && content.citations.length > 0
      ? [{ eventNumber: row.number, citations: content.citations }]
      : [],
  );
  const artifacts = added.flatMap(({ content }) =>
    content.kind === 'artifacts_delivered' ? content.artifacts : [],
  );
  const outputs = added.flatMap(({ content }) =>
    content.kind === 'delivered_outputs' ? content.deliveredOutputs : [],
  );
  return {
    eventHead: session.eventHead + added.length,
    ...(messages.length > 0 && (await writeCitations(tx, session, messages))),
    ...(artifacts.length > 0 && (await writeArtifacts(tx, session, artifacts))),
    ...(outputs.length > 0 && (await writeDeliveredOutputs(tx, session, outputs))),
  };
}

/** The status by the one rule, and the stop request that nothing has settled. */
function lifecycleAfter(session: SessionRow, added: readonly NewEvent[]) {
  const pendingStop = added.reduce<number | null>(
    (pending, { row }) => pendingStopAfter(pending, row),
    session.pendingStop,
  );
  return {
    status: statusAfter(
      session,
      added.map(({ content }) => content),
    ),
    pendingStop,
  };
}
