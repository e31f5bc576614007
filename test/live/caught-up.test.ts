import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeClock, isPending, numbers, oneProcess, pull, pullTo, settle } from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

const never = () => new Promise<never>(() => {});

it('is behind while a burst is read in pages, and knows its end', async () => {
  const { follow, append } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  append(300);
  const updates = [(await next).value, await pull(stream), await pull(stream)];
  expect(updates.map((update) => [update?.position, update?.head, update?.caughtUp])).toEqual([
    [128, 300, false],
    [256, 300, false],
    [300, 300, true],
  ]);
});

it('is caught up at the end of the log, whatever a hint promised beyond', async () => {
  const { log, follow, tell } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  await settle();
  log.commit(1);
  tell(5);
  expect((await next).value).toMatchObject({ position: 1, head: 1, caughtUp: true });
});

it('is behind at the end of a replay if news is known of, and says so when it is not any more', async () => {
  const { log, follow, append, tell } = oneProcess();
  log.commit(10);
  const stream = follow({ limit: 5 });
  expect(await pull(stream)).toMatchObject({ position: 5, head: 10, caughtUp: false });
  append(1);
  expect(await pull(stream)).toMatchObject({ position: 10, head: 11, caughtUp: false });
  expect(await pull(stream)).toMatchObject({ entries: [{ number: 11 }], head: 11, caughtUp: true });

  const other = follow({ limit: 5, after: 5 });
  tell(12);
  const misled = [await pull(other), await pull(other)];
  expect(misled.map(({ position, caughtUp }) => [position, caughtUp])).toEqual([
    [10, false],
    [11, true],
  ]);
});

it('tells one that was misled to be behind that it is not', async () => {
  const { log, follow, tell } = oneProcess();
  log.commit(10);
  const stream = follow({ limit: 5 });
  await pull(stream);
  tell(12);
  expect(await pull(stream)).toMatchObject({ position: 10, head: 12, caughtUp: false });
  expect(await pull(stream)).toMatchObject({ entries: [], position: 10, head: 10, caughtUp: true });
  expect(await isPending(stream.next())).toBe(true);
});

it('judges by the head that the first pull read, even if the ring knows less', async () => {
  const { log, follow, append } = oneProcess();
  const live = follow();
  await pull(live);
  const next = live.next();
  append(9);
  await next;
  log.commit(11);
  const stream = follow({ after: 8 });
  expect(await pull(stream)).toMatchObject({
    entries: [{ number: 9 }],
    position: 9,
    head: 20,
    caughtUp: false,
  });
  expect(await pull(stream)).toMatchObject({ position: 20, head: 20, caughtUp: true });
});

it('reads a replay up to the latest head that the database has shown to anyone', async () => {
  const { log, follow } = oneProcess();
  log.commit(10);
  const slow = follow({ limit: 5 });
  await pull(slow);
  log.commit(10);
  await pull(follow({ after: 20 }));
  await pull(slow);
  expect(log.reads.map(({ upTo }) => upTo)).toEqual([10, 20]);
});

it('gives the first update at once at the head, though a hint promises more that cannot be read yet', async () => {
  const { log, follow, tell } = oneProcess();
  log.commit(5);
  const waits = follow({ after: 5 });
  await pull(waits);
  void waits.next();
  await settle();
  log.pause = never;
  tell(9);
  expect(await pull(follow({ after: 5 }))).toMatchObject({
    entries: [],
    position: 5,
    head: 5,
    caughtUp: true,
  });
});

it('gives the first update at once after a page in which nothing matched, though more is to come', async () => {
  const { log, follow, tell } = oneProcess();
  log.commit(10, 'common');
  const waits = follow({ after: 10 });
  await pull(waits);
  tell(12);
  log.pause = () => (log.reads.length > 1 ? never() : Promise.resolve());
  expect(await pull(follow({ filter: ['rare'] }))).toMatchObject({
    entries: [],
    position: 10,
    head: 12,
    caughtUp: false,
  });
});

it('adds no empty update for what came while the last one was being read', async () => {
  const { log, follow, append } = oneProcess();
  const stream = follow({ filter: ['rare'] });
  await pull(stream);
  const next = stream.next();
  await settle();
  let statement = 0;
  log.pause = async () => {
    if (++statement === 2) append(1, 'common');
  };
  append(1, 'rare');
  expect((await next).value).toMatchObject({ position: 1, head: 1, caughtUp: true });
  expect(await isPending(stream.next())).toBe(true);
});

it('counts the thirty quiet seconds anew after each update', async () => {
  const { follow, append } = oneProcess();
  const stream = follow({ filter: ['rare'] });
  await pull(stream);
  const first = stream.next();
  await settle();
  append(1, 'common');
  await vi.advanceTimersByTimeAsync(29_000);
  append(1, 'rare');
  expect((await first).value).toMatchObject({ position: 2 });
  const second = stream.next();
  append(1, 'common');
  await vi.advanceTimersByTimeAsync(29_000);
  expect(await isPending(second)).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await second).value).toMatchObject({ entries: [], position: 3, head: 3, caughtUp: true });
});

it('answers the first of two pending pulls after the quiet time, and goes on for the second', async () => {
  const { follow, append } = oneProcess();
  const stream = follow({ filter: ['rare'] });
  await pull(stream);
  const [first, second] = [stream.next(), stream.next()];
  await settle();
  append(1, 'common');
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await first).value).toMatchObject({ entries: [], position: 1 });
  expect(await isPending(second)).toBe(true);
  append(1, 'rare');
  expect((await second).value).toMatchObject({ position: 2 });
});

it('breaks the silence even while a read hangs, and loses nothing of it', async () => {
  const { log, follow, append } = oneProcess({ ring: { entries: 1, bytes: 1_000_000 } });
  const stream = follow({ filter: ['rare'] });
  await pull(stream);
  const quiet = stream.next();
  await settle();
  append(1, 'common');
  await settle();
  log.commit(99, 'rare');
  let arrive = () => {};
  log.pause = () => new Promise<void>((resolve) => (arrive = resolve));
  const foremost = follow({ after: 100 });
  await pull(foremost);
  void foremost.next();
  await settle();
  expect(log.reads.at(-1)).toMatchObject({ after: 1, upTo: 100, filter: ['rare'] });
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await quiet).value).toMatchObject({ entries: [], position: 1, head: 100, caughtUp: false });
  log.pause = () => Promise.resolve();
  arrive();
  await settle();
  expect(numbers(await pullTo(stream, 100))).toHaveLength(99);
});
