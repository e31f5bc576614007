import { readCounted } from '../accounts/answer-limit.js';
import type { Operation } from '../accounts/operation.js';
import type { Database, Transaction } from '../database/database.js';
import { Prisma } from '../generated/prisma/client.js';
import { TooManyBytes } from '../live/log.js';
import type { SessionRow } from '../sessions/store.js';
import type { EventContent } from './content.js';
import { type EventRow, type RawEvent, toEventRow } from './event.js';
import type { StoredFields } from './payload.js';

/** Session rows in these functions are such as the viewer may see: whoever has one has passed `sessions/` (P9). */
type Cut = Pick<SessionRow, 'id' | 'eventHead'>;

/** `RawEvent` of `event e`, but for its payload, as SQL. */
export const OCCURRENCE_COLUMNS = `e.session_id AS "sessionId", e.number, e.event_id AS "eventId", e.kind,
  e.created_at AS "createdAt", e.replies_to AS "repliesTo"`;
/** `RawEvent` of `event e`, as SQL. */
export const EVENT_COLUMNS = `${OCCURRENCE_COLUMNS}, e.payload::text AS payload`;
const COLUMNS = Prisma.raw(EVENT_COLUMNS);

/**
 * The size and the payload of `event e`, as SQL; the payloads of several are not read when together they have more bytes than the
 * parameter `maximum`. PostgreSQL keeps large ones apart, so only their sizes are met.
 */
export const payloadWithin = (maximum: string): string =>
  `e.size, CASE WHEN sum(e.size) OVER () <= ${maximum} OR count(*) OVER () = 1 THEN e.payload::text END AS payload`;

/** An event as it is read with `payloadWithin`. */
export type SizedEvent = Omit<RawEvent, 'payload'> & {
  readonly size: number;
  readonly payload: string | null;
};

/** Bytes of all payloads that were read. @throws TooManyBytes when they were not. */
export function bytesOf(events: readonly SizedEvent[], maximum: number): number {
  let bytes = 0;
  for (const [index, { size }] of events.entries()) {
    bytes += size;
    if (bytes > maximum && events.length > 1) throw new TooManyBytes(Math.max(1, index));
  }
  return bytes;
}

/** An event about to be written, as it will be read. */
export interface NewEvent {
  readonly row: EventRow;
  readonly content: EventContent;
  readonly stored: StoredFields;
  readonly hash: Buffer;
}

/** An event that is there, without its payload, and the hash of what was sent. */
export interface KnownEvent extends Omit<RawEvent, 'payload'> {
  readonly hash: Buffer;
}

export interface KnownEvents {
  /** By eventId. */
  readonly events: ReadonlyMap<string, KnownEvent>;
  /** The database's clock, truncated to milliseconds. */
  readonly now: Date;
}

type KnownRow = { readonly now: Date; readonly hash: Uint8Array } & (
  | Omit<RawEvent, 'payload'>
  | { readonly eventId: null }
);

/** Which of these eventIds the session has, and the time, in one statement. */
export async function findKnownEvents(
  tx: Transaction,
  sessionId: string,
  eventIds: readonly string[],
): Promise<KnownEvents> {
  const rows = await tx.$queryRaw<[KnownRow, ...KnownRow[]]>(Prisma.sql`
    SELECT clock.now, ${Prisma.raw(OCCURRENCE_COLUMNS)}, e.content_hash AS hash
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) clock
    LEFT JOIN event e ON e.session_id = ${sessionId}::uuid AND e.event_id = ANY(${eventIds}::text[])`);
  const events = new Map<string, KnownEvent>();
  for (const { now: _, hash, ...known } of rows) {
    if (known.eventId !== null) events.set(known.eventId, { ...known, hash: Buffer.from(hash) });
  }
  return { events, now: rows[0].now };
}

/** Whether the session has events of all these ids. */
export async function hasEvents(
  tx: Transaction,
  sessionId: string,
  eventIds: readonly string[],
): Promise<boolean> {
  const wanted = [...new Set(eventIds)];
  if (wanted.length === 0) return true;
  const rows = await tx.$queryRaw<unknown[]>(Prisma.sql`
    SELECT 1 AS one FROM event WHERE session_id = ${sessionId}::uuid AND event_id = ANY(${wanted}::text[])`);
  return rows.length === wanted.length;
}

/** One statement, with one parameter, however many. */
export async function insertEvents(
  tx: Transaction,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<void> {
  const rows = events.map(({ row, stored, hash }) => ({
    number: row.number,
    event_id: row.eventId,
    created_at: row.createdAt,
    ...stored,
    hash: hash.toString('hex'),
    replies_to: row.repliesTo,
  }));
  await tx.$executeRaw(Prisma.sql`
    INSERT INTO event
      (session_id, number, event_id, kind, created_at, payload, content_hash, resource_id, replies_to)
    SELECT ${sessionId}::uuid, number, event_id, kind, created_at, payload::jsonb, decode(hash, 'hex'),
      "resourceId", replies_to
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS e (number int, event_id text, kind text,
      created_at timestamptz, payload text, hash text, "resourceId" text, replies_to text)`);
}

/** The question that was asked last under this id, and the reply that some question of this id has. */
export async function findQuestion(
  tx: Transaction,
  sessionId: string,
  questionId: string,
): Promise<{ readonly question: EventRow | undefined; readonly reply: EventRow | undefined }> {
  const rows = await tx.$queryRaw<RawEvent[]>(Prisma.sql`
    (SELECT ${COLUMNS} FROM event e WHERE e.session_id = ${sessionId}::uuid AND e.kind = 'question'
      AND e.resource_id = ${questionId} ORDER BY e.number DESC LIMIT 1)
    UNION ALL
    SELECT ${COLUMNS} FROM event e WHERE e.session_id = ${sessionId}::uuid AND e.replies_to = ${questionId}`);
  const events = rows.map(toEventRow);
  return {
    question: events.find(({ kind }) => kind === 'question'),
    reply: events.find(({ kind }) => kind !== 'question'),
  };
}

/** One event by its number; it is known to exist. */
export async function findByNumber(
  tx: Transaction,
  sessionId: string,
  number: number,
): Promise<EventRow | undefined> {
  const rows = await tx.$queryRaw<RawEvent[]>(Prisma.sql`
    SELECT ${COLUMNS} FROM event e WHERE e.session_id = ${sessionId}::uuid AND e.number = ${number}::int`);
  return rows.map(toEventRow)[0];
}

/** What a batch of events may weigh, in bytes of their payloads; a heavier one comes alone. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The events from `after` to `upTo`, from the first on: at most 500, and no more than are light enough to be held at once. */
export async function readMissed(
  tx: Transaction,
  sessionId: string,
  after: number,
  upTo: number,
): Promise<EventRow[]> {
  const rows = await tx.$queryRaw<RawEvent[]>(Prisma.sql`
    SELECT ${COLUMNS} FROM (
      SELECT *, sum(octet_length(payload::text)) OVER (ORDER BY number) - octet_length(payload::text) AS before
      FROM event WHERE session_id = ${sessionId}::uuid AND number > ${after}::int AND number <= ${upTo}::int
        -- Dense, so the range is the limit.
        AND number <= ${after}::int + 500
    ) e WHERE before < ${BATCH_BYTES}::int ORDER BY number`);
  return rows.map(toEventRow);
}

/** A key of an event within a session that the viewer sees; nothing beyond the session's head is found. */
export interface EventKey {
  readonly session: Cut;
  readonly value: string;
}

/** For each key that is found, its place in `keys` and the event. */
export type Found = RawEvent & { readonly place: number };

/** Events by number, eventId or the question that they answer: one statement for all keys. */
export function findBy(
  operation: Operation,
  column: 'number' | 'event_id' | 'replies_to',
  keys: readonly EventKey[],
): Promise<Found[]> {
  const value = column === 'number' ? Prisma.sql`q.value::int` : Prisma.sql`q.value`;
  return readCounted<Found>(
    operation,
    Prisma.sql`
    SELECT q.place, ${COLUMNS} FROM ${asked(keys)}
    JOIN event e ON e.session_id = q.session_id AND e.${Prisma.raw(column)} = ${value} AND e.number <= q.head`,
  );
}

/** The latest snapshot of a resource of one kind: one statement for all keys. */
export const findLatest = (operation: Operation, kind: string, keys: readonly EventKey[]): Promise<Found[]> =>
  readCounted<Found>(
    operation,
    Prisma.sql`
    SELECT q.place, e.* FROM ${asked(keys)} CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM event e WHERE e.session_id = q.session_id AND e.kind = ${kind}
        AND e.resource_id = q.value AND e.number <= q.head ORDER BY e.number DESC LIMIT 1) e`,
  );

/** The keys as rows `q (place, session_id, head, value)`. */
const asked = (keys: readonly EventKey[]) => Prisma.sql`unnest(
    ${keys.map((_, place) => place)}::int[], ${keys.map(({ session }) => session.id)}::uuid[],
    ${keys.map(({ session }) => session.eventHead)}::int[], ${keys.map(({ value }) => value)}::text[]
  ) AS q (place, session_id, head, value)`;

/** The heads of many sessions in one statement, read now; a session that is not there has none. */
export const findHeads = (
  database: Database,
  sessionIds: readonly string[],
): Promise<{ readonly id: string; readonly eventHead: number }[]> =>
  database.prisma.$queryRaw(Prisma.sql`
    SELECT id, event_head AS "eventHead" FROM session WHERE id = ANY(${sessionIds}::uuid[])`);

/** The number of the session's last user_message; 0 without one. */
export async function findLastMessage({ database }: Operation, { id }: Cut): Promise<number> {
  const last = await database.prisma.event.findFirst({
    where: { sessionId: id, kind: 'user_message' },
    orderBy: { number: 'desc' },
    select: { number: true },
  });
  return last?.number ?? 0;
}

/** Whether the agent was asked to stop after the session was at `eventHead`, and nothing has ended since. */
export async function wasAskedToStop({ database }: Operation, { id, eventHead }: Cut): Promise<boolean> {
  const last = await database.prisma.event.findFirst({
    where: {
      sessionId: id,
      number: { gt: eventHead },
      kind: { in: ['stop_requested', 'session_stopped', 'session_idle', 'error'] },
    },
    orderBy: { number: 'desc' },
    select: { kind: true },
  });
  return last?.kind === 'stop_requested';
}
