import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Update } from '../../src/live/follow.js';
import { Renderings, type View } from '../../src/live/renderings.js';
import { Shown } from '../../src/live/shown.js';
import { fakeClock, type Item, isPending, oneProcess, settle } from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

/** What a reader sees, and what the test may do to it. */
class TestView implements View<Update<Item>> {
  changes = 0;
  unsettled: Promise<void> | undefined;

  constructor(
    public key: string,
    private readonly onRender: () => unknown,
  ) {}

  settled(): Promise<void> | undefined {
    return this.unsettled;
  }

  async render({ entries, position }: Update<Item>) {
    await this.onRender();
    return { body: Buffer.from(`${entries.map(({ number }) => number)} to ${position}`), isLasting: true };
  }
}

/** So many readers of one view, all of whom rest at the log's beginning and know of each other. */
async function readersAtRest(count: number) {
  const process = oneProcess();
  const renderings = new Renderings();
  const state = { rendered: 0, onRender: (): unknown => undefined };
  const open = (key = 'v') => {
    const view = new TestView(key, () => {
      state.rendered += 1;
      return state.onRender();
    });
    const shown = new Shown(renderings, process.follow(), view);
    return { view, shown, next: async () => String((await shown.next()).value) };
  };
  const readers = Array.from({ length: count }, () => open());
  const nextOf = (some: readonly { next(): Promise<string> }[]) =>
    Promise.all(some.map(({ next }) => next()));
  await nextOf(readers);
  /** What these get for one entry more, and how often it was rendered. */
  const tell = async (some: readonly { next(): Promise<string> }[]) => {
    const next = nextOf(some);
    await settle();
    state.rendered = 0;
    process.append();
    return { texts: new Set(await next), rendered: state.rendered };
  };
  return { ...process, renderings, state, open, readers, nextOf, tell };
}

describe('readers of one view who keep up', () => {
  it('wait as one, and each gets each update once', async () => {
    const { readers, tell, log } = await readersAtRest(50);
    await tell(readers);
    log.reads.length = 0;
    for (const number of [2, 3, 4]) {
      expect(await tell(readers)).toEqual({ texts: new Set([`${number} to ${number}`]), rendered: 1 });
    }
    expect(log.reads).toHaveLength(3);
  });

  it('leave one who does not wait behind: it gets all it missed, by itself, and comes along again (P5)', async () => {
    const { readers, tell } = await readersAtRest(5);
    const [slow, ...fast] = readers;
    await tell(readers);
    const waiting = slow?.next();
    await settle();
    for (const number of [2, 3, 4]) {
      expect(await tell(fast)).toEqual({ texts: new Set([`${number} to ${number}`]), rendered: 1 });
    }
    expect([await waiting, await slow?.next()]).toEqual(['2 to 2', '3,4 to 4']);
    expect(await tell(readers)).toEqual({ texts: new Set(['5 to 5']), rendered: 1 });
  });

  it('are joined by who comes back, wherever it begins and whatever is being rendered', async () => {
    const { readers, tell, open, state, append, nextOf } = await readersAtRest(3);
    await tell(readers);
    const held: (() => void)[] = [];
    state.onRender = () => new Promise<void>((resolve) => held.push(resolve));
    const next = nextOf(readers);
    await settle();
    append();
    await settle();
    const late = open();
    const first = late.next();
    await settle();
    state.onRender = () => undefined;
    for (const letGo of held) letGo();
    expect(new Set(await next)).toEqual(new Set(['2 to 2']));
    expect(await first).toBe('1,2 to 2');
    expect(await tell([...readers, late])).toEqual({ texts: new Set(['3 to 3']), rendered: 1 });
  });

  it('do not wait for one whose access is being looked into, and it is shown nothing before', async () => {
    const { readers, tell } = await readersAtRest(4);
    await tell(readers);
    const [asked, ...others] = readers;
    let answer = () => {};
    const waiting = asked?.next() ?? Promise.resolve('');
    await settle();
    if (asked !== undefined) asked.view.unsettled = new Promise((resolve) => (answer = resolve));
    expect(await tell(others)).toEqual({ texts: new Set(['2 to 2']), rendered: 1 });
    expect(await isPending(waiting)).toBe(true);
    if (asked !== undefined) {
      asked.view.unsettled = undefined;
      asked.view.key = 'another';
    }
    answer();
    expect(await waiting).toBe('2 to 2');
    expect(await tell(readers)).toEqual({ texts: new Set(['3 to 3']), rendered: 2 });
  });

  it('are all told what ended the log, also who was not waiting then', async () => {
    const { readers, tell, tails } = await readersAtRest(3);
    await tell(readers);
    const [idle, ...waiting] = readers;
    const next = waiting.map(({ shown }) => shown.next());
    await settle();
    tails.close(new Error('the log is gone'));
    for (const pending of next) await expect(pending).rejects.toThrow('the log is gone');
    await expect(idle?.shown.next()).rejects.toThrow('the log is gone');
  });

  it('leave nothing behind when the last has left', async () => {
    const { readers, tell, tails, bus, renderings } = await readersAtRest(10);
    await tell(readers);
    const pending = readers.map(({ shown }) => shown.next());
    await settle();
    for (const { shown } of readers) await shown.return();
    for (const { done } of await Promise.all(pending)) expect(done).toBe(true);
    expect([tails.size, bus.listeners, vi.getTimerCount(), renderings.convoys]).toEqual([0, 0, 0, 0]);
  });
});

it('an update that cannot be shown ends those who wait for it, and no others', async () => {
  const { readers, tell, state, append } = await readersAtRest(3);
  await tell(readers);
  const [idle, ...waiting] = readers;
  const next = waiting.map(({ shown }) => shown.next());
  await settle();
  state.onRender = () => Promise.reject(new Error('no memory left'));
  append();
  for (const pending of next) await expect(pending).rejects.toThrow('no memory left');
  state.onRender = () => undefined;
  expect(await idle?.next()).toBe('2 to 2');
});
