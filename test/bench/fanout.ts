import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientsOrder, ClientsReport, ServerOrder, ServerReport } from './fanout/messages.js';
import { type BenchOptions, median } from './house.js';

const SUBSCRIBERS = 1_000;
const WAYS = ['raw', 'documented', 'tidings', 'writing'] as const;
type WayName = (typeof WAYS)[number];
/** Events that come at once, and how many such bursts are told, at least so many ms apart, each when all had the one before. */
const PACES = {
  single: { events: 1, bursts: 40, pause: 20 },
  bursts: { events: 10, bursts: 8, pause: 20 },
};
type PaceName = keyof typeof PACES;
const PACE_NAMES = Object.keys(PACES) as PaceName[];

/**
 * What it costs a server to tell 1,000 subscribers, each on a socket of its own, of events of 1.5 KB: beside the limit, raw `ws` that
 * sends the same bytes, and graphql-ws with Yoga as documented. CPU of the server's process for an event and a subscriber; each way in
 * a process of its own, in turns. `tidings` hears of each event, which another process has committed, reads it back from PostgreSQL and
 * tells it; `writing` commits it too.
 */
export async function fanout({ quick }: BenchOptions): Promise<void> {
  process.env.TEST_DATABASE ??= 'postgresql';
  const rounds = quick ? 3 : 5;
  const ways = quick ? (['raw', 'tidings'] as const) : WAYS;
  const houses: House[] = [];
  try {
    for (const way of ways) houses.push(await House.open(way, SUBSCRIBERS));
    report(rounds, await measure(houses, rounds, quick ? 0.5 : 1));
  } finally {
    for (const house of houses) house.close();
  }
}

type Figures = ReadonlyMap<PaceName, ReadonlyMap<WayName, number>>;

/** The medians, of rounds in which each way has its turn. The first one warms up and does not count. */
async function measure(houses: readonly House[], rounds: number, share: number): Promise<Figures> {
  const costs = new Map(
    PACE_NAMES.map((pace) => [pace, new Map(houses.map(({ way }) => [way, [] as number[]]))]),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const [pace, costsOf] of costs) {
      const plan = PACES[pace];
      for (const house of houses) {
        const cost = await house.run({ ...plan, bursts: Math.ceil(plan.bursts * share) });
        if (round > 0) costsOf.get(house.way)?.push(cost);
      }
    }
  }
  const medians = (costsOf: ReadonlyMap<WayName, number[]>) =>
    new Map([...costsOf].map(([way, all]) => [way, median(all)]));
  return new Map([...costs].map(([pace, costsOf]) => [pace, medians(costsOf)]));
}

function report(rounds: number, figures: Figures): void {
  console.log(
    `${SUBSCRIBERS} subscribers, events of 1.5 KB, server CPU an event and subscriber, median of ${rounds}`,
  );
  for (const [pace, costs] of figures) {
    for (const [way, cost] of costs) {
      const ratio = ((costs.get('raw') ?? Number.NaN) / cost).toFixed(2);
      console.log(
        `  ${pace.padEnd(7)} ${way.padEnd(11)} ${cost.toFixed(1).padStart(7)} us  ${ratio} of raw ws`,
      );
    }
  }
  const single = figures.get('single');
  const [raw = 0, tidings = 0] = [single?.get('raw'), single?.get('tidings')];
  console.log(`of raw ws: ${(raw / tidings).toFixed(2)}`);
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
    for (let burst = 1; burst <= bursts; burst++) {
      await this.#ask({ what: 'burst', events });
      await this.#arrive(wanted - (bursts - burst) * events * this.subscribers);
      await sleep(pause);
    }
    return ((await this.#cpu()) - before) / (events * bursts * this.subscribers);
  }

  async #arrive(wanted: number): Promise<void> {
    const begun = performance.now();
    while (this.#came < wanted) {
      if (performance.now() - begun > 10_000)
        throw new Error(`${this.way}: expected ${wanted} events, ${this.#came} came.`);
      await sleep(5);
    }
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
