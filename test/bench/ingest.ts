import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type BenchOptions, median } from './house.js';
import type { SendOrder, SendReport } from './ingest-sender.js';
import type { ServerOrder, ServerReport } from './ingest-server.js';

const MB = 1024 * 1024;

interface Figure {
  readonly ms: number;
  readonly events: number;
}

interface Parts {
  readonly server: ChildProcess;
  readonly sender: ChildProcess;
}

/**
 * A raw stream of 100 MB on its way into the database, from one process into another, and how much memory the server then has; then
 * streams of a tenth, each followed by what the database alone takes for the same rows of `event`: INSERTs of 500 each, and nothing else.
 */
export async function ingest({ quick }: BenchOptions): Promise<void> {
  const server = await forked('./ingest-server.ts');
  const sender = fork(new URL('./ingest-sender.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const parts = { server, sender };
  try {
    // Until the server runs as it does after a while.
    for (let warm = 0; warm < (quick ? 2 : 4); warm += 1) await sendInto(parts, 4 * MB, '');
    await reportLarge(parts, (quick ? 20 : 100) * MB);
    await reportRatio(parts, 10 * MB, quick ? 2 : 5);
  } finally {
    if (sender.connected) sender.disconnect();
    server.disconnect();
    await once(server, 'exit');
  }
}

async function forked(file: string): Promise<ChildProcess> {
  const child = fork(new URL(file, import.meta.url), { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return child;
}

async function ask(server: ChildProcess, order: ServerOrder): Promise<ServerReport> {
  server.send(order);
  const [report] = (await once(server, 'message')) as [ServerReport];
  return report;
}

async function reportLarge(parts: Parts, bytes: number): Promise<void> {
  const before = await ask(parts.server, 'memory');
  const { ms, events } = await sendInto(parts, bytes, '&stream=large');
  const { memory } = await ask(parts.server, 'memory');
  console.log(`${bytes / MB} MB of an Anthropic stream with a name, ${before.kind}`);
  console.log(
    `  ${((events / ms) * 1_000).toFixed(0)} events/s, ${((bytes / MB / ms) * 1_000).toFixed(1)} MB/s, ${events} events`,
  );
  console.log(
    `  the server's resident memory: ${mb(memory.most)} MB at most (${mb(before.memory.now)} MB before)`,
  );
}

const mb = (bytes: number): string => (bytes / MB).toFixed(0);

async function reportRatio(parts: Parts, bytes: number, rounds: number): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ingested = await sendInto(parts, bytes, '');
    const named = await sendInto(parts, bytes, '&stream=s');
    const { inserted } = await ask(parts.server, { insert: bytes });
    ratios.push(inserted.ms / ingested.ms);
    console.log(`  round ${round}: ${[ingested, named, inserted].map(shown).join('   ')}`);
  }
  console.log(
    `  ingested : with a name : INSERT into event alone; the first has ${median(ratios).toFixed(2)} of the last, at the median`,
  );
}

const shown = ({ ms, events }: Figure): string => `${((events / ms) * 1_000).toFixed(0)} events/s`;

async function sendInto({ server, sender }: Parts, bytes: number, query: string): Promise<Figure> {
  const { url, token, sessionId } = await ask(server, 'session');
  const order: SendOrder = {
    url: `${url}/ingest/${sessionId}?format=anthropic-messages${query}`,
    token,
    bytes,
    name: 'bench',
  };
  sender.send(order);
  const [report] = (await once(sender, 'message')) as [SendReport | { readonly error: string }];
  if ('error' in report) throw new Error(report.error);
  return { ms: report.ms, events: report.accepted };
}
