import { readCounted, readCountedAsJson } from '../accounts/answer-limit.js';
import type { Operation } from '../accounts/operation.js';
import { directionOf, type NumberStretch } from '../accounts/ranges.js';
import type { Transaction } from '../database/database.js';
import { Prisma, type Source } from '../generated/prisma/client.js';
import { type Asked, idsBySession, type Placed } from '../sessions/part-pages.js';
import type { SessionRow } from '../sessions/store.js';
import type { CitationContent, SourceContent } from './content.js';
import { distinctSources } from './evidence.js';

// Every read here is of one session, whose row the viewer was shown before: that is where access is checked (P9).

/** What a session knows of a source, without the abstract, which is long and read only when asked for. */
export type SourceRow = Omit<Source, 'abstract'>;

/** A source as a citation's writer sent it. */
export type SourceAsSent = Omit<SourceContent, 'sourceRef' | 'abstract'>;

export interface CitationRow {
  readonly sessionId: string;
  readonly eventNumber: number;
  readonly number: number;
  readonly citationId: string;
  readonly reference: string | null;
  readonly quote: string;
  readonly sourceRef: string;
  readonly source: SourceAsSent;
  /** What the session knows now; the event may have been written before the verdict. */
  readonly fullTextAvailable: boolean | null;
}

/** Names a session's source. */
export interface SourceKey {
  readonly sessionId: string;
  readonly sourceRef: string;
}

/** Names a session's message. */
export interface MessageKey {
  readonly sessionId: string;
  readonly eventNumber: number;
}

type Heads = Pick<SessionRow, 'id' | 'citationHead' | 'sourceHead'>;

/**
 * Writes the citations of messages whose events are written, and merges their sources, in two statements whatever the
 * sizes. Messages come in order of event number, and the caller holds the session's lock (P1). Returns the session's new heads.
 */
export async function writeCitations(
  tx: Transaction,
  session: Heads,
  messages: readonly { readonly eventNumber: number; readonly citations: readonly CitationContent[] }[],
): Promise<Pick<SessionRow, 'citationHead' | 'sourceHead'>> {
  const cited = messages.flatMap(({ eventNumber, citations }) =>
    citations.map((citation, position) => ({ eventNumber, position, ...citation })),
  );
  if (cited.length === 0) return { citationHead: session.citationHead, sourceHead: session.sourceHead };
  const rows = cited.map((row, index) => ({
    ...row,
    number: session.citationHead + index + 1,
    sourceRef: row.source.sourceRef,
    source: { ...row.source, sourceRef: undefined, abstract: undefined },
  }));
  await tx.$executeRaw`
    INSERT INTO citation (session_id, event_number, position, number, citation_id, reference, quote, source_ref, source)
    SELECT ${session.id}::uuid, "eventNumber", position, number, "citationId", reference, quote, "sourceRef", source
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS sent ("eventNumber" int, position int, number int,
      "citationId" text, reference text, quote text, "sourceRef" text, source jsonb)`;
  const { sourceHead } = await mergeSources(
    tx,
    session,
    cited.map(({ source }) => source),
    'cited',
  );
  return { citationHead: session.citationHead + rows.length, sourceHead };
}

/** The fields that merge, each with its column and type. */
const MERGED = [
  ['title', 'title', 'text'],
  ['authors', 'authors', 'text[]'],
  ['year', 'year', 'int'],
  ['doi', 'doi', 'text'],
  ['url', 'url', 'text'],
  ['venue', 'venue', 'text'],
  ['citationCount', 'citation_count', 'bigint'],
  ['fullTextAvailable', 'full_text_available', 'boolean'],
  ['studyTypeTags', 'study_type_tags', 'text[]'],
  ['journalQuartile', 'journal_quartile', 'int'],
  ['elicitId', 'elicit_id', 'text'],
  ['abstract', 'abstract', 'text'],
] as const satisfies readonly (readonly [keyof SourceContent, string, string])[];

const listed = (format: (field: (typeof MERGED)[number]) => string) =>
  Prisma.raw(MERGED.map(format).join(', '));

const FIELDS = listed(([name]) => `sent."${name}"`);
const TYPED_FIELDS = listed(([name, , type]) => `"${name}" ${type}`);
const COLUMNS = listed(([, column]) => column);
const KEPT = listed(([, column]) => `kept.${column}`);
const LAST_KNOWN = listed(([, column]) => `COALESCE(excluded.${column}, kept.${column})`);
const SET_LAST_KNOWN = listed(([, column]) => `${column} = COALESCE(excluded.${column}, kept.${column})`);

/**
 * Merges sources into what the session knows, in one statement: the last value that is not null of each field wins, in the order
 * given. Those `cited` for the first time take the next numbers of the session's cited sources in that order. The caller holds the
 * session's lock. `changed` says how many rows are not as they were.
 */
export async function mergeSources(
  tx: Transaction,
  session: Heads,
  mentions: readonly SourceContent[],
  role: 'cited' | 'described',
): Promise<{ readonly changed: number; readonly sourceHead: number }> {
  const sources = distinctSources(mentions).map((source, ordinal) => ({ ordinal, ...source }));
  if (sources.length === 0) return { changed: 0, sourceHead: session.sourceHead };
  const changed = await tx.$queryRaw<{ number: number | null }[]>`
    WITH sent AS (
      SELECT sent.*, known.number AS known_number
      FROM json_to_recordset(${JSON.stringify(sources)}::json)
        AS sent (ordinal int, "sourceRef" text, ${TYPED_FIELDS})
      LEFT JOIN source known ON known.session_id = ${session.id}::uuid AND known.source_ref = sent."sourceRef"
    )
    INSERT INTO source AS kept (session_id, source_ref, number, ${COLUMNS})
    SELECT ${session.id}::uuid, sent."sourceRef",
      CASE WHEN known_number IS NULL AND ${role === 'cited'}::boolean
        THEN ${session.sourceHead}::int + row_number() OVER (PARTITION BY known_number IS NULL ORDER BY ordinal)
        ELSE known_number END,
      ${FIELDS}
    FROM sent
    ON CONFLICT (session_id, source_ref) DO UPDATE
      SET number = COALESCE(kept.number, excluded.number), ${SET_LAST_KNOWN}
      WHERE (kept.number, ${KEPT}) IS DISTINCT FROM (COALESCE(kept.number, excluded.number), ${LAST_KNOWN})
    RETURNING number`;
  const sourceHead = changed.reduce((head, { number }) => Math.max(head, number ?? 0), session.sourceHead);
  return { changed: changed.length, sourceHead };
}

/** Notes that the locked session is not as it was, by the database's clock, which never runs back here; returns when. */
export async function touchSession(tx: Transaction, sessionId: string): Promise<Date> {
  const [session] = await tx.$queryRaw<{ updatedAt: Date }[]>`
    UPDATE session SET updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
    WHERE id = ${sessionId}::uuid RETURNING updated_at AS "updatedAt"`;
  if (session === undefined) throw new Error('A locked session was not there to touch (citations-2).');
  return session.updatedAt;
}

const CITATION = Prisma.sql`citation.session_id AS "sessionId", citation.event_number AS "eventNumber",
  citation.number, citation.citation_id AS "citationId", citation.reference, citation.quote,
  citation.source_ref AS "sourceRef", citation.source, source.full_text_available AS "fullTextAvailable"`;

/**
 * The citations of all these messages, each message's in its writer's order. Every page of events asks for them, hence straight through
 * the pool and as JSON: 150 with their sources take Node 0.55 ms, by rows 0.9, through Prisma more still.
 */
export const findCitations = (
  operation: Operation,
  messages: readonly MessageKey[],
): Promise<CitationRow[]> =>
  readCountedAsJson<CitationRow>(
    operation,
    Prisma.sql`
    SELECT ${CITATION}
    FROM json_to_recordset(${JSON.stringify(messages)}::json) AS asked ("sessionId" uuid, "eventNumber" int)
    JOIN citation ON citation.session_id = asked."sessionId" AND citation.event_number = asked."eventNumber"
    LEFT JOIN source USING (session_id, source_ref)
    ORDER BY session_id, event_number, position`,
  );

/** The citations of each source in a stretch of its session's citations. */
export function findCitationsOfSources(
  operation: Operation,
  order: NumberStretch['order'],
  asked: readonly Asked<SourceKey>[],
): Promise<Placed<CitationRow>[]> {
  return readCounted<Placed<CitationRow>>(
    operation,
    Prisma.sql`
    SELECT asked.place, ${CITATION}
    FROM json_to_recordset(${JSON.stringify(asked)}::json)
      AS asked (place int, "sessionId" uuid, "sourceRef" text, above int, below int, "limit" int)
    CROSS JOIN LATERAL (
      SELECT * FROM citation
      WHERE session_id = asked."sessionId" AND source_ref = asked."sourceRef"
        AND number > asked.above AND number < asked.below
      ORDER BY number ${directionOf(order)} LIMIT asked."limit"
    ) citation
    LEFT JOIN source USING (session_id, source_ref)
    ORDER BY asked.place, citation.number ${directionOf(order)}`,
  );
}

/** How many of the session's first `upTo` citations cite each of these sources; nothing for those that none does. */
export const countCitationsOfSources = (
  { database }: Operation,
  sources: readonly (SourceKey & { readonly upTo: number })[],
): Promise<(SourceKey & { readonly count: number })[]> =>
  database.prisma.$queryRaw<(SourceKey & { count: number })[]>`
    SELECT session_id AS "sessionId", source_ref AS "sourceRef", count(*)::int AS count
    FROM json_to_recordset(${JSON.stringify(sources)}::json)
      AS asked ("sessionId" uuid, "sourceRef" text, "upTo" int)
    JOIN citation ON session_id = asked."sessionId" AND source_ref = asked."sourceRef" AND number <= "upTo"
    GROUP BY session_id, source_ref`;

/** What sessions know of these sources, cited or not, in no order. */
export const findSources = (
  { source }: Pick<Transaction, 'source'>,
  keys: readonly SourceKey[],
): Promise<SourceRow[]> => source.findMany({ where: oneOf(keys), omit: { abstract: true } });

export const findAbstracts = (
  operation: Operation,
  keys: readonly SourceKey[],
): Promise<(SourceKey & { readonly abstract: string | null })[]> =>
  readCounted(
    operation,
    Prisma.sql`
    SELECT "sessionId", "sourceRef", abstract FROM ${askedSources(keys)}`,
  );

const askedSources = (keys: readonly SourceKey[]) => Prisma.sql`
  json_to_recordset(${JSON.stringify(keys)}::json) AS asked ("sessionId" uuid, "sourceRef" text)
  JOIN source ON session_id = asked."sessionId" AND source_ref = asked."sourceRef"`;

const SOURCE = Prisma.sql`source.session_id AS "sessionId", source.source_ref AS "sourceRef", source.number,
  source.title, COALESCE(source.authors, '{}') AS authors, source.year, source.doi, source.url, source.venue,
  source.citation_count AS "citationCount", source.full_text_available AS "fullTextAvailable",
  COALESCE(source.study_type_tags, '{}') AS "studyTypeTags", source.journal_quartile AS "journalQuartile",
  source.elicit_id AS "elicitId"`;

/** A stretch of each session's cited sources. */
export const findCitedSources = (
  operation: Operation,
  order: NumberStretch['order'],
  asked: readonly Asked<{ readonly sessionId: string }>[],
): Promise<Placed<SourceRow>[]> =>
  readCounted<Placed<SourceRow>>(
    operation,
    Prisma.sql`
    SELECT asked.place, source.*
    FROM json_to_recordset(${JSON.stringify(asked)}::json)
      AS asked (place int, "sessionId" uuid, above int, below int, "limit" int)
    CROSS JOIN LATERAL (
      SELECT ${SOURCE} FROM source
      WHERE session_id = asked."sessionId" AND number > asked.above AND number < asked.below
      ORDER BY number ${directionOf(order)} LIMIT asked."limit"
    ) source
    ORDER BY asked.place, source.number ${directionOf(order)}`,
  );

const oneOf = (keys: readonly SourceKey[]): Prisma.SourceWhereInput => ({
  OR: idsBySession(keys, ({ sourceRef }) => sourceRef).map(([sessionId, refs]) => ({
    sessionId,
    sourceRef: { in: refs },
  })),
});
