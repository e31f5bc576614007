import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CrowdOrder, CrowdReport } from './crowd-clients.js';
import { type BenchOptions, messageOf, openBenchHouse } from './house.js';

const SOCKETS = 20;
const BYTES = 1_000;
const MB = 1024 * 1024;

/** What it costs the server to tell 1,000 subscribers of one session of each event, while one socket never reads. */
export async function crowd({ quick }: BenchOptions): Promise<void> {
  const house = await openBenchHouse();
  const subscribers = quick ? 100 : 1_000;
  const events = quick ? 20 : 200;
  const clients = fork(new URL('./crowd-clients.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  try {
    const { url, token, sessionId } = house;
    const order: CrowdOrder = { url, token, sessionId, subscribers, sockets: SOCKETS, events };
    clients.send(order);
    await heard(clients, 'ready');
    const [cpu, begun] = [process.cpuUsage(), performance.now()];
    const memory = [rss()];
    for (let number = 1; number <= events; number++) {
      await house.append([messageOf(`e${number}`, BYTES)]);
      if (number % (events / 4) === 0) memory.push(rss());
    }
    const appended = performance.now() - begun;
    const { updates } = await heard(clients, 'done');
    const took = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `${events} events of ${BYTES} bytes to ${subscribers} subscribers on ${SOCKETS} sockets, ${house.kind}`,
    );
    console.log(
      `  appended in ${appended.toFixed(0)} ms, all told after ${took.toFixed(0)} ms, in ${updates} updates`,
    );
    console.log(`  server CPU  ${((user + system) / updates).toFixed(0)} us an update`);
    console.log(`  server RSS  ${memory.join(', ')} MB: before, then at each quarter`);
  } finally {
    if (clients.connected) clients.disconnect();
    await house.close();
  }
}

const rss = () => Math.round(process.memoryUsage().rss / MB);

async function heard(clients: ReturnType<typeof fork>, what: CrowdReport['what']): Promise<CrowdReport> {
  const died = new AbortController();
  const die = () => died.abort(new Error('The clients ended before their time.'));
  clients.once('exit', die);
  const [report] = (await once(clients, 'message', { signal: died.signal })) as [CrowdReport];
  clients.off('exit', die);
  if (report.what !== what)
    throw new Error(`Expected the clients to say ${what}, got ${JSON.stringify(report)}.`);
  return report;
}
