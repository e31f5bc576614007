import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { type BenchOptions, median } from './house.js';
import { seedPage } from './page/seed.js';
import { PageServer } from './page/server.js';
import { LIMIT, OURS, WAYS } from './page/ways.js';
import { installPeers } from './peers.js';

/** Below those that the system gives to connections. */
const FIRST_PORT = 21_300;

interface Figures {
  readonly cpu: number[];
  readonly took: number[];
}

/**
 * A page of 50 answers with three citations each and their sources, 50 KB of JSON, over HTTP from PostgreSQL, ten connections: CPU of
 * the server's process a request, beside an endpoint written by hand for this page, which is the limit, and beside peers. Each server in
 * a process of its own, in turns; ours as it is built, with all that it checks.
 */
export async function page({ quick }: BenchOptions): Promise<void> {
  installPeers();
  execFileSync('npm', ['run', '--silent', 'build']);
  const [rounds, requests] = quick ? [3, 100] : [7, 500];
  const seed = await seedPage();
  const servers: PageServer[] = [];
  try {
    const starts = WAYS.map((way, index) => PageServer.start(way, FIRST_PORT + index, seed));
    const started = await Promise.allSettled(starts);
    for (const start of started) if (start.status === 'fulfilled') servers.push(start.value);
    for (const start of started) if (start.status === 'rejected') throw start.reason;
    const bytes = await compare(servers);
    const figures = new Map<string, Figures>(WAYS.map(({ name }) => [name, { cpu: [], took: [] }]));
    for (const server of servers) await server.run(requests * 2);
    for (let round = 0; round < rounds; round++) {
      for (const server of servers) {
        const { cpu, took } = await server.run(requests);
        figures.get(server.way.name)?.cpu.push(cpu);
        figures.get(server.way.name)?.took.push(took);
      }
    }
    await compare(servers);
    report(figures, bytes, rounds, requests);
  } finally {
    for (const server of servers) server.stop();
    await seed.drop();
  }
}

/** Bytes of each answer, which all tell the same. @throws AssertionError where one does not. */
async function compare(servers: readonly PageServer[]): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map<string, number>();
  let expected: unknown;
  for (const server of servers) {
    const { way } = server;
    const { body } = await server.ask();
    const told = way.read(JSON.parse(body.toString()).data);
    expected ??= told;
    deepStrictEqual(told, expected, `${way.name} answers otherwise than ${LIMIT}.`);
    bytes.set(way.name, body.length);
  }
  return bytes;
}

function report(
  figures: ReadonlyMap<string, Figures>,
  bytes: ReadonlyMap<string, number>,
  rounds: number,
  requests: number,
): void {
  const limit = median(figures.get(LIMIT)?.cpu ?? []);
  const of = (name: string) => limit / median(figures.get(name)?.cpu ?? []);
  console.log(
    `50 events with citations and sources, PostgreSQL, median of ${rounds} runs of ${requests} requests`,
  );
  console.log(
    `  ${'server'.padEnd(26)} ${'CPU ms'.padStart(7)} ${'of the limit'.padStart(13)} ${'requests/s'.padStart(11)} ${'KB'.padStart(5)}`,
  );
  for (const [name, { cpu, took }] of figures) {
    const cells = [
      median(cpu).toFixed(2).padStart(7),
      of(name).toFixed(2).padStart(13),
      (1_000 / median(took)).toFixed(0).padStart(11),
      ((bytes.get(name) ?? 0) / 1_000).toFixed(0).padStart(5),
    ];
    console.log(`  ${name.padEnd(26)} ${cells.join(' ')}  ${'█'.repeat(Math.round(of(name) * 30))}`);
  }
  console.log(`of the limit: ${of(OURS).toFixed(2)}`);
}
