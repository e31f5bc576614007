import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watch } from '../../src/live/signals.js';
import { fakeClock, isPending, oneProcess, pull, settle } from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

const DONE = { done: true, value: undefined };
const nothingLeft = ({ tails, bus }: ReturnType<typeof oneProcess>) =>
  expect({ tails: tails.size, listeners: bus.listeners, timers: vi.getTimerCount() }).toEqual({
    tails: 0,
    listeners: 0,
    timers: 0,
  });

it('leaves no listener, timer or tail after 1,000 cycles, cut at any point (case 14)', async () => {
  const process = oneProcess();
  for (let cycle = 0; cycle < 1_000; cycle++) {
    const stream = process.follow(cycle % 2 === 0 ? { filter: ['rare'] } : {});
    const pulled = cycle % 5 === 0 ? stream.next() : pull(stream);
    if (cycle % 5 > 1) await pulled;
    const pending = cycle % 5 > 2 ? [stream.next(), stream.next()] : [];
    if (cycle % 5 > 3) await settle();
    if (cycle % 7 === 0) process.append(1, 'common');
    await stream.return?.();
    await Promise.allSettled([pulled, ...pending]);
  }
  nothingLeft(process);
});

it('holds nothing before the first pull', () => {
  const process = oneProcess();
  const { signal } = new AbortController();
  const listen = vi.spyOn(signal, 'addEventListener');
  process.follow({ signal });
  watch(process.bus, ['account:1'], { signal });
  nothingLeft(process);
  expect(listen).not.toHaveBeenCalled();
});

it('settles every pending pull when it returns, at once, whatever they wait for', async () => {
  for (const stage of ['head', 'page', 'news', 'retry', 'retry of news'] as const) {
    const process = oneProcess();
    process.log.commit(1);
    const live = stage === 'news' || stage === 'retry of news';
    const stream = process.follow({ after: live ? 1 : 0 });
    if (live) await pull(stream);
    if (stage === 'head') process.family.pause = () => new Promise(() => {});
    if (stage === 'page') process.log.pause = () => new Promise(() => {});
    if (stage === 'retry' || stage === 'retry of news') process.log.failures = 1;
    const pending = [stream.next(), stream.next()];
    await settle();
    if (stage === 'retry of news') process.append(1);
    await settle();
    expect(await stream.return?.(), stage).toEqual(DONE);
    expect(await Promise.all(pending), stage).toEqual([DONE, DONE]);
    expect(await stream.next(), stage).toEqual(DONE);
    expect(await stream.return?.(), stage).toEqual(DONE);
    nothingLeft(process);
  }
});

it("leaves no timer when it returns while others' entries go by", async () => {
  const process = oneProcess();
  const stream = process.follow({ filter: ['rare'] });
  await pull(stream);
  const pending = stream.next();
  await settle();
  process.append(1, 'common');
  await settle();
  expect(vi.getTimerCount()).toBe(2);
  await stream.return?.();
  expect(await pending).toEqual(DONE);
  nothingLeft(process);
});

it('settles pending pulls when the reader throws into it, and rejects that call alone', async () => {
  const process = oneProcess();
  const stream = process.follow();
  await pull(stream);
  const pending = stream.next();
  await settle();
  await expect(stream.throw?.(new Error('enough'))).rejects.toThrow('enough');
  expect(await pending).toEqual(DONE);
  nothingLeft(process);
});

it('ends when its signal is aborted, before the first pull, between two, and amid one', async () => {
  const process = oneProcess();
  for (const pulls of [0, 1, 2]) {
    const abort = new AbortController();
    const { signal } = abort;
    const removed = vi.spyOn(signal, 'removeEventListener');
    const stream = process.follow({ signal });
    if (pulls > 0) await pull(stream);
    const pending = pulls > 1 ? stream.next() : undefined;
    await settle();
    abort.abort();
    expect(await (pending ?? stream.next())).toEqual(DONE);
    expect(removed).toHaveBeenCalledTimes(1);
    nothingLeft(process);
  }
});

it('leaves its signal when it ends by itself', async () => {
  const process = oneProcess();
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  for (let cycle = 0; cycle < 20; cycle++) {
    const stream = process.follow({ signal });
    await pull(stream);
    await stream.return?.();
  }
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([20, 20]);
  expect(removed.mock.calls).toEqual(added.mock.calls);
});

it('hears nothing of a read that ends after it has left', async () => {
  const process = oneProcess();
  process.log.commit(1);
  let arrive = () => {};
  process.log.pause = () => new Promise<void>((resolve) => (arrive = resolve));
  const stream = process.follow();
  const pending = stream.next();
  await settle();
  await stream.return?.();
  process.log.failures = 1;
  arrive();
  await settle();
  expect(await pending).toEqual(DONE);
  expect(process.faults).toEqual([]);
  nothingLeft(process);
});

it('goes on without one who leaves while another is served', async () => {
  const process = oneProcess();
  const streams = [process.follow(), process.follow(), process.follow()];
  await Promise.all(streams.map(pull));
  const next = streams.map((stream) => stream.next());
  await settle();
  process.append();
  void streams[1]?.return?.();
  expect((await next[0])?.value?.position).toBe(1);
  expect(await next[1]).toEqual(DONE);
  expect((await next[2])?.value?.position).toBe(1);
});

it('ends everyone with the reason when the tails are closed', async () => {
  const process = oneProcess();
  const [waits, idle] = [process.follow(), process.follow()];
  await Promise.all([pull(waits), pull(idle)]);
  const pending = waits.next();
  await settle();
  process.tails.close(new Error('going away'));
  await expect(pending).rejects.toThrow('going away');
  await expect(idle.next()).rejects.toThrow('going away');
  nothingLeft(process);
});

it('lets go once for each who held, however often they say so', () => {
  const process = oneProcess();
  const [first, second] = [
    process.tails.hold(process.log, () => 0),
    process.tails.hold(process.log, () => 0),
  ];
  first.release();
  first.release();
  expect([process.tails.size, process.bus.listeners]).toEqual([1, 1]);
  second.release();
  nothingLeft(process);
});

it('is its own iterator, and a loop that breaks lets go', async () => {
  const process = oneProcess();
  process.log.commit(3);
  for await (const update of process.follow({ limit: 1 })) if (update.position === 2) break;
  nothingLeft(process);
});

it('does not keep a pull pending for one that is done', async () => {
  const stream = oneProcess().follow();
  await stream.return?.();
  expect(await isPending(stream.next())).toBe(false);
});
