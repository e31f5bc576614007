/** What the peers whose resolvers are written by hand have in common: the schema, and the statements of each batch. */
import { createHash } from 'node:crypto';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

export const schema = `
  type Query { session(sessionId: ID!): Session }
  type Session { events(first: Int): EventConnection }
  type EventConnection { nodes: [AgentMessageEvent!]! }
  type AgentMessageEvent { eventId: ID! createdAt: String messageId: ID! text: String! citations: [Citation!]! }
  type Citation { citationId: ID! quote: String! source: Source! }
  type Source {
    sourceRef: ID! title: String authors: [String!]! year: Int doi: String venue: String citationCount: Int
    fullTextAvailable: Boolean
  }`;

/** Whose the secret is. @throws Error for one that is not in force. */
export async function standingOf(authorization = '') {
  const hash = createHash('sha256').update(authorization.replace('Bearer ', '')).digest();
  const { rows } = await pool.query(
    `SELECT c.account_id AS "accountId", a.organization_id AS "organizationId",
      c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp())
        AND a.api_access AND coalesce(o.api_access, true) AS "inForce"
    FROM credential c JOIN account a ON a.id = c.account_id LEFT JOIN organization o ON o.id = a.organization_id
    WHERE c.secret_hash = $1`,
    [hash],
  );
  if (!rows[0]?.inForce) throw new Error('unauthenticated');
  return rows[0];
}

export async function findSession(sessionId, { accountId, organizationId }) {
  const { rows } = await pool.query(
    'SELECT id FROM session WHERE id = $1 AND (owner_id = $2 OR organization_id = $3)',
    [sessionId, accountId, organizationId],
  );
  return rows[0] ?? null;
}

export async function findEvents(sessionId, limit) {
  const { rows } = await pool.query(
    `SELECT session_id AS "sessionId", number, event_id AS "eventId", created_at AS "createdAt", payload
    FROM event WHERE session_id = $1 ORDER BY number LIMIT $2`,
    [sessionId, limit],
  );
  return rows.map(({ payload: { messageId, text }, createdAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    messageId,
    text,
  }));
}

/** The citations of each of these events of one session. */
export async function findCitations(events) {
  const { rows } = await pool.query(
    `SELECT session_id AS "sessionId", event_number AS "eventNumber", citation_id AS "citationId", quote,
      source_ref AS "sourceRef"
    FROM citation WHERE session_id = $1 AND event_number = ANY ($2) ORDER BY event_number, position`,
    [events[0].sessionId, events.map(({ number }) => number)],
  );
  const byEvent = new Map(events.map(({ number }) => [number, []]));
  for (const row of rows) byEvent.get(row.eventNumber)?.push(row);
  return events.map(({ number }) => byEvent.get(number));
}

/** The source of each of these citations of one session. */
export async function findSources(citations) {
  const { rows } = await pool.query(
    `SELECT source_ref AS "sourceRef", title, authors, year, doi, venue, citation_count::int AS "citationCount",
      full_text_available AS "fullTextAvailable"
    FROM source WHERE session_id = $1 AND source_ref = ANY ($2)`,
    [citations[0].sessionId, citations.map(({ sourceRef }) => sourceRef)],
  );
  const byRef = new Map(rows.map((row) => [row.sourceRef, row]));
  return citations.map(({ sourceRef }) => byRef.get(sourceRef));
}
