import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { type Signal, type WatchOptions, watch } from '../../src/live/signals.js';
import { fakeClock, isPending } from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

class ReconnectingBus extends InProcessBus {
  readonly reconnected = new Set<() => void>();
  override onReconnect(listener: () => void = () => {}): () => void {
    this.reconnected.add(listener);
    return () => this.reconnected.delete(listener);
  }
}

function watching(options: WatchOptions = {}) {
  const bus = new ReconnectingBus(() => {});
  const signals = watch(bus, ['account:1', 'organization:1'], options);
  return {
    bus,
    signals,
    change: (log: string, topics = ['account:1']) => bus.publish({ topics, log, head: 1 }),
    pull: async (count = 1) => {
      const pulled: Signal[] = [];
      while (pulled.length < count) {
        const { done, value } = await signals.next();
        if (done) break;
        pulled.push(value);
      }
      return pulled;
    },
  };
}

const resync = { resync: true };
const keys = (...names: string[]) => names.map((key) => ({ key }));

it('begins with a resync, then names each log that changes', async () => {
  const { pull, change, signals } = watching();
  expect(await pull()).toEqual([resync]);
  const next = signals.next();
  expect(await isPending(next)).toBe(true);
  change('session:1');
  expect((await next).value).toEqual({ key: 'session:1' });
  change('session:2');
  change('session:3', ['organization:1']);
  change('session:4', ['account:2']);
  expect(await pull(2)).toEqual(keys('session:2', 'session:3'));
  expect(await isPending(signals.next())).toBe(true);
});

it('names a log once, however often it changed and by however many topics, until it is pulled', async () => {
  const { pull, change, signals } = watching();
  await pull();
  for (let i = 0; i < 100; i++) change(`session:${i % 2}`, ['account:1', 'organization:1']);
  expect(await pull(2)).toEqual(keys('session:0', 'session:1'));
  const next = signals.next();
  expect(await isPending(next)).toBe(true);
  change('session:0');
  expect((await next).value).toEqual({ key: 'session:0' });
});

it('asks to list again after the bus was cut off, and in place of what it had kept', async () => {
  const { pull, change, bus, signals } = watching();
  await pull();
  change('session:1');
  for (const back of bus.reconnected) back();
  change('session:2');
  expect(await pull()).toEqual([resync]);
  expect(await isPending(signals.next())).toBe(true);
});

it('asks to list again once a minute, once, however many minutes nobody pulls', async () => {
  const { pull, signals } = watching();
  await pull();
  const next = signals.next();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(await isPending(next)).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await next).value).toEqual(resync);
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(await pull()).toEqual([resync]);
  expect(await isPending(signals.next())).toBe(true);
});

it('keeps no more keys than its limit: one more becomes a resync', async () => {
  const { pull, change } = watching({ limit: 3 });
  await pull();
  for (const log of ['1', '2', '3', '3', '2']) change(log);
  expect(await pull(3)).toEqual(keys('1', '2', '3'));
  for (const log of ['1', '2', '3', '4']) change(log);
  expect(await pull()).toEqual([resync]);
  change('5');
  expect(await pull()).toEqual(keys('5'));
});

it('misses nothing that changes while its resync is being given', async () => {
  const { pull, change, signals } = watching();
  const first = signals.next();
  change('session:1');
  expect((await first).value).toEqual(resync);
  expect(await pull()).toEqual(keys('session:1'));
});

it('registers at the first pull and leaves nothing behind', async () => {
  const { bus, signals, pull } = watching();
  const left = () => [bus.listeners, bus.reconnected.size, vi.getTimerCount()];
  expect(left()).toEqual([0, 0, 0]);
  await pull();
  expect(left()).toEqual([2, 1, 1]);
  const pending = [signals.next(), signals.next()];
  await signals.return?.();
  expect(await Promise.all(pending)).toEqual(Array(2).fill({ done: true, value: undefined }));
  expect(left()).toEqual([0, 0, 0]);
  expect(await pull()).toEqual([]);
});

it('ends when its signal is aborted', async () => {
  const abort = new AbortController();
  const { bus, signals, pull } = watching({ signal: abort.signal });
  await pull();
  const pending = signals.next();
  abort.abort();
  expect((await pending).done).toBe(true);
  expect([bus.listeners, vi.getTimerCount()]).toEqual([0, 0]);
});
