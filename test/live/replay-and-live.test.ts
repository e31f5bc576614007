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
  settle,
  span,
} from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

it('replays from the start in pages of the limit, then goes on live', async () => {
  const { log, follow, append } = oneProcess();
  log.commit(10);
  const stream = follow({ limit: 4 });
  const replay = await pullTo(stream, 10);
  expect(
    replay.map(({ entries, position, head, caughtUp }) => [entries.length, position, head, caughtUp]),
  ).toEqual([
    [4, 4, 10, false],
    [4, 8, 10, false],
    [2, 10, 10, true],
  ]);
  const next = stream.next();
  append(1);
  expect((await next).value).toMatchObject({
    entries: [log.items[10]],
    position: 11,
    head: 11,
    caughtUp: true,
  });
  expect(numbers(replay)).toEqual(span(1, 10));
});

it('gives each of 10,000 entries once and in order to a reader that is cut 50 times and resumes (case 1)', async () => {
  const { log, follow, append, tails } = oneProcess();
  const seen: number[] = [];
  let after = 0;
  for (let cut = 0; cut <= 50; cut++) {
    if (cut % 2 === 0) append(300);
    else log.commit(80);
    const stream = follow({ after, limit: 1 + ((cut * 37) % 200) });
    for (const update of [
      await pull(stream),
      ...(after < log.items.length - 400 ? [await pull(stream)] : []),
    ]) {
      seen.push(...numbers([update]));
      after = update.position;
    }
    const lost = stream.next();
    await stream.return?.();
    expect((await lost).done).toBe(true);
  }
  append(10_000 - log.items.length);
  seen.push(...numbers(await pullTo(follow({ after }), 10_000)));
  expect(seen).toEqual(span(1, 10_000));
  expect(tails.size).toBe(1);
});

it('gives two commits in number order though their hints come the other way round (case 2)', async () => {
  const { log, follow, tell } = oneProcess();
  const stream = follow();
  await pull(stream);
  const next = stream.next();
  log.commit(1, 'A');
  log.commit(1, 'B');
  tell(2);
  tell(1);
  expect((await next).value).toMatchObject({ position: 2, entries: [{ kind: 'A' }, { kind: 'B' }] });
  expect(await isPending(stream.next())).toBe(true);
});

it('pages through entries of one instant by number alone (case 3)', async () => {
  const { log, follow } = oneProcess();
  log.commit(100);
  const updates = await pullTo(follow({ limit: 7 }), 100);
  expect(updates).toHaveLength(15);
  expect(new Set(numbers(updates)).size).toBe(100);
});

it('gives an entry committed between replay and live once (case 4)', async () => {
  const { log, follow, append } = oneProcess();
  log.commit(3);
  let gap = true;
  // The last page of the replay has been read, its reader has not been told yet.
  log.pause = async () => {
    if (log.reads.length === 1 && gap) {
      await settle();
      gap = false;
      append();
    }
  };
  const stream = follow();
  const updates = await pullTo(stream, 4);
  expect(numbers(updates)).toEqual([1, 2, 3, 4]);
  expect(await isPending(stream.next())).toBe(true);
});

it('gives an entry committed while the first head is being read', async () => {
  const { log, follow, append, family, tell } = oneProcess();
  log.commit(1);
  let pauses = 0;
  family.pause = async () => {
    // After the statement saw its data, before its answer: only the hint can tell.
    if (++pauses === 2) append();
  };
  const stream = follow({ after: 1 });
  const updates = await pullTo(stream, 2);
  expect(numbers(updates)).toEqual([2]);
  tell(2);
  expect(await isPending(stream.next())).toBe(true);
});

it('gives an entry committed between subscribing and the first pull (case 5)', async () => {
  const { log, follow, append } = oneProcess();
  log.commit(5);
  const stream = follow({ after: 5 });
  append();
  await settle();
  expect(await pull(stream)).toMatchObject({ entries: [{ number: 6 }], position: 6, caughtUp: true });
});

it('resumed at the head gives one empty update, then nothing until there is news (case 6)', async () => {
  const { log, follow, append } = oneProcess();
  log.commit(5);
  const stream = follow({ after: 5 });
  expect(await pull(stream)).toMatchObject({ entries: [], position: 5, head: 5, caughtUp: true });
  expect(log.reads).toEqual([]);
  const next = stream.next();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await isPending(next)).toBe(true);
  append();
  expect((await next).value?.entries).toEqual([log.items[5]]);
});

it('gives an empty update at once for a log without entries', async () => {
  expect(await pull(oneProcess().follow())).toMatchObject({
    entries: [],
    position: 0,
    head: 0,
    caughtUp: true,
  });
});

it.each([6, 2 ** 31, Number.NaN])(
  'refuses position %d of a log that ends at 5, judged by the database (case 7)',
  async (after) => {
    const { log, follow, tails, bus, tell } = oneProcess();
    log.commit(5);
    const other = follow();
    await pull(other);
    tell(10);
    const stream = follow({ after });
    await expect(stream.next()).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
      details: { reason: 'AHEAD' },
    });
    expect((await stream.next()).done).toBe(true);
    await other.return?.();
    expect([tails.size, bus.listeners]).toEqual([0, 0]);
  },
);

it('pushes the filter down when replaying, and the position covers what did not match (case 12)', async () => {
  const { log, follow } = oneProcess();
  for (let i = 0; i < 1_000; i++) log.commit(1, i % 100 === 50 ? 'rare' : 'common');
  const updates = await pullTo(follow({ filter: ['rare'] }), 1_000);
  expect(updates).toHaveLength(1);
  expect(updates[0]).toMatchObject({ position: 1_000, head: 1_000, caughtUp: true });
  expect(updates[0]?.entries.map(({ kind }) => kind)).toEqual(Array(10).fill('rare'));
  expect(log.reads).toMatchObject([{ after: 0, upTo: 1_000, limit: 200, filter: ['rare'] }]);
  expect(log.reads).toHaveLength(1);
});

it('ends a filtered replay whose last page is full with an update that says so', async () => {
  const { log, follow } = oneProcess();
  log.commit(4, 'rare');
  log.commit(4, 'common');
  const stream = follow({ filter: ['rare'], limit: 4 });
  expect(await pull(stream)).toMatchObject({ position: 4, caughtUp: false });
  expect(await pull(stream)).toMatchObject({ entries: [], position: 8, head: 8, caughtUp: true });
});

it('gives a filtered follower no foreign kind and no gap, live and resumed (case 12)', async () => {
  const { log, follow, append } = oneProcess();
  const seen: Update<Item>[] = [];
  let stream = follow({ filter: ['rare'] });
  seen.push(await pull(stream));
  for (let round = 0; round < 20; round++) {
    const next = stream.next();
    append(3, 'common');
    append(1, 'rare');
    append(2, 'common');
    seen.push((await next).value as Update<Item>);
    if (round % 5 !== 4) continue;
    await stream.return?.();
    stream = follow({ filter: ['rare'], after: seen.at(-1)?.position ?? 0 });
    seen.push(await pull(stream));
  }
  expect(numbers(seen)).toEqual(log.items.filter(({ kind }) => kind === 'rare').map(({ number }) => number));
});

it("tells a filtered follower of its position every 30 s at most while only others' entries come (case 12)", async () => {
  const { follow, append, tails } = oneProcess();
  const stream = follow({ filter: ['rare'], quietUpdateMs: 30_000 });
  await pull(stream);
  const next = stream.next();
  await settle();
  for (let second = 0; second < 29; second++) {
    append(1, 'common');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(await isPending(next)).toBe(true);
  append(1, 'common');
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await next).value).toMatchObject({ entries: [], position: 30, head: 30, caughtUp: true });

  const later = stream.next();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await isPending(later)).toBe(true);
  append(1, 'rare');
  expect((await later).value).toMatchObject({ position: 31 });
  await stream.return?.();
  expect(vi.getTimerCount()).toBe(0);
  expect(tails.size).toBe(0);
});

it("reads once for each hint while a filtered follower hears only of others' entries: it does not spin", async () => {
  const { log, follow, append } = oneProcess();
  const stream = follow({ filter: ['rare'] });
  await pull(stream);
  void stream.next();
  for (let i = 1; i <= 50; i++) {
    append(1, 'common');
    await settle();
    expect(log.reads).toHaveLength(i);
  }
});

it('bounds an update by bytes, and lets one large entry pass alone', async () => {
  const { log, follow, append } = oneProcess();
  const kilobytes = 1_024;
  log.commit(5, 'a', 300 * kilobytes);
  log.commit(1, 'a', 4_096 * kilobytes);
  log.commit(5, 'a', 1 * kilobytes);
  const stream = follow();
  expect((await pullTo(stream, 11)).map(({ entries }) => entries.length)).toEqual([3, 2, 1, 2, 3]);
  const next = stream.next();
  append(3, 'a', 700 * kilobytes);
  expect((await next).value?.entries).toHaveLength(1);
  expect((await pullTo(stream, 14)).map(({ entries }) => entries.length)).toEqual([1, 1]);
});

it('asks for fewer entries next to large ones, and for more again after them', async () => {
  const { log, follow } = oneProcess();
  log.commit(200, 'a', 256 * 1_024);
  log.commit(1_000, 'a', 100);
  await pullTo(follow(), 1_200);
  const limits = log.reads.map(({ limit }) => limit);
  const asked = limits.reduce((sum, limit) => sum + limit, 0);
  // All 200 are too much to read, 16 are not, and 4 of them fit into an update.
  expect(limits.slice(0, 3)).toEqual([200, 16, 4]);
  expect(Math.max(...limits.slice(50))).toBe(200);
  expect(asked).toBeLessThan(3 * 1_200);
});

it('answers concurrent pulls in order, one update each', async () => {
  const { follow, append, log } = oneProcess();
  log.commit(2);
  const stream = follow({ limit: 1 });
  const pulls = [stream.next(), stream.next(), stream.next(), stream.next()];
  await settle();
  append(1);
  await settle();
  append(1);
  expect((await Promise.all(pulls)).map(({ value }) => value?.position)).toEqual([1, 2, 3, 4]);
});
