/** A gateway in a process of its own, so that its memory is the server's and nobody else's. */
import { randomUUID } from 'node:crypto';
import { type PreparedEvent, prepareEvent } from '../../src/events/append.js';
import { createSession } from '../../src/events/create-session.js';
import { storedFields } from '../../src/events/payload.js';
import { IngestStream } from '../../src/ingest/stream.js';
import { openBenchHouse } from './house.js';
import { syntheticStream } from './synthetic-stream.js';

export type ServerOrder = 'session' | 'memory' | { readonly insert: number };

export interface ServerReport {
  readonly url: string;
  readonly token: string;
  readonly kind: string;
  readonly sessionId: string;
  /** Resident, in bytes: now, and at most since it started. */
  readonly memory: { readonly now: number; readonly most: number };
  readonly inserted: { readonly ms: number; readonly events: number };
}

/** Events of one INSERT, as many as one call of the API may bring. */
const BATCH = 500;

const house = await openBenchHouse();

async function newSession(): Promise<string> {
  const { id } = await createSession(house.operation, { sessionId: randomUUID() });
  return id;
}

/** What the stream comes to, ready to be written. */
function rowsOf(bytes: number): readonly PreparedEvent[] {
  const stream = new IngestStream({ sessionId: randomUUID() });
  const events: PreparedEvent[] = [];
  for (const text of syntheticStream(bytes, 'bench')) {
    for (const event of stream.push(Buffer.from(text)).events) events.push(prepareEvent(event));
  }
  return events;
}

async function insert(events: readonly PreparedEvent[]): Promise<ServerReport['inserted']> {
  const sessionId = await newSession();
  const begun = performance.now();
  for (let from = 0; from < events.length; from += BATCH) {
    const rows = events.slice(from, from + BATCH).map(({ content, hash }, index) => ({
      number: from + index + 1,
      event_id: content.eventId,
      ...storedFields(content),
      hash: hash.toString('hex'),
    }));
    await house.database.pool.query(INSERT, [sessionId, JSON.stringify(rows)]);
  }
  return { ms: performance.now() - begun, events: events.length };
}

const INSERT = `INSERT INTO event (session_id, number, event_id, kind, created_at, payload, content_hash, resource_id)
  SELECT $1::uuid, number, event_id, kind, now(), payload::jsonb, decode(hash, 'hex'), "resourceId"
  FROM json_to_recordset($2::json) AS e (number int, event_id text, kind text, payload text, hash text, "resourceId" text)`;

async function report(order: ServerOrder): Promise<ServerReport> {
  const inserted = typeof order === 'object' ? await insert(rowsOf(order.insert)) : { ms: 0, events: 0 };
  return {
    url: house.url,
    token: house.token,
    kind: house.kind,
    sessionId: order === 'session' ? await newSession() : '',
    memory: { now: process.memoryUsage.rss(), most: process.resourceUsage().maxRSS * 1024 },
    inserted,
  };
}

process.on('message', async (order: ServerOrder) => process.send?.(await report(order)));
process.once('disconnect', () => house.close());
process.send?.(await report('memory'));
