/**
 * The limit: the page as one would write it by hand for this one question, on node:http and pg. It looks the credential up and sees
 * to it that the session is its account's, and nothing else: one question, one answer.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

interface Standing {
  readonly accountId: string;
  readonly organizationId: string | null;
  readonly inForce: boolean;
}

interface EventRow {
  readonly number: number;
  readonly eventId: string;
  readonly createdAt: Date;
  readonly payload: { readonly messageId: string; readonly text: string };
}

interface CitationRow {
  readonly eventNumber: number;
  readonly citationId: string;
  readonly quote: string;
  readonly sourceRef: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly fullTextAvailable: boolean | null;
}

const STANDING = `
  SELECT c.account_id AS "accountId", a.organization_id AS "organizationId",
    c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp())
      AND a.api_access AND coalesce(o.api_access, true) AS "inForce"
  FROM credential c JOIN account a ON a.id = c.account_id LEFT JOIN organization o ON o.id = a.organization_id
  WHERE c.secret_hash = $1`;
const EVENTS = `
  SELECT e.number, e.event_id AS "eventId", e.created_at AS "createdAt", e.payload
  FROM session s JOIN event e ON e.session_id = s.id
  WHERE s.id = $1 AND (s.owner_id = $2 OR s.organization_id = $3) ORDER BY e.number LIMIT 50`;
const CITATIONS = `
  SELECT c.event_number AS "eventNumber", c.citation_id AS "citationId", c.quote, c.source_ref AS "sourceRef", c.source,
    s.full_text_available AS "fullTextAvailable"
  FROM citation c LEFT JOIN source s USING (session_id, source_ref)
  WHERE c.session_id = $1 AND c.event_number BETWEEN $2 AND $3 ORDER BY c.event_number, c.position`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

async function answer(authorization: string, sessionId: string): Promise<object | undefined> {
  const hash = createHash('sha256').update(authorization.replace('Bearer ', '')).digest();
  const standing = (await pool.query<Standing>(STANDING, [hash])).rows[0];
  if (!standing?.inForce) return undefined;
  const { accountId, organizationId } = standing;
  const { rows: events } = await pool.query<EventRow>(EVENTS, [sessionId, accountId, organizationId]);
  const ends = [events.at(0)?.number, events.at(-1)?.number];
  const { rows: citations } = await pool.query<CitationRow>(CITATIONS, [sessionId, ...ends]);
  const byEvent = new Map<number, object[]>(events.map(({ number }) => [number, []]));
  for (const citation of citations) byEvent.get(citation.eventNumber)?.push(shown(citation));
  const nodes = events.map(({ number, eventId, createdAt, payload: { messageId, text } }) => ({
    eventId,
    createdAt,
    messageId,
    text,
    citations: byEvent.get(number),
  }));
  return { data: { session: { events: { nodes } } } };
}

function shown({ citationId, quote, sourceRef, source, fullTextAvailable }: CitationRow) {
  const { title, authors, year, doi, venue, citationCount } = source;
  return {
    citationId,
    quote,
    source: { sourceRef, title, authors, year, doi, venue, citationCount, fullTextAvailable },
  };
}

const server = createServer((req, res) => {
  let body = '';
  req.setEncoding('utf8').on('data', (chunk) => {
    body += chunk;
  });
  req.on('end', async () => {
    const { variables } = JSON.parse(body);
    const found = await answer(req.headers.authorization ?? '', variables.sessionId);
    const text = JSON.stringify(found ?? { errors: [{ message: 'unauthenticated' }] });
    res.writeHead(found ? 200 : 401, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    res.end(text);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
