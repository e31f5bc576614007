import type { Database } from '../database/database.js';
import { KNOWN_KINDS } from './content.js';
import { type EventRow, type RawEvent, toEventRow } from './event.js';
import { bytesOf, OCCURRENCE_COLUMNS, payloadWithin, type SizedEvent } from './store.js';

/** Numbers strictly between `above` and `below`, at most `limit`, read from one end, of a session that the viewer may see (P9). */
export interface EventStretch {
  readonly sessionId: string;
  readonly above: number;
  readonly below: number;
  readonly limit: number;
  readonly order: 'ascending' | 'descending';
  /** As they are stored; absent: every event. */
  readonly kinds?: readonly string[] | undefined;
}

type Placed = SizedEvent & { readonly place: number };

export interface Stretches {
  readonly pages: readonly EventRow[][];
  /** Of all payloads together. */
  readonly bytes: number;
}

/**
 * The events of each stretch, in its order, in one statement. Each is an index range, so it costs what it shows, at any depth and
 * whatever the filter. Every range is spelled out with its own parameters: over rows of ranges the planner would not know the limits
 * when it chooses.
 *
 * No payload is read when those of several have more than `maximum` bytes together.
 *
 * The hottest read there is, hence straight through the pool: a page of 50 with 1 KB each takes Node 0.2 ms, by $queryRaw 0.4, by
 * findMany 0.6 (which cannot read several sessions' pages at once either).
 * @throws TooManyBytes
 */
export async function readStretches(
  database: Database,
  stretches: readonly EventStretch[],
  maximum: number,
): Promise<Stretches> {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const ranges = stretches.map((stretch, place) => `(${rangeOf(stretch, place, parameter)})`);
  const { rows } = await database.pool.query<Placed>(
    `SELECT e.place, e."sessionId", e.number, e."eventId", e.kind, e."createdAt", e."repliesTo", ${payloadWithin(parameter(maximum))}
    FROM (${ranges.join(' UNION ALL ')}) e`,
    values,
  );
  const bytes = bytesOf(rows, maximum);
  const pages: EventRow[][] = stretches.map(() => []);
  for (const row of rows) if (hasPayload(row)) pages[row.place]?.push(toEventRow(row));
  for (const [place, { order }] of stretches.entries()) pages[place]?.sort(BY_NUMBER[order]);
  return { pages, bytes };
}

const hasPayload = (row: Placed): row is Placed & RawEvent => row.payload !== null;

/** SQL promises no order of what UNION ALL joins, though it keeps it. */
const BY_NUMBER = {
  ascending: (a: EventRow, b: EventRow) => a.number - b.number,
  descending: (a: EventRow, b: EventRow) => b.number - a.number,
};

type Parameter = (value: unknown) => string;

function rangeOf(stretch: EventStretch, place: number, parameter: Parameter): string {
  const columns = `SELECT ${place} AS place, ${OCCURRENCE_COLUMNS}, e.size, e.payload`;
  if (stretch.kinds === undefined) return `${columns} ${within(dense(stretch), parameter)}`;
  // The kinds are merged by number in the index, before any row is read: what lies between them costs nothing.
  return `${columns} FROM (
      SELECT n.number FROM unnest(${parameter(stretch.kinds)}::text[]) AS k (kind) CROSS JOIN LATERAL (
        SELECT e.number ${within(stretch, parameter, 'AND e.kind = k.kind')}) n
      ${ended(stretch, 'n.number', parameter)}) p
    JOIN event e ON e.session_id = ${parameter(stretch.sessionId)} AND e.number = p.number`;
}

/**
 * Numbers have no holes (P1), so the stretch can be cut to what its limit lets through. A planner that knows little of the table (on the
 * embedded database it never learns) may read all that a range has and sort it: then this is all there is.
 */
function dense(stretch: EventStretch): EventStretch {
  const { above, below, limit, order } = stretch;
  return order === 'ascending'
    ? { ...stretch, below: Math.min(below, above + limit + 1) }
    : { ...stretch, above: Math.max(above, below - limit - 1) };
}

const within = (stretch: EventStretch, parameter: Parameter, ofKind = ''): string =>
  `FROM event e WHERE e.session_id = ${parameter(stretch.sessionId)} ${ofKind}
    AND e.number > ${parameter(stretch.above)} AND e.number < ${parameter(stretch.below)}
    ${ended(stretch, 'e.number', parameter)}`;

const ended = ({ order, limit }: EventStretch, column: string, parameter: Parameter): string =>
  `ORDER BY ${column} ${order === 'ascending' ? 'ASC' : 'DESC'} LIMIT ${parameter(limit)}`;

/**
 * The kinds among a session's events that this version does not know, in one statement for all sessions. A loose index scan: one
 * look-up for each kind that is there, however many events.
 */
export async function findUnknownKinds(
  database: Database,
  sessionIds: readonly string[],
): Promise<string[][]> {
  const { rows } = await database.pool.query<{ readonly id: string; readonly kinds: string[] }>(
    `SELECT q.id, ARRAY(
      WITH RECURSIVE present (kind) AS (
        (SELECT e.kind FROM event e WHERE e.session_id = q.id ORDER BY e.kind LIMIT 1)
        UNION ALL
        SELECT (SELECT e.kind FROM event e WHERE e.session_id = q.id AND e.kind > p.kind ORDER BY e.kind LIMIT 1)
        FROM present p WHERE p.kind IS NOT NULL)
      SELECT kind FROM present WHERE kind <> ALL ($2::text[])) AS kinds
    FROM unnest($1::uuid[]) AS q (id)`,
    [sessionIds, KNOWN_KINDS],
  );
  const kinds = new Map(rows.map((row) => [row.id, row.kinds]));
  return sessionIds.map((id) => kinds.get(id) ?? []);
}

/** How many events of these stored kinds a session has up to its head; counted in the index alone. */
export async function countOfKinds(
  database: Database,
  session: { readonly id: string; readonly eventHead: number },
  kinds: readonly string[],
): Promise<number> {
  const { rows } = await database.pool.query<{ readonly count: number }>(
    `SELECT count(*)::int AS count FROM event
    WHERE session_id = $1 AND kind = ANY ($2::text[]) AND number <= $3`,
    [session.id, kinds, session.eventHead],
  );
  return rows[0]?.count ?? 0;
}
