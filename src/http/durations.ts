import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metric, Sample } from './exposition.js';

/** Upper bounds in seconds; what took longer counts in the last, which has none. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Where a request came in: a bounded set, whatever strangers ask for. */
type Door = 'graphql' | 'event-stream' | 'ingest' | 'probe' | 'graphiql' | 'other';

interface Counted {
  readonly door: Door;
  /** 0 when the client left before it was answered. */
  readonly status: number;
  readonly buckets: number[];
  count: number;
  sum: number;
}

/** How long requests took, by door and status. */
export class Durations {
  readonly #counted = new Map<string, Counted>();

  /** Takes the time until the answer has gone out, or the client has gone. */
  time(req: IncomingMessage, res: ServerResponse): void {
    const start = performance.now();
    res.once('close', () => {
      const status = res.headersSent ? res.statusCode : 0;
      this.#count(doorOf(req, res), status, (performance.now() - start) / 1_000);
    });
  }

  get metric(): Metric {
    return {
      name: 'tidings_http_request_duration_seconds',
      help: 'From a request to the end of its answer, by door and status; 0 is a client that left before.',
      type: 'histogram',
      samples: [...this.#counted.values()].flatMap(samplesOf),
    };
  }

  #count(door: Door, status: number, seconds: number): void {
    const key = `${door} ${status}`;
    const counted = this.#counted.get(key) ?? {
      door,
      status,
      buckets: BOUNDS.map(() => 0),
      count: 0,
      sum: 0,
    };
    this.#counted.set(key, counted);
    BOUNDS.forEach((bound, index) => {
      if (seconds <= bound) counted.buckets[index] = (counted.buckets[index] ?? 0) + 1;
    });
    counted.count += 1;
    counted.sum += seconds;
  }
}

function doorOf({ url = '/', headers: { accept = '' } }: IncomingMessage, res: ServerResponse): Door {
  const path = url.split(/[?#]/, 1)[0] ?? '/';
  if (/^\/(health|ready|metrics)$/.test(path)) return 'probe';
  if (path.startsWith('/ingest/')) return 'ingest';
  if (path === '/graphql' && !accept.includes('text/html'))
    return accept.includes('text/event-stream') ? 'event-stream' : 'graphql';
  return res.statusCode === 404 ? 'other' : 'graphiql';
}

function samplesOf({ door, status, buckets, count, sum }: Counted): readonly Sample[] {
  const labels = { door, status };
  return [
    ...[...BOUNDS, '+Inf'].map((le, index) => ({
      suffix: '_bucket',
      labels: { ...labels, le },
      value: buckets[index] ?? count,
    })),
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
