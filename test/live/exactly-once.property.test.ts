import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FollowOptions, Update } from '../../src/live/follow.js';
import type { Pulled } from '../../src/live/pulled.js';
import { Renderings } from '../../src/live/renderings.js';
import { Shown } from '../../src/live/shown.js';
import { type Item, oneProcess, type Stream, settle } from './memory-log.js';

/** What can happen. `reader` is one of three; hints are told now, twice, later in any order, wrongly or never. */
type Act =
  | {
      readonly type: 'commit';
      readonly kinds: readonly string[];
      readonly hint: 'now' | 'twice' | 'late' | 'lost';
    }
  | { readonly type: 'tell'; readonly which: number }
  | { readonly type: 'lie'; readonly by: number }
  | { readonly type: 'pull' | 'cut'; readonly reader: number }
  | { readonly type: 'fail'; readonly count: number }
  | { readonly type: 'answer'; readonly count: number }
  | { readonly type: 'recheck' };

type Options = Pick<FollowOptions<readonly string[]>, 'limit' | 'filter'>;

const END = 'end';
const reader = fc.nat(2);
const kind = fc.constantFrom('a', 'b', 'c');
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('pull'), reader }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('answer'), count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('commit'),
      kinds: fc.array(kind, { minLength: 1, maxLength: 7 }),
      hint: fc.constantFrom('now', 'twice', 'late', 'lost'),
    }),
  },
  fc.record({ type: fc.constant('tell'), which: fc.nat() }),
  fc.record({ type: fc.constant('lie'), by: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('cut'), reader }),
  fc.record({ type: fc.constant('fail'), count: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ type: fc.constant('recheck') }),
) as fc.Arbitrary<Act>;
const options: fc.Arbitrary<Options> = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  filter: fc
    .option(fc.uniqueArray(kind, { maxLength: 2 }), { nil: undefined })
    .map((kinds) => kinds && [...kinds, END]),
});

/** Follows, and takes up again where it was cut. */
class Reader {
  readonly updates: Update<Item>[] = [];
  readonly #open: (after: number) => Stream;
  #stream: Stream;
  #onEnd = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#onEnd = resolve;
  });

  constructor(open: (after: number) => Stream) {
    this.#open = open;
    this.#stream = open(0);
  }

  get position(): number {
    return this.updates.at(-1)?.position ?? 0;
  }

  get seen(): number[] {
    return this.updates.flatMap(({ entries }) => entries.map(({ number }) => number));
  }

  async pull(): Promise<void> {
    const { done, value } = await this.#stream.next();
    if (done) return;
    this.updates.push(value);
    if (value.entries.some(({ kind }) => kind === END)) this.#onEnd();
  }

  /** Pulls until the last entry has come, by a pull of this or by one that was pending already. */
  async drain(): Promise<void> {
    let ended = false;
    const end = this.#ended.then(() => {
      ended = true;
    });
    while (!ended) await Promise.race([end, this.pull()]);
  }

  async cut(): Promise<void> {
    await this.#stream.return?.();
    // What was given before the cut has to arrive before its position is used.
    await settle();
    this.#stream = this.#open(this.position);
  }

  async leave(): Promise<void> {
    await this.#stream.return?.();
  }
}

/** What readers of one view are shown of their streams. */
class OneView {
  readonly #renderings = new Renderings();

  constructor(private readonly pause: () => Promise<unknown>) {}

  show(stream: Pulled<Update<Item>>): Stream {
    const render = async (update: Update<Item>) => {
      await this.pause();
      return { body: Buffer.from(JSON.stringify(update)), isLasting: true };
    };
    const shown = new Shown(this.#renderings, stream, { key: 'view', render });
    return {
      next: async () => {
        const { done, value } = await shown.next();
        return done ? { done, value: undefined } : { done: false, value: JSON.parse(String(value)) };
      },
      return: () => shown.return() as Promise<IteratorResult<Update<Item>, undefined>>,
    };
  }
}

it.each(['each by itself', 'all of one view'])(
  'gives each reader each entry that matches once and in order, whatever is committed, hinted, lost, slow, cut or failing: %s',
  async (how) => {
    const world = fc.record({
      acts: fc.array(act, { maxLength: 80, size: 'max' }),
      readers: fc.array(options, { minLength: 3, maxLength: 3 }),
      ring: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(world, fc.scheduler(), async ({ acts, readers: options, ring }, scheduler) => {
        const process = oneProcess({
          ring: { entries: ring, bytes: 1_000 },
          patience: { attempts: 100, firstMs: 0, maxMs: 0 },
          recheckMs: 2 ** 30,
        });
        const { log, family, tails, tell, bus } = process;
        const pause = () => scheduler.schedule(Promise.resolve());
        log.pause = pause;
        family.pause = pause;
        const isOneView = how === 'all of one view';
        const view = new OneView(pause);
        const all = isOneView ? options.map(() => options[0]) : options;
        const readers = all.map((options) => {
          const open = (after: number) => process.follow({ ...options, after });
          return new Reader(isOneView ? (after) => view.show(open(after)) : open);
        });
        const late: number[] = [];
        const pulls: Promise<void>[] = [];

        const perform = async (act: Act): Promise<unknown> => {
          switch (act.type) {
            case 'commit':
              for (const kind of act.kinds) log.commit(1, kind);
              if (act.hint === 'late') late.push(log.items.length);
              if (act.hint === 'now' || act.hint === 'twice') tell();
              return act.hint === 'twice' && tell();
            case 'tell':
              return late.length > 0 && tell(late[act.which % late.length]);
            case 'lie':
              return tell(log.items.length + act.by);
            case 'pull':
              return pulls.push(readers[act.reader]?.pull() ?? Promise.resolve());
            case 'cut':
              return readers[act.reader]?.cut();
            case 'fail':
              log.failures = act.count;
              family.failures = act.count - 1;
              return undefined;
            case 'answer':
              for (let i = 0; i < act.count && scheduler.count() > 0; i++) await scheduler.waitOne();
              return undefined;
            case 'recheck':
              return pulls.push(tails.recheck());
            default:
              return act satisfies never;
          }
        };
        for (const act of acts) await perform(act);

        log.commit(1, END);
        // The last re-check has to work: hints may have been lost, and no timer makes another.
        family.failures = 0;
        log.pause = () => Promise.resolve();
        family.pause = log.pause;
        const drained = Promise.all(readers.map((reader) => reader.drain()));
        await scheduler.waitFor(Promise.all([tails.recheck(), drained]));

        readers.forEach(({ seen, updates }, index) => {
          const { filter, limit = 0 } = all[index] ?? {};
          const wanted = log.items.filter((item) => filter === undefined || log.matches(item, filter));
          expect(seen).toEqual(wanted.map(({ number }) => number));
          let before = 0;
          for (const { entries, position, head, caughtUp } of updates) {
            expect(entries.length).toBeLessThanOrEqual(limit);
            expect(position).toBeGreaterThanOrEqual(Math.max(before, entries.at(-1)?.number ?? 0));
            expect(caughtUp).toBe(position === head);
            before = position;
          }
        });

        await Promise.all(readers.map((reader) => reader.leave()));
        await scheduler.waitFor(Promise.all(pulls));
        expect([tails.size, bus.listeners]).toEqual([0, 0]);
      }),
      { numRuns: 300, timeout: 10_000 },
    );
  },
);
