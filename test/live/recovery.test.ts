import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { notFound } from '../../src/errors.js';
import type { Bus } from '../../src/live/bus.js';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { fakeClock, isPending, numbers, oneProcess, pull, pullTo, settle, span } from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

/** A bus that can be cut off from everyone. */
class CutBus extends InProcessBus implements Bus {
  readonly reconnected = new Set<() => void>();
  override onReconnect(listener?: () => void): () => void {
    if (listener !== undefined) this.reconnected.add(listener);
    return () => {
      if (listener !== undefined) this.reconnected.delete(listener);
    };
  }
}

it('finds what a lost hint would have told within five seconds (P4)', async () => {
  const { log, follow } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  await settle();
  log.commit(3);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(await isPending(next)).toBe(true);
  await vi.advanceTimersByTimeAsync(100);
  expect((await next).value).toMatchObject({ position: 3, caughtUp: true });
});

it('re-checks all open logs with one statement, and none when none is open', async () => {
  const { tails, family } = oneProcess();
  const { follow } = await import('../../src/live/follow.js');
  const streams = Array.from({ length: 50 }, (_, index) =>
    follow(tails, family.log(`log:${index}`), { after: 0 }),
  );
  await Promise.all(streams.map(pull));
  family.asked.length = 0;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(family.asked.map((keys) => keys.length)).toEqual([50, 50, 50]);
  await Promise.all(streams.map((stream) => stream.return?.()));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(family.asked).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not pile up re-checks behind a slow one', async () => {
  const { follow, family, tails } = oneProcess();
  await pull(follow());
  const recheck = vi.spyOn(tails, 'recheck');
  family.pause = () => new Promise(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(family.asked).toHaveLength(2);
  expect(recheck).toHaveBeenCalledTimes(1);
});

it('re-checks at once when the bus is back', async () => {
  const bus = new CutBus(() => {});
  const { log, follow } = oneProcess({ bus });
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  await settle();
  log.commit(1);
  for (const back of bus.reconnected) back();
  expect((await next).value).toMatchObject({ position: 1 });
  await stream.return?.();
  expect(bus.reconnected.size).toBe(0);
});

it('reports a re-check that fails and does the next one', async () => {
  const { log, follow, family, faults } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  log.commit(1);
  family.failures = 2;
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await next).value).toMatchObject({ position: 1 });
  expect(faults).toEqual(Array(2).fill('reading the heads of 1 logs again: Error: the database is away'));
});

it('takes hints doubled, late and out of order for what they are', async () => {
  const { log, follow, tell } = oneProcess();
  const stream = follow();
  await pull(stream);
  const seen: number[] = [];
  for (let round = 0; round < 20; round++) {
    const next = stream.next();
    await settle();
    log.commit(3);
    const head = log.items.length;
    for (const told of [head - 1, head, head, 0, head - 2, head]) tell(told);
    const { value } = await next;
    if (value !== undefined) seen.push(...numbers([value]), ...numbers(await pullTo(stream, value.head)));
    for (const told of [head, 1]) tell(told);
  }
  expect(seen).toEqual(span(1, seen.length));
  expect(await isPending(stream.next())).toBe(true);
  expect(log.reads.length).toBeLessThanOrEqual(60);
});

it('after an append that was rolled back gives the next one at once, and looks in vain only once (case 8)', async () => {
  const { log, follow, tell, append } = oneProcess();
  log.commit(2);
  const stream = follow({ after: 2 });
  const filtered = follow({ after: 2, filter: ['b'] });
  await Promise.all([pull(stream), pull(filtered)]);
  const pulls = [stream.next(), filtered.next()];
  await settle();
  tell(3);
  // A late hint of what is known is no reason to look again.
  tell(2);
  await settle();
  tell(2 ** 31 - 1);
  await settle();
  expect(log.reads).toHaveLength(2);
  expect(await isPending(Promise.race(pulls))).toBe(true);
  append(1, 'b');
  for (const { value } of await Promise.all(pulls)) {
    expect(value).toMatchObject({ position: 3, head: 3, caughtUp: true, entries: [{ number: 3 }] });
  }
});

it('looks again if the true hint comes while it looks for what a wrong one promised', async () => {
  const { log, follow, tell } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  await settle();
  let statement = 0;
  log.pause = async () => {
    // The first read has seen an empty log and has not answered yet.
    if (++statement !== 2) return;
    log.commit(1);
    tell(1);
  };
  tell(1);
  expect((await next).value).toMatchObject({ position: 1 });
  expect(vi.getTimerCount()).toBe(1);
});

it('does not let a filtered follower pass over entries that are promised but not committed', async () => {
  const { log, follow, tell, append } = oneProcess();
  log.commit(5, 'a');
  tell(9);
  const waiting = follow();
  await pull(waiting);
  tell(9);
  const stream = follow({ filter: ['b'], limit: 1 });
  expect(await pull(stream)).toMatchObject({ entries: [], position: 5 });
  append(4, 'b');
  expect(numbers(await pullTo(stream, 9))).toEqual([6, 7, 8, 9]);
});

it.each(['replay', 'news'] as const)('loses nothing when reading the %s fails three times', async (stage) => {
  const { log, follow, append, faults } = oneProcess();
  log.commit(2);
  const stream = follow({ after: stage === 'news' ? 2 : 0 });
  if (stage === 'news') await pull(stream);
  log.failures = 3;
  const next = stream.next();
  await settle();
  append(1);
  await settle();
  expect(await isPending(next)).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  const { value } = await next;
  const updates =
    value === undefined ? [] : [value, ...(value.position === 3 ? [] : await pullTo(stream, 3))];
  expect(numbers(updates)).toEqual(stage === 'news' ? [3] : [1, 2, 3]);
  expect(faults).toHaveLength(3);
});

it('loses nothing when the first head cannot be read three times', async () => {
  const { log, follow, family, faults } = oneProcess();
  log.commit(2);
  family.failures = 3;
  const updates = pullTo(follow(), 2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(numbers(await updates)).toEqual([1, 2]);
  expect(faults).toHaveLength(3);
});

it.each(['replay', 'news'] as const)(
  'ends with the fault when reading the %s never works, and lets go',
  async (stage) => {
    const { log, follow, append, faults, tails, bus } = oneProcess();
    log.commit(2);
    const stream = follow({ after: stage === 'news' ? 2 : 0 });
    if (stage === 'news') await pull(stream);
    log.failures = Number.POSITIVE_INFINITY;
    const next = stream.next();
    const second = stream.next();
    const failure = expect(next).rejects.toThrow('the database is away');
    await settle();
    append(1);
    await vi.advanceTimersByTimeAsync(60_000);
    await failure;
    expect((await second).done).toBe(true);
    expect(faults).toHaveLength(10);
    expect(log.reads).toHaveLength(10);
    expect([tails.size, bus.listeners, vi.getTimerCount()]).toEqual([0, 0, 0]);
  },
);

it('reads news again for those who come after it had given up', async () => {
  const { log, follow, append } = oneProcess();
  const [fails, idle] = [follow(), follow()];
  await Promise.all([pull(fails), pull(idle)]);
  log.failures = 10;
  const failure = expect(fails.next()).rejects.toThrow('the database is away');
  append(1);
  await vi.advanceTimersByTimeAsync(60_000);
  await failure;
  expect(await pull(idle)).toMatchObject({ position: 1, caughtUp: true });
});

it('waits longer between attempts, up to a bound, and not all alike', async () => {
  const { log, follow } = oneProcess();
  log.commit(1);
  log.failures = Number.POSITIVE_INFINITY;
  const at: number[] = [];
  log.pause = () => Promise.resolve(at.push(Date.now()));
  const ended = expect(follow().next()).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  const wholes = gaps.map((_, index) => Math.min(5_000, 100 * 2 ** index));
  expect(gaps).not.toEqual(wholes);
  gaps.forEach((gap, index) => {
    const whole = wholes[index] ?? 0;
    expect(gap).toBeGreaterThanOrEqual(Math.floor(whole / 2));
    expect(gap).toBeLessThanOrEqual(whole);
  });
  expect(gaps).toHaveLength(9);
});

it('does not try again what trying cannot mend', async () => {
  const { log, follow, faults } = oneProcess();
  log.commit(1);
  log.failures = 1;
  log.failure = notFound('No such session.');
  await expect(follow().next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(log.reads).toHaveLength(1);
  expect(faults).toEqual([]);
});

it('ends one follower whose filter throws, and no other', async () => {
  const { log, follow, append } = oneProcess();
  const [broken, sound] = [follow({ filter: ['b'] }), follow()];
  await Promise.all([pull(broken), pull(sound)]);
  const [fails, works] = [broken.next(), sound.next()];
  await settle();
  log.matches = () => {
    throw new Error('a rule at fault');
  };
  const failure = expect(fails).rejects.toThrow('a rule at fault');
  append(1);
  await failure;
  expect((await works).value?.position).toBe(1);
});

it('does not move over a hole that a lagging read shows, and reads again (P1)', async () => {
  const { log, follow, append, faults } = oneProcess();
  log.commit(3);
  const stream = follow();
  const { items } = log;
  log.items = items.slice(0, 2);
  log.family.heads = () => Promise.resolve(new Map([[log.key, 3]]));
  const updates = pullTo(stream, 3);
  await settle();
  expect(faults[0]).toMatch('expected every entry from 1 to 3, got 2 up to 2');
  log.items = items;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(numbers(await updates)).toEqual([1, 2, 3]);

  const next = stream.next();
  await settle();
  const read = log.read.bind(log);
  log.read = async (range) => (await read(range)).slice(1);
  append(2);
  await settle();
  expect(faults.at(-1)).toMatch('expected every entry from 4 to 5, got 1 up to 5');
  log.read = read;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(numbers([(await next).value ?? (await pull(stream))])).toEqual([4, 5]);
});

it('ends with INVALID_CURSOR when the database was set back, and a new reader starts afresh', async () => {
  const { log, follow, tails } = oneProcess();
  log.commit(5);
  const [waits, idle] = [follow(), follow()];
  await Promise.all([pullTo(waits, 5), pullTo(idle, 5)]);
  const pending = expect(waits.next()).rejects.toMatchObject({
    code: 'INVALID_CURSOR',
    details: { reason: 'AHEAD' },
  });
  log.items.length = 3;
  await vi.advanceTimersByTimeAsync(5_000);
  await pending;
  const afresh = follow();
  expect(numbers(await pullTo(afresh, 3))).toEqual([1, 2, 3]);
  await expect(idle.next()).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
  expect(tails.size).toBe(1);
});

it('ends a reader amid its replay too when the database was set back, before it reads on', async () => {
  const { log, follow } = oneProcess();
  log.commit(100);
  const stream = follow({ limit: 10 });
  await pull(stream);
  log.items.length = 30;
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(stream.next()).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
  expect(log.reads).toHaveLength(1);
});

it('does not take a re-check that was answered late for a database set back', async () => {
  const { log, follow, append, family } = oneProcess();
  const stream = follow();
  await pull(stream);
  let statement = 0;
  family.pause = async () => {
    if (++statement !== 2) return;
    append(4);
    await settle();
  };
  const updates = pullTo(stream, 4);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(numbers(await updates)).toEqual([1, 2, 3, 4]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await isPending(stream.next())).toBe(true);
  expect(log.reads).toHaveLength(1);
});
