import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { appendedTo } from '../events/append.js';
import { Durations } from './durations.js';
import { EXPOSITION_TYPE, expose, type Metric, type Sample } from './exposition.js';
import type { HttpParts } from './parts.js';

export interface Connections {
  readonly sockets: number;
  readonly eventStreams: number;
}

/** From one look at the clock to the next, in ms; Node counts it into the delay. */
const RESOLUTION = 10;

/**
 * What this process tells Prometheus. The parts count and know no metrics; here their numbers get names, when they are asked for. Of a
 * gateway alone, since tests start several in a process.
 */
export class Metrics {
  readonly durations = new Durations();
  readonly #parts: HttpParts;
  readonly #connections: () => Connections;
  readonly #loop = monitorEventLoopDelay({ resolution: RESOLUTION });

  constructor(parts: HttpParts, connections: () => Connections) {
    this.#parts = parts;
    this.#connections = connections;
    this.#loop.enable();
  }

  answer(res: ServerResponse): void {
    const text = expose([...this.#live(), ...this.#ground(), this.durations.metric, ...this.#process()]);
    res.writeHead(200, {
      'content-type': EXPOSITION_TYPE,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
    });
    res.end(text);
  }

  close(): void {
    this.#loop.disable();
  }

  #live(): readonly Metric[] {
    const { tails, database } = this.#parts.means;
    const { made, shared } = this.#parts.renderings.counts;
    const { sockets, eventStreams } = this.#connections();
    return [
      gauge('tidings_connections', 'Open connections of subscribers.', [
        { labels: { kind: 'websocket' }, value: sockets },
        { labels: { kind: 'event-stream' }, value: eventStreams },
      ]),
      gauge('tidings_subscribers', 'Subscriptions that follow a log.', tails.followers),
      gauge('tidings_tails', 'Logs that are followed.', tails.size),
      gauge(
        'tidings_slowest_lag_entries',
        'Entries that the slowest subscriber was not sent yet.',
        tails.lag,
      ),
      counter(
        'tidings_replays_total',
        'Reads of the database for subscribers that were behind.',
        tails.replays,
      ),
      counter('tidings_executions_total', 'Updates that were executed and serialised.', made),
      counter('tidings_executions_shared_total', 'Updates sent as they were made for somebody else.', shared),
      counter('tidings_events_appended_total', 'Events that were committed here.', appendedTo(database)),
    ];
  }

  /** What everything stands on. */
  #ground(): readonly Metric[] {
    const { bus, database } = this.#parts.means;
    const { totalCount, idleCount, waitingCount } = database.pool;
    return [
      gauge(
        'tidings_bus_connected',
        'Whether hints go to the other processes and come from them.',
        +bus.connected,
      ),
      gauge(
        'tidings_bus_delay_seconds',
        'What the last message of its own took to come back.',
        bus.delayMs / 1_000,
      ),
      gauge('tidings_pool_connections', 'Connections to the database.', [
        { labels: { state: 'busy' }, value: totalCount - idleCount },
        { labels: { state: 'idle' }, value: idleCount },
      ]),
      gauge('tidings_pool_waiting', 'Requests that wait for a connection to the database.', waitingCount),
    ];
  }

  #process(): readonly Metric[] {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    // Since it was asked last: what is long over says nothing of now.
    const delay = [0.5, 0.99, 1].map((quantile) => ({
      labels: { quantile },
      value: Math.max(0, this.#loop.percentile(100 * quantile) / 1e9 - RESOLUTION / 1_000),
    }));
    this.#loop.reset();
    return [
      gauge(
        'tidings_event_loop_delay_seconds',
        'How late the event loop was since this was asked last.',
        delay,
      ),
      counter('process_cpu_seconds_total', 'Time on the processor.', (user + system) / 1e6),
      gauge('process_resident_memory_bytes', 'Memory that the process takes.', rss),
      gauge('nodejs_heap_used_bytes', "Memory that JavaScript's objects take.", heapUsed),
      gauge('process_start_time_seconds', 'When the process started.', performance.timeOrigin / 1_000),
    ];
  }
}

const gauge = (name: string, help: string, value: number | readonly Sample[]) =>
  metric('gauge', name, help, value);
const counter = (name: string, help: string, value: number) => metric('counter', name, help, value);

const metric = (
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: number | readonly Sample[],
): Metric => ({ name, help, type, samples: typeof value === 'number' ? [{ value }] : value });
