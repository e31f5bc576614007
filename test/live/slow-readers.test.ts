import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Update } from '../../src/live/follow.js';
import {
  fakeClock,
  type Item,
  MemoryLog,
  numbers,
  oneProcess,
  pull,
  pullTo,
  settle,
  span,
} from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Hands out copies of its items and knows which of them somebody still holds. */
class CountingLog extends MemoryLog {
  readonly #given: WeakRef<Item>[] = [];

  override async read(range: Parameters<MemoryLog['read']>[0]): Promise<readonly Item[]> {
    const copies = (await super.read(range)).map((item) => ({ ...item }));
    this.#given.push(...copies.map((copy) => new WeakRef(copy)));
    return copies;
  }

  async held(): Promise<number> {
    // A WeakRef holds its target until the turn of the event loop ends.
    await settle();
    collectGarbage();
    return this.#given.filter((reference) => reference.deref() !== undefined).length;
  }
}

it('holds nothing for readers that stop, catches them up when they read again, and disturbs nobody (case 13)', async () => {
  const process = oneProcess();
  const log = new CountingLog('log:1', process.family);
  process.family.logs.set(log.key, log);
  const { follow } = await import('../../src/live/follow.js');
  const slow = Array.from({ length: 20 }, () => follow(process.tails, log, { after: 0 }));
  await Promise.all(slow.map(pull));
  const fast = follow(process.tails, log, { after: 0 });
  await pull(fast);
  const seen: number[] = [];
  // A function of its own, lest the test's variables hold what it gave.
  const round = async () => {
    const next = fast.next();
    log.commit(100, 'a', 32 * 1_024);
    process.tell(log.items.length);
    seen.push(...numbers([(await next).value as Update<Item>]));
    seen.push(...numbers(await pullTo(fast, log.items.length)));
  };
  for (let count = 0; count < 50; count++) await round();
  expect(seen).toEqual(span(1, 5_000));
  expect(process.tails.held.bytes).toBeLessThanOrEqual(1_024 * 1_024);
  // What the ring holds, and no more: 1 MiB of 32 KB each.
  expect(process.tails.held.entries).toBeLessThanOrEqual(32);
  expect(await log.held()).toBeLessThanOrEqual(32);

  expect(numbers(await pullTo(slow[0] as typeof fast, 5_000))).toEqual(span(1, 5_000));
  await round();
  expect(await log.held()).toBeLessThanOrEqual(32);
  await Promise.all([...slow, fast].map((stream) => stream.return?.()));
  expect(await log.held()).toBe(0);
});

it('costs no read while the only reader is stopped', async () => {
  const { log, follow, append } = oneProcess();
  const stream = follow();
  await pull(stream);
  for (let round = 0; round < 100; round++) append(50);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(log.reads).toEqual([]);
  expect(numbers(await pullTo(stream, 5_000))).toEqual(span(1, 5_000));
});

it('reads in pages for a follower far behind, while another is live', async () => {
  const { log, follow, append } = oneProcess();
  log.commit(10_000);
  const [behind, live] = [follow({ limit: 100 }), follow({ after: 10_000 })];
  await pull(live);
  const seen: number[] = [];
  for (let round = 0; round < 20; round++) {
    const next = live.next();
    append(1);
    expect((await next).value).toMatchObject({ position: 10_001 + round, caughtUp: true });
    seen.push(...numbers([await pull(behind), await pull(behind)]));
  }
  expect(seen).toEqual(span(1, 4_000));
  seen.push(...numbers(await pullTo(behind, 10_020)));
  expect(seen).toEqual(span(1, 10_020));
  // 100 pages of its own, and the news that both shared.
  expect(log.reads).toHaveLength(100 + 20);
});
