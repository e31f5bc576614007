import { expect, it, vi } from 'vitest';
import { openCounters } from '../../src/limits/counters.js';
import { openGate } from '../servers/gate.js';
import { startOwnRedis } from '../servers/own-redis.js';

const RULE = { points: 2, seconds: 60, blockSeconds: 300 };

it('while Redis is away a process counts by itself, and says so once', async () => {
  const redis = await startOwnRedis({ password: 'secret' });
  const told: unknown[] = [];
  const counters = await openCounters(redis.url, (error, doing) => told.push(error, doing));
  const counter = counters.counter('address', RULE);
  try {
    expect(await counter.add('a')).toMatchObject({ remaining: 1 });
    expect(told).toEqual([]);
    await redis.stop('KILL');
    const counted = [];
    for (let request = 0; request < 4; request++) counted.push((await counter.add('b')).isOver);
    expect(counted).toEqual([false, false, true, true]);
    expect(await counter.look('b')).toMatchObject({ isOver: true });
    expect(told).toHaveLength(2);
    expect(String(told)).not.toContain('secret');
    await redis.start();
    // It has forgotten all, and counts again.
    await vi.waitFor(async () => expect(await counter.look('b')).toMatchObject({ isOver: false }), {
      timeout: 20_000,
    });
    expect(await counter.add('b')).toMatchObject({ remaining: 1 });
  } finally {
    await counters.close();
    await redis.close();
  }
});

it('not every request waits for a Redis that hangs', { timeout: 30_000 }, async () => {
  const redis = await startOwnRedis();
  const gate = await openGate(() => redis.port);
  const counters = await openCounters(`redis://127.0.0.1:${gate.port}`, () => undefined);
  const counter = counters.counter('address', { ...RULE, points: 1_000 });
  try {
    await counter.add('a');
    gate.freeze();
    // Each that waited would wait for half a second.
    for (let request = 0; request < 100; request++) {
      expect(await counter.add('a')).toMatchObject({ isOver: false });
    }
    // A new connection carries, and has what the old one counted.
    await vi.waitFor(() => expect(gate.taken()).toBe(2), { timeout: 10_000 });
    await vi.waitFor(async () => expect((await counter.look('a')).remaining).toBeGreaterThan(990), {
      timeout: 10_000,
    });
  } finally {
    await counters.close();
    await gate.close();
    await redis.close();
  }
});

it('a Redis that is away from the start is no reason not to start', async () => {
  const redis = await startOwnRedis();
  await redis.close();
  const told: unknown[] = [];
  const counters = await openCounters(redis.url, (error) => told.push(error));
  const counter = counters.counter('address', RULE);
  await counter.add('a', 3);
  expect(await counter.look('a')).toMatchObject({ isOver: true });
  expect(told).toHaveLength(1);
  await counters.close();
});
