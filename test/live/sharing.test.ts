import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Update } from '../../src/live/follow.js';
import {
  fakeClock,
  type Item,
  isPending,
  numbers,
  oneProcess,
  pull,
  pullTo,
  type Stream,
  settle,
  span,
} from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

const waiting = async (streams: readonly Stream[]) => {
  const next = streams.map((stream) => stream.next());
  await settle();
  return next;
};

it('reads news once for 1,000 followers of a log', async () => {
  const { log, follow, append, family } = oneProcess();
  log.commit(3);
  const streams = Array.from({ length: 1_000 }, () => follow({ after: 3 }));
  await Promise.all(streams.map(pull));
  expect(family.asked).toEqual([[log.key]]);
  for (let news = 1; news <= 5; news++) {
    const next = await waiting(streams);
    append();
    for (const { value } of await Promise.all(next)) expect(value?.position).toBe(3 + news);
    expect(log.reads).toHaveLength(news);
  }
});

it('reads a burst once in pages; who is a page slower finds them in the ring', async () => {
  const { log, follow, append } = oneProcess();
  const streams = Array.from({ length: 100 }, () => follow({ limit: 128 }));
  await Promise.all(streams.map(pull));
  const first = await waiting(streams);
  append(500);
  await Promise.all(first);
  const [fast, slow] = [streams.slice(0, 50), streams.slice(50)];
  const seen: Update<Item>[] = [];
  await Promise.all(fast.map(pull));
  for (let page = 2; page < 4; page++) {
    await Promise.all(fast.map(pull));
    for (const update of await Promise.all(slow.map(pull))) expect(update.position).toBe(page * 128);
  }
  for (const stream of slow) seen.push(...(await pullTo(stream, 500)));
  expect(numbers(seen.slice(0, 1))).toEqual(span(385, 500));
  expect(log.reads.map(({ after }) => after)).toEqual([0, 128, 256, 384]);
});

it('makes one read of the hints that come while it reads', async () => {
  const { log, follow, append } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  await settle();
  let arrive = () => {};
  log.pause = () => new Promise<void>((resolve) => (arrive = resolve));
  append();
  const release = async () => {
    arrive();
    await settle();
  };
  for (let i = 0; i < 50; i++) append();
  await release();
  await release();
  expect((await next).value?.position).toBe(1);
  const rest = pullTo(stream, 51);
  await settle();
  await release();
  await release();
  expect(numbers(await rest)).toEqual(span(2, 51));
  expect(log.reads).toHaveLength(2);
});

it('reads nothing while nobody waits, however much is committed', async () => {
  const { log, follow, append } = oneProcess();
  const stream = follow();
  await pull(stream);
  for (let i = 0; i < 100; i++) append(10);
  await settle();
  expect(log.reads).toEqual([]);
  expect(numbers(await pullTo(stream, 1_000))).toEqual(span(1, 1_000));
});

it('gives two who follow alike each their own updates; the first leaves, the second goes on, both leave, the log is let go (case 17)', async () => {
  const { follow, append, tails, bus } = oneProcess();
  const [first, second] = [follow(), follow()];
  await Promise.all([pull(first), pull(second)]);
  const [left, stays] = await waiting([first, second]);
  await first.return?.();
  expect(await left).toEqual({ done: true, value: undefined });
  append();
  expect((await stays)?.value?.position).toBe(1);
  expect(tails.size).toBe(1);
  await second.return?.();
  expect([tails.size, bus.listeners, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

it('lets followers of one log start anywhere, with any filter, beside each other', async () => {
  const { log, follow, append } = oneProcess();
  for (let i = 0; i < 50; i++) log.commit(1, i % 3 === 0 ? 'rare' : 'common');
  const all = follow();
  const late = follow({ after: 49 });
  const rare = follow({ filter: ['rare'] });
  const seen = await Promise.all([pullTo(all, 50), pullTo(late, 50), pullTo(rare, 50)]);
  const next = await waiting([all, late, rare]);
  append(1, 'rare');
  const live = (await Promise.all(next)).map(({ value }) => value as Update<Item>);
  const given = seen.map((updates, index) => numbers([...updates, ...live.slice(index, index + 1)]));
  expect(given[0]).toEqual(span(1, 51));
  expect(given[1]).toEqual([50, 51]);
  expect(given[2]).toEqual([...span(0, 16).map((third) => 3 * third + 1), 51]);
});

it('lets one who resumes far ahead take the ring along; those behind read on by themselves', async () => {
  const { log, follow, append, tails } = oneProcess({ ring: { entries: 5, bytes: 1_000_000 } });
  const slow = follow({ limit: 5 });
  await pull(slow);
  append(100);
  await pull(slow);
  expect(tails.held).toEqual({ entries: 3, bytes: 300 });
  const fast = follow({ after: 100 });
  expect(await pull(fast)).toMatchObject({ position: 100, caughtUp: true });
  const next = fast.next();
  await settle();
  log.reads.length = 0;
  append(1);
  expect((await next).value).toMatchObject({ entries: [{ number: 101 }], caughtUp: true });
  expect(log.reads.map(({ after }) => after)).toEqual([100]);
  expect(tails.held).toEqual({ entries: 1, bytes: 100 });
  expect(numbers(await pullTo(slow, 101))).toEqual(span(4, 101));
});

it('does not mix what it was reading when the ring jumped with what comes after', async () => {
  const { log, follow, append } = oneProcess({ ring: { entries: 4, bytes: 1_000_000 } });
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  await settle();
  const arrivals: (() => void)[] = [];
  log.pause = () => new Promise<void>((resolve) => arrivals.push(resolve));
  append(100);
  const foremost = follow({ after: 100 });
  await pull(foremost);
  const news = foremost.next();
  await settle();
  log.pause = () => Promise.resolve();
  for (const arrive of arrivals) arrive();
  await settle();
  append(1);
  expect((await news).value?.entries).toEqual([log.items[100]]);
  const first = (await next).value as Update<Item>;
  expect(numbers([first, ...(await pullTo(stream, 101))])).toEqual(span(1, 101));
});

it('has nothing to give before the ring and at its end', async () => {
  const { tails, log, follow, append } = oneProcess();
  log.commit(5);
  const stream = follow({ after: 5 });
  await pull(stream);
  const next = stream.next();
  append(3);
  await next;
  const { tail, release } = tails.hold(log, () => 0);
  const bounds = { entries: 2, bytes: 1_000 };
  expect([tail.start, tail.end]).toEqual([5, 8]);
  for (const position of [0, 4, 8, 9]) expect(tail.take(position, bounds)).toEqual({ entries: [], position });
  expect(tail.take(6, bounds)).toEqual({ entries: log.items.slice(6, 8), position: 8 });
  release();
});

it('reads a burst once for all who wait, though one who is already past it comes by', async () => {
  const { log, follow, append } = oneProcess({ ring: { entries: 10, bytes: 1_000_000 } });
  const crowd = Array.from({ length: 50 }, () => follow({ limit: 5 }));
  await Promise.all(crowd.map(pull));
  const next = await waiting(crowd);
  append(100);
  const late = follow({ after: 100 });
  expect(await pull(late)).toMatchObject({ position: 100, caughtUp: true });
  const news = late.next();
  const rest = crowd.map(async (stream, index) => {
    await next[index];
    return numbers(await pullTo(stream, 100));
  });
  for (const seen of await Promise.all(rest)) expect(seen).toEqual(span(6, 100));
  expect(log.reads).toHaveLength(20);
  append(1);
  expect((await news).value).toMatchObject({ position: 101 });
});

it('reads nothing for one who has left', async () => {
  const { log, follow, append } = oneProcess();
  const [leaves, idle] = [follow(), follow()];
  await Promise.all([pull(leaves), pull(idle)]);
  await waiting([leaves]);
  await leaves.return?.();
  append(1);
  await settle();
  expect(log.reads).toEqual([]);
});

it('brings an entry too large for the ring to all who wait by one read', async () => {
  const { log, follow, append, tails } = oneProcess({ ring: { entries: 10, bytes: 1_000 } });
  const streams = Array.from({ length: 20 }, () => follow());
  await Promise.all(streams.map(pull));
  const next = await waiting(streams);
  append(1, 'a', 5_000);
  for (const { value } of await Promise.all(next)) expect(value?.position).toBe(1);
  expect(log.reads).toHaveLength(1);
  expect(tails.held).toEqual({ entries: 0, bytes: 0 });
});

it('keeps no more than its bounds in the ring', async () => {
  const { follow, append, tails } = oneProcess({ ring: { entries: 8, bytes: 1_000 } });
  const stream = follow();
  await pull(stream);
  for (let size = 10; size < 400; size += 10) {
    const next = stream.next();
    append(3, 'a', size);
    await next;
    const { entries, bytes } = tails.held;
    expect(entries).toBeLessThanOrEqual(8);
    expect(bytes).toBeLessThanOrEqual(1_000);
    expect(bytes % size === 0 || entries > 1).toBe(true);
  }
  await stream.return?.();
  expect(tails.held).toEqual({ entries: 0, bytes: 0 });
});

it('reads the heads of followers that come while a statement is under way by the next statement', async () => {
  const { follow, family } = oneProcess();
  let answer = () => {};
  family.pause = () => new Promise<void>((resolve) => (answer = resolve));
  const first = pull(follow());
  await settle();
  const others = Array.from({ length: 100 }, () => pull(follow()));
  await settle();
  expect(family.asked).toHaveLength(1);
  family.pause = () => Promise.resolve();
  answer();
  await Promise.all([first, ...others]);
  expect(family.asked).toHaveLength(2);
});

it('follows two logs without mixing them', async () => {
  const { tails, family, log, bus, follow } = oneProcess();
  const { follow: followAny } = await import('../../src/live/follow.js');
  const second = family.log('log:2');
  const streams = [follow(), followAny(tails, second, { after: 0 })];
  await Promise.all(streams.map(pull));
  const [one, two] = await waiting(streams);
  second.commit(2, 'b');
  bus.publish({ topics: [log.key], log: second.key, head: 2 });
  expect((await two)?.value?.entries.map(({ kind }) => kind)).toEqual(['b', 'b']);
  expect(one !== undefined && (await isPending(one))).toBe(true);
  expect(log.reads).toEqual([]);
});
