import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionLog } from '../../src/events/log.js';
import { follow as followLog } from '../../src/live/follow.js';
import { activity, type House, openHouse } from '../events/house.js';
import { startTestGateway } from '../gateway.js';
import { eventually } from '../subscriptions/eventually.js';
import { follow, pull, type Stream } from '../subscriptions/streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Every value of /metrics by its name and labels; what is not in Prometheus' text format fails. */
async function scrape(url = house.url): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const text = await response.text();
  expect(text.endsWith('\n')).toBe(true);
  const values = new Map<string, number>();
  let described = '';
  for (const line of text.trimEnd().split('\n')) {
    described =
      /^# (?:HELP (\w+) .+\.|TYPE (\w+) (?:counter|gauge|histogram))$/.exec(line)?.slice(1).join('') ??
      described;
    if (line.startsWith('#')) continue;
    const [, name = '', value] = /^(\w+(?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})?) (\S+)$/.exec(line) ?? [];
    expect(name.startsWith(described), line).toBe(true);
    expect(Number.isFinite(Number(value)), line).toBe(true);
    expect(values.has(name), line).toBe(false);
    values.set(name, Number(value));
  }
  return values;
}

/** By how much values have changed while `work` was done. */
async function changes(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await scrape();
  await work();
  const after = await scrape();
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
}

describe('what /metrics tells', () => {
  it('is one execution for 100 subscribers of the same, and no read of theirs (P6)', async () => {
    const sessionId = await house.newSession(3);
    const streams: Stream[] = Array.from({ length: 100 }, () => follow(house, { sessionId }));
    const open = await changes(() => Promise.all(streams.map(pull)));
    expect(open('tidings_subscribers')).toBe(100);
    expect(open('tidings_tails')).toBe(1);
    expect(open('tidings_connections{kind="websocket"}')).toBe(100);
    expect(open('tidings_replays_total')).toBeGreaterThan(0);
    const told = await changes(async () => {
      const next = Promise.all(streams.map(pull));
      await house.append(sessionId, [activity('n1')]);
      await next;
    });
    expect(told('tidings_executions_total')).toBe(1);
    expect(told('tidings_executions_shared_total')).toBe(99);
    expect(told('tidings_events_appended_total')).toBe(1);
    expect(told('tidings_replays_total')).toBe(0);
    expect(told('tidings_slowest_lag_entries')).toBe(0);
    await Promise.all(streams.map((stream) => stream.return?.()));
    await eventually(() => expect(house.means.tails.size).toBe(0));
    const values = await scrape();
    expect([values.get('tidings_subscribers'), values.get('tidings_tails')]).toEqual([0, 0]);
  });

  it('is how far the slowest is behind, while others are not', async () => {
    const sessionId = await house.newSession();
    const [quick, slow] = [1, 2].map(() =>
      followLog(house.means.tails, sessionLog(house.database, sessionId), { after: 0 }),
    );
    await Promise.all([quick?.next(), slow?.next()]);
    await house.append(sessionId, ['e1', 'e2', 'e3'].map(activity));
    await quick?.next();
    expect((await scrape()).get('tidings_slowest_lag_entries')).toBe(3);
    await slow?.next();
    expect((await scrape()).get('tidings_slowest_lag_entries')).toBe(0);
    await Promise.all([quick?.return(), slow?.return()]);
  });

  it('is how requests went, by door and status, whatever paths strangers think of', async () => {
    const counted = (door: string, status: number) =>
      `tidings_http_request_duration_seconds_count{door="${door}",status="${status}"}`;
    const asked = await changes(async () => {
      const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
      await fetch(`${house.url}/health`);
      await house.ask('member', '{ viewer { role } }');
      await house.request('{ viewer { role } }');
      await fetch(`${house.url}/ingest/${id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${house.tokens.service}` },
      });
      for (let path = 0; path < 20; path++) await fetch(`${house.url}/${path}`);
      const leaving = new AbortController();
      const stream = await fetch(`${house.url}/graphql?query=subscription{sessionChanged{resync}}`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${house.tokens.member}` },
        signal: leaving.signal,
      });
      expect(stream.status).toBe(200);
      expect((await scrape()).get('tidings_connections{kind="event-stream"}')).toBe(1);
      leaving.abort();
      await eventually(() => expect(house.watched()).toBe(0));
    });
    // The first scrape was counted when its answer had gone out, the second before.
    expect(asked(counted('probe', 200))).toBe(3);
    expect(asked(counted('graphql', 200))).toBe(1);
    expect(asked(counted('graphql', 401))).toBe(1);
    expect(asked(counted('ingest', 404))).toBe(1);
    expect(asked(counted('other', 404))).toBe(20);
    expect(asked(counted('event-stream', 200))).toBe(1);
    const values = await scrape();
    const bucket = 'tidings_http_request_duration_seconds_bucket{door="graphql",status="200",le="+Inf"}';
    expect(values.get(bucket)).toBe(values.get(counted('graphql', 200)));
    expect(
      new Set([...values.keys()].flatMap((name) => /door="([^"]+)"/.exec(name)?.[1] ?? [])).size,
    ).toBeLessThanOrEqual(6);
  });

  it('is what the process stands on', async () => {
    const values = await scrape();
    expect(values.get('tidings_bus_connected')).toBe(1);
    expect(values.get('tidings_pool_connections{state="idle"}')).toBeGreaterThan(0);
    expect(values.get('tidings_pool_waiting')).toBe(0);
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
    ])
      expect(values.get(name)).toBeGreaterThan(0);
    expect(values.has('tidings_event_loop_delay_seconds{quantile="0.99"}')).toBe(true);
    expect(values.has('tidings_bus_delay_seconds')).toBe(true);
  });

  it('is nothing in production, unless its variable says on', async () => {
    for (const [env, status] of [
      [{ NODE_ENV: 'production' }, 404],
      [{ NODE_ENV: 'production', TIDINGS_METRICS: 'on' }, 200],
    ] as const) {
      const gateway = await startTestGateway({ env });
      expect((await fetch(`${gateway.url}/metrics`)).status).toBe(status);
      await gateway.close();
    }
  });
});
