import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Update } from '../../src/live/follow.js';
import type { Pulled } from '../../src/live/pulled.js';
import { Renderings, type View } from '../../src/live/renderings.js';
import { Shown } from '../../src/live/shown.js';
import { fakeClock, type Item, oneProcess, settle } from './memory-log.js';

beforeEach(fakeClock);
afterEach(() => vi.useRealTimers());

/** A process whose streams are shown as the numbers of their entries; `slow` renderings wait until they are let go. */
function oneProcessThatShows(options: ConstructorParameters<typeof Renderings>[0] = {}) {
  const process = oneProcess();
  const renderings = new Renderings(options);
  const rendered: string[] = [];
  const held: (() => void)[] = [];
  const state = { isSlow: false, isLasting: true, failure: undefined as Error | undefined };
  const view = (key: string | undefined): View<Update<Item>> => ({
    key,
    render: async ({ entries, position }) => {
      const text = `${entries.map(({ number }) => number).join(' ')} up to ${position}`;
      rendered.push(`${key}: ${text}`);
      if (state.isSlow) await new Promise<void>((resolve) => held.push(resolve));
      if (state.failure) throw state.failure;
      return { body: Buffer.from(text), isLasting: state.isLasting };
    },
  });
  return {
    ...process,
    renderings,
    rendered,
    state,
    letGo: () => held.splice(0).forEach((go) => void go()),
    show: (key: string | undefined, after = 0, limit = 200) =>
      new Shown(renderings, process.follow({ after, limit }), view(key)),
  };
}

const textOf = async (stream: Pulled<Buffer>): Promise<string | undefined> =>
  (await stream.next()).value?.toString();
const texts = (streams: readonly Pulled<Buffer>[]) => Promise.all(streams.map(textOf));

describe('what many see of a log', () => {
  it('is rendered once for all of a view, and once for each other view (P6)', async () => {
    const { show, append, rendered, renderings } = oneProcessThatShows();
    const streams = Array.from({ length: 100 }, (_, index) => show(`view ${index % 2}`));
    await texts(streams);
    for (let news = 1; news <= 3; news++) {
      rendered.length = 0;
      const next = texts(streams);
      await settle();
      append();
      expect(new Set(await next)).toEqual(new Set([`${news} up to ${news}`]));
      expect(rendered.sort()).toEqual([`view 0: ${news} up to ${news}`, `view 1: ${news} up to ${news}`]);
    }
    expect(renderings.counts.made + renderings.counts.shared).toBe(400);
    await Promise.all(streams.map((stream) => stream.return()));
  });

  it('is rendered for each who shares with nobody, and kept for none who is alone', async () => {
    const { show, append, rendered, renderings } = oneProcessThatShows();
    append(3);
    expect(await texts([show(undefined), show(undefined), show('alone')])).toEqual(
      Array(3).fill('1 2 3 up to 3'),
    );
    expect(rendered).toHaveLength(3);
    expect(renderings.bytes).toBe(0);
  });

  it('is shown to a crowd that comes back to the same place, page by page, rendered once', async () => {
    const { show, append, rendered } = oneProcessThatShows();
    append(30);
    const crowd = Array.from({ length: 50 }, () => show('crowd', 5, 10));
    for (const page of ['6 7 8 9 10 11 12 13 14 15 up to 15', '16 17 18 19 20 21 22 23 24 25 up to 25']) {
      expect(new Set(await texts(crowd))).toEqual(new Set([page]));
    }
    expect(rendered).toHaveLength(2);
  });

  it('differs by where a reader stands', async () => {
    const { show, append } = oneProcessThatShows();
    append(4);
    expect(await texts([show('v', 1), show('v', 2), show('v', 1)])).toEqual([
      '2 3 4 up to 4',
      '3 4 up to 4',
      '2 3 4 up to 4',
    ]);
  });
});

describe('a rendering', () => {
  it('that failed in part is given to those who wait, and made again for who comes later', async () => {
    const { show, append, rendered, state } = oneProcessThatShows();
    append();
    state.isLasting = false;
    await texts([show('v'), show('v')]);
    expect(rendered).toHaveLength(1);
    await textOf(show('v'));
    expect(rendered).toHaveLength(2);
  });

  it('that cannot be made ends the streams that wait for it, and no others', async () => {
    const { show, append, state } = oneProcessThatShows();
    append();
    const streams = [show('v'), show('v')];
    state.failure = new Error('no memory left');
    await Promise.all(streams.map((stream) => expect(stream.next()).rejects.toThrow('no memory left')));
    expect((await streams[0]?.next())?.done).toBe(true);
    state.failure = undefined;
    expect(await textOf(show('v'))).toBe('1 up to 1');
  });

  it('that a reader does not wait for any more reaches the others', async () => {
    const { show, append, state, letGo } = oneProcessThatShows();
    append();
    state.isSlow = true;
    const [leaving, staying] = [show('v'), show('v')];
    const results = [leaving.next(), textOf(staying)] as const;
    await settle();
    await leaving.return();
    expect((await results[0]).done).toBe(true);
    letGo();
    expect(await results[1]).toBe('1 up to 1');
  });
});

describe('readers', () => {
  it('are asked for no more than they take, and get it in order', async () => {
    const { show, append, state, rendered, letGo } = oneProcessThatShows();
    append(20);
    state.isSlow = true;
    const stream = show('v', 0, 5);
    const next = [textOf(stream), textOf(stream), textOf(stream)];
    for (let page = 0; page < 3; page++) {
      await settle();
      expect(rendered).toHaveLength(page + 1);
      letGo();
    }
    expect(await Promise.all(next)).toEqual([
      '1 2 3 4 5 up to 5',
      '6 7 8 9 10 up to 10',
      '11 12 13 14 15 up to 15',
    ]);
    await settle();
    expect(rendered).toHaveLength(3);
  });

  it('leave nothing behind but what is kept, within its bound', async () => {
    const { show, append, renderings, bus } = oneProcessThatShows({ keptBytes: 1_000 });
    const streams = [show('v'), show('v')];
    await texts(streams);
    for (let news = 1; news <= 200; news++) {
      append();
      await texts(streams);
      expect(renderings.bytes).toBeLessThanOrEqual(1_000);
    }
    await Promise.all(streams.map((stream) => stream.return()));
    expect(bus.listeners).toBe(0);
    await textOf(show('v', 200));
    expect(renderings.counts.made).toBe(202);
  });
});
