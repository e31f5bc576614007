import type { Database } from '../database/database.js';
import { KNOWN_KINDS } from './content.js';
import { type EventRow, type RawEvent, toEventRow } from './event.js';

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

const COLUMNS = `q.place, e.session_id AS "sessionId", e.number, e.event_id AS "eventId", e.kind,
  e.created_at AS "createdAt", e.payload::text AS payload`;

/** The stretches as rows, `place` being their place in the call. */
const ASKED = `unnest($1::int[], $2::uuid[], $3::int[], $4::int[], $5::int[])
  AS q (place, session_id, above, below, size)`;

const WITHIN = 'e.session_id = q.session_id AND e.number > q.above AND e.number < q.below';

/** An index range for each stretch. */
const everyKind = (direction: 'ASC' | 'DESC') => `
  SELECT e.* FROM ${ASKED} CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM event e WHERE ${WITHIN} ORDER BY e.number ${direction} LIMIT q.size) e
  ORDER BY e.place, e.number ${direction}`;

/** An index range for each kind of each stretch, merged by number before any row is read: what lies between them costs nothing. */
const someKinds = (direction: 'ASC' | 'DESC') => `
  SELECT ${COLUMNS} FROM ${ASKED} CROSS JOIN LATERAL (
    SELECT n.number FROM unnest($6::int[], $7::text[]) AS k (place, kind) CROSS JOIN LATERAL (
      SELECT e.number FROM event e WHERE ${WITHIN} AND e.kind = k.kind
      ORDER BY e.number ${direction} LIMIT q.size) n
    WHERE k.place = q.place ORDER BY n.number ${direction} LIMIT q.size) p
  JOIN event e ON e.session_id = q.session_id AND e.number = p.number
  ORDER BY q.place, e.number ${direction}`;

type Placed = RawEvent & { readonly place: number };
type Asked = EventStretch & { readonly place: number };

/**
 * The events of each stretch, in its order: one statement for all that are alike in order and in having a filter. Each is an index
 * range, so it costs what it shows, at any depth and whatever the filter.
 *
 * The hottest read there is, hence straight through the pool: a page of 50 with 1 KB each takes Node 0.2 ms, by $queryRaw 0.4, by
 * findMany 0.6 (which cannot read several sessions' pages at once either).
 */
export async function readStretches(
  database: Database,
  stretches: readonly EventStretch[],
): Promise<EventRow[][]> {
  const pages: EventRow[][] = stretches.map(() => []);
  const groups = new Map<string, Asked[]>();
  for (const [place, stretch] of stretches.entries()) {
    const statement = statementOf(stretch);
    groups.set(statement, [...(groups.get(statement) ?? []), { ...stretch, place }]);
  }
  const reads = [...groups].map(async ([statement, asked]) => {
    const { rows } = await database.pool.query<Placed>(statement, valuesOf(asked));
    for (const { place, ...raw } of rows) pages[place]?.push(toEventRow(raw));
  });
  await Promise.all(reads);
  return pages;
}

function statementOf({ order, kinds }: EventStretch): string {
  const direction = order === 'ascending' ? 'ASC' : 'DESC';
  return kinds === undefined ? everyKind(direction) : someKinds(direction);
}

function valuesOf(asked: readonly Asked[]): unknown[] {
  const ranges = [
    asked.map(({ place }) => place),
    asked.map(({ sessionId }) => sessionId),
    asked.map(({ above }) => above),
    asked.map(({ below }) => below),
    asked.map(({ limit }) => limit),
  ];
  if (asked[0]?.kinds === undefined) return ranges;
  const kinds = asked.flatMap(({ place, kinds = [] }) => kinds.map((kind) => ({ place, kind })));
  return [...ranges, kinds.map(({ place }) => place), kinds.map(({ kind }) => kind)];
}

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
