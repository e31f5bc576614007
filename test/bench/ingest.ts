import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type PreparedEvent, prepareEvent } from '../../src/events/append.js';
import { createSession } from '../../src/events/create-session.js';
import { storedFields } from '../../src/events/payload.js';
import { IngestStream } from '../../src/ingest/stream.js';
import { type BenchOptions, median, openBenchHouse } from './house.js';
import type { SendOrder, SendReport } from './ingest-sender.js';
import { syntheticStream } from './synthetic-stream.js';

type House = Awaited<ReturnType<typeof openBenchHouse>>;
type Sender = ReturnType<typeof fork>;

const MB = 1024 * 1024;
/** Events of one INSERT, as many as one call of the API may bring. */
const BATCH = 500;

interface Figure {
  readonly ms: number;
  readonly events: number;
}

/**
 * A raw stream of 100 MB on its way into the database, sent by another process, and how much memory that takes; then streams of a tenth,
 * each followed by what the database alone takes for the same events: INSERTs of many rows, and nothing else.
 */
export async function ingest({ quick }: BenchOptions): Promise<void> {
  const house = await openBenchHouse();
  const sender = fork(new URL('./ingest-sender.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  try {
    await sendInto(house, sender, quick ? MB : 4 * MB, '');
    const small = (quick ? 4 : 10) * MB;
    await reportLarge(house, sender, quick ? 2 * small : 100 * MB);
    await reportRatio(house, sender, small, quick ? 1 : 5);
  } finally {
    if (sender.connected) sender.disconnect();
    await house.close();
  }
}

async function reportLarge(house: House, sender: Sender, bytes: number): Promise<void> {
  const memory = watchMemory();
  const { ms, events } = await sendInto(house, sender, bytes, '&stream=large');
  console.log(`${bytes / MB} MB of an Anthropic stream with a name, ${house.kind}`);
  console.log(
    `  ${((events / ms) * 1_000).toFixed(0)} events/s, ${((bytes / MB / ms) * 1_000).toFixed(1)} MB/s, ${events} events`,
  );
  console.log(`  resident memory: ${memory.stop()} MB at most (${memory.before} MB before)`);
}

async function reportRatio(house: House, sender: Sender, bytes: number, rounds: number): Promise<void> {
  const rows = rowsOf(bytes);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ingested = await sendInto(house, sender, bytes, '');
    const named = await sendInto(house, sender, bytes, '&stream=s');
    const inserted = await insertInto(house, rows);
    ratios.push(inserted.ms / ingested.ms);
    console.log(`  round ${round}: ${[ingested, named, inserted].map(shown).join('   ')}`);
  }
  console.log(
    `  ingested : with a name : INSERT alone; the first has ${median(ratios).toFixed(2)} of the last, at the median`,
  );
}

const shown = ({ ms, events }: Figure): string => `${((events / ms) * 1_000).toFixed(0)} events/s`;

async function newSession({ operation }: House): Promise<string> {
  const { id } = await createSession(operation, { sessionId: randomUUID() });
  return id;
}

async function sendInto(house: House, sender: Sender, bytes: number, query: string): Promise<Figure> {
  const url = `${house.url}/ingest/${await newSession(house)}?format=anthropic-messages${query}`;
  const order: SendOrder = { url, token: house.token, bytes, name: 'bench' };
  const begun = performance.now();
  sender.send(order);
  const [report] = (await once(sender, 'message')) as [SendReport | { readonly error: string }];
  if ('error' in report) throw new Error(report.error);
  return { ms: performance.now() - begun, events: report.accepted };
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

async function insertInto(house: House, events: readonly PreparedEvent[]): Promise<Figure> {
  const sessionId = await newSession(house);
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

function watchMemory() {
  const rss = () => Math.round(process.memoryUsage.rss() / MB);
  const before = rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, rss());
  }, 50);
  const stop = () => {
    clearInterval(timer);
    return Math.max(most, rss());
  };
  return { before, stop };
}
