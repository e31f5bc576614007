import { vi } from 'vitest';
import type { Bus } from '../../src/live/bus.js';
import { type FollowOptions, follow, type Update } from '../../src/live/follow.js';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { type Entry, type Log, type LogFamily, type ReadRange, TooManyBytes } from '../../src/live/log.js';
import { Tails, type TailsOptions } from '../../src/live/tails.js';

export interface Item extends Entry {
  readonly kind: string;
  readonly bytes: number;
}

/** Where a test makes a database slow: called before a statement sees the data, and again before its answer arrives. */
export type Pause = () => Promise<unknown>;

const atOnce: Pause = () => Promise.resolve();

/** The logs of a database in memory, which counts its statements and fails when told. */
export class MemoryFamily implements LogFamily {
  readonly logs = new Map<string, MemoryLog>();
  /** The keys of each statement. */
  readonly asked: (readonly string[])[] = [];
  failures = 0;
  pause = atOnce;

  log(key = 'log:1'): MemoryLog {
    const log = new MemoryLog(key, this);
    this.logs.set(key, log);
    return log;
  }

  async heads(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    this.asked.push(keys);
    await this.pause();
    if (this.failures-- > 0) throw new Error('the database is away');
    const heads = new Map(keys.map((key) => [key, this.logs.get(key)?.items.length ?? 0]));
    await this.pause();
    return heads;
  }
}

export class MemoryLog implements Log<Item, readonly string[]> {
  items: Item[] = [];
  readonly reads: ReadRange<readonly string[]>[] = [];
  failures = 0;
  failure: Error = new Error('the database is away');
  pause = atOnce;

  constructor(
    readonly key: string,
    readonly family: MemoryFamily,
  ) {}

  /** Commits entries without telling anyone. */
  commit(count = 1, kind = 'a', bytes = 100): void {
    for (let i = 0; i < count; i++) this.items.push({ number: this.items.length + 1, kind, bytes });
  }

  async read(range: ReadRange<readonly string[]>): Promise<readonly Item[]> {
    this.reads.push(range);
    await this.pause();
    if (this.failures-- > 0) throw this.failure;
    const { after, upTo, limit, filter, bytes = Number.POSITIVE_INFINITY } = range;
    const found = this.items
      .slice(after, upTo)
      .filter((item) => filter === undefined || this.matches(item, filter))
      .slice(0, limit);
    await this.pause();
    let sum = 0;
    const fits = found.findIndex((item) => {
      sum += item.bytes;
      return sum > bytes;
    });
    if (fits >= 0 && found.length > 1) throw new TooManyBytes(Math.max(1, fits));
    return found;
  }

  matches(item: Item, filter: readonly string[]): boolean {
    return filter.includes(item.kind);
  }

  sizeOf(item: Item): number {
    return item.bytes;
  }
}

/** One process, one log, and the faults that it reported. */
export function oneProcess(options: Partial<TailsOptions> & { readonly bus?: Bus } = {}) {
  const faults: string[] = [];
  const onError = (error: unknown, doing: string) => faults.push(`${doing}: ${String(error)}`);
  const inProcess = new InProcessBus(onError);
  const tails = new Tails({ bus: inProcess, onError, ...options });
  const family = new MemoryFamily();
  const log = family.log();
  const tell = (head = log.items.length) => inProcess.publish({ topics: [], log: log.key, head });
  return {
    bus: inProcess,
    tails,
    family,
    log,
    faults,
    tell,
    /** Commits and tells, as an action does. */
    append(count = 1, kind = 'a', bytes = 100): void {
      log.commit(count, kind, bytes);
      tell();
    },
    follow: (options: Partial<FollowOptions<readonly string[]>> = {}) =>
      follow(tails, log, { after: 0, ...options }),
  };
}

export type Stream = AsyncIterator<Update<Item>, undefined>;

/** The next update of a stream that must not have ended. */
export async function pull(stream: Stream): Promise<Update<Item>> {
  const { done, value } = await stream.next();
  if (done) throw new Error('Expected an update, got the end of the stream.');
  return value;
}

/** Pulls until the stream has come to `position`. */
export async function pullTo(stream: Stream, position: number): Promise<Update<Item>[]> {
  const updates: Update<Item>[] = [];
  while ((updates.at(-1)?.position ?? -1) < position) updates.push(await pull(stream));
  return updates;
}

export const numbers = (updates: readonly Update<Item>[]) =>
  updates.flatMap(({ entries }) => entries.map(({ number }) => number));

/** `from`, `from + 1` … `to`. */
export const span = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** Fakes the clock but not the event loop, so that promises go on by themselves. */
export function fakeClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
}

/** Lets everything happen that waits for no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether the promise is still pending once everything has happened that can. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const done = () => {
    pending = false;
  };
  promise.then(done, done);
  await settle();
  return pending;
}
