import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openCounters } from '../../src/limits/counters.js';
import { countResources, expectReleased } from '../resources.js';

const redis = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
redis.pathname = '/9';

const fail = (error: unknown): never => {
  throw error;
};
const RULE = { points: 2, seconds: 60, blockSeconds: 300 };

describe.each([
  ['in memory', undefined],
  ['in Redis', redis.href],
])('a counter %s', (_, url) => {
  it('blocks a name that passes the rule, for as long as it says, and no other', async () => {
    const before = countResources();
    const counters = await openCounters(url, fail);
    const counter = counters.counter(randomUUID(), RULE);
    expect(await counter.look('a')).toMatchObject({ isOver: false, remaining: 2 });
    expect(await counter.add('a')).toMatchObject({ isOver: false, remaining: 1 });
    const second = await counter.add('a');
    expect(second).toMatchObject({ isOver: false, remaining: 0 });
    expect(second.resetMs).toBeLessThanOrEqual(60_000);
    expect(await counter.look('a')).toMatchObject({ isOver: false });
    const third = await counter.add('a');
    expect(third).toMatchObject({ isOver: true, remaining: 0 });
    expect(third.resetMs).toBeGreaterThan(290_000);
    expect(await counter.look('a')).toMatchObject({ isOver: true });
    expect(await counter.add('a')).toMatchObject({ isOver: true });
    expect(await counter.add('b')).toMatchObject({ isOver: false, remaining: 1 });
    await counters.close();
    await expectReleased(before);
  });

  it('counts several at once', async () => {
    const counters = await openCounters(url, fail);
    const counter = counters.counter(randomUUID(), { ...RULE, points: 100 });
    expect(await counter.add('a', 60)).toMatchObject({ isOver: false, remaining: 40 });
    expect(await counter.add('a', 60)).toMatchObject({ isOver: true });
    await counters.close();
  });
});

it('processes count together in Redis', async () => {
  const both = await Promise.all([openCounters(redis.href, fail), openCounters(redis.href, fail)]);
  const kind = randomUUID();
  const [mine, other] = both.map((counters) => counters.counter(kind, RULE));
  await mine?.add('a', 2);
  expect(await other?.add('a')).toMatchObject({ isOver: true });
  expect(await mine?.look('a')).toMatchObject({ isOver: true });
  await Promise.all(both.map((counters) => counters.close()));
});

it('a counter in memory keeps the latest names, not every name that ever asked', async () => {
  const counters = await openCounters(undefined, fail);
  const counter = counters.counter('address', RULE);
  for (let name = 0; name <= 50_000; name++) await counter.add(String(name));
  expect(await counter.look('0')).toMatchObject({ remaining: 2 });
  expect(await counter.look('1')).toMatchObject({ remaining: 1 });
  await counters.close();
});
