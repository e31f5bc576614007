import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientsOrder, ClientsReport, ServerOrder, ServerReport } from './fanout/messages.js';
import { type BenchOptions, median } from './house.js';

const WAYS = ['raw', 'documented', 'tidings'] as const;
type WayName = (typeof WAYS)[number];
/** Events that come at once, and how many such bursts are told, ms apart. */
const PACES = {
  single: { events: 1, bursts: 100, pause: 40 },
  bursts: { events: 10, bursts: 20, pause: 200 },
};

/**
 * What it costs a server to tell 1,000 subscribers, each on a socket of its own, of events of 1.5 KB: beside the limit, raw `ws` that
 * sends the same bytes, and graphql-ws with Yoga as documented. CPU of the server's process for an event and a subscriber; each way in
 * a process of its own, in turns. Tidings' includes committing to PostgreSQL and reading back.
 */
export async function fanout({ quick }: BenchOptions): Promise<void> {
  process.env.TEST_DATABASE ??= 'postgresql';
  const subscribers = quick ? 300 : 1_000;
  const rounds = quick ? 1 : 5;
  const houses = await Promise.all(WAYS.map((way) => House.open(way, subscribers)));
  try {
    const figures: Record<keyof typeof PACES, Record<WayName, number[]>> = {
      single: { raw: [], documented: [], tidings: [] },
      bursts: { raw: [], documented: [], tidings: [] },
    };
    for (let round = 0; round <= rounds; round++) {
      for (const [pace, plan] of Object.entries(PACES) as [keyof typeof PACES, typeof PACES.single][]) {
        for (const house of houses) {
          const cost = await house.run(round === 0 ? { ...plan, bursts: 5 } : plan);
          if (round > 0) figures[pace][house.way].push(cost);
        }
      }
    }
    console.log(
      `${subscribers} subscribers, events of 1.5 KB, server CPU an event and subscriber, median of ${rounds}`,
    );
    for (const pace of Object.keys(PACES) as (keyof typeof PACES)[]) {
      const limit = median(figures[pace].raw);
      for (const way of WAYS) {
        const cost = median(figures[pace][way]);
        console.log(
          `  ${pace.padEnd(7)} ${way.padEnd(11)} ${cost.toFixed(1).padStart(7)} us  ${(limit / cost).toFixed(2)} of raw ws`,
        );
      }
    }
    console.log(`of raw ws: ${(median(figures.single.raw) / median(figures.single.tidings)).toFixed(2)}`);
  } finally {
    for (const house of houses) house.close();
  }
}

interface Plan {
  readonly events: number;
  readonly bursts: number;
  readonly pause: number;
}

/** A server and its crowd, each in a process of its own. */
class House {
  #came = 0;

  private constructor(
    readonly way: WayName,
    readonly subscribers: number,
    readonly server: ChildProcess,
    readonly clients: ChildProcess,
  ) {
    clients.on('message', ({ events }: ClientsReport) => {
      this.#came = events;
    });
  }

  static async open(way: WayName, subscribers: number): Promise<House> {
    const options = { execArgv: ['--import', 'tsx'] };
    const server = fork(new URL('./fanout/server.ts', import.meta.url), [way], options);
    const [ready] = (await once(server, 'message')) as [ServerReport];
    if (ready.what !== 'ready') throw new Error(`Expected ${way} to be ready, got ${ready.what}.`);
    const clients = fork(new URL('./fanout/clients.ts', import.meta.url), options);
    const { url, token, query } = ready;
    clients.send({ url, token, query, subscribers } satisfies ClientsOrder);
    const house = new House(way, subscribers, server, clients);
    await once(clients, 'message');
    return house;
  }

  /** Microseconds of CPU that the server took for an event and a subscriber. */
  async run({ events, bursts, pause }: Plan): Promise<number> {
    const wanted = this.#came + events * bursts * this.subscribers;
    const before = await this.#cpu();
    for (let burst = 0; burst < bursts; burst++) {
      await this.#ask({ what: 'burst', events });
      await sleep(pause);
    }
    for (let waited = 0; this.#came < wanted; waited += 20) {
      if (waited > 30_000) throw new Error(`${this.way}: expected ${wanted} events, ${this.#came} came.`);
      await sleep(20);
    }
    return ((await this.#cpu()) - before) / (events * bursts * this.subscribers);
  }

  close(): void {
    this.server.disconnect();
    this.clients.disconnect();
  }

  async #cpu(): Promise<number> {
    const report = await this.#ask({ what: 'cpu' });
    if (report.what !== 'cpu') throw new Error(`Expected a figure, got ${report.what}.`);
    return report.us;
  }

  async #ask(order: ServerOrder): Promise<ServerReport> {
    const answer = once(this.server, 'message') as Promise<[ServerReport]>;
    this.server.send(order);
    return (await answer)[0];
  }
}
