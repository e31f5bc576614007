import { invalidCursor } from '../errors.js';
import type { Bus } from './bus.js';
import { Heads } from './heads.js';
import type { Entry, Log, LogFamily } from './log.js';
import type { Bounds } from './page.js';
import { DEFAULT_PATIENCE, type Patience } from './persist.js';
import { Tail } from './tail.js';

export interface TailsOptions {
  readonly bus: Bus;
  /** Hears of every fault that is tried again: `doing` says what was tried, and names the log. Must not throw. */
  readonly onError: (error: unknown, doing: string) => void;
  /** What each open log keeps in memory. By default 256 entries and 1 MiB, whichever is reached first. */
  readonly ring?: Bounds;
  /** How long a lost hint may go unnoticed (P4). By default 5 s. */
  readonly recheckMs?: number | undefined;
  readonly patience?: Patience;
}

/** How far one who follows has come. */
type PositionOf = () => number;

/** One who follows holds the tail until it lets go. */
export interface Hold<E extends Entry> {
  readonly tail: Tail<E>;
  release(): void;
}

interface Open {
  readonly log: Log<Entry, unknown>;
  readonly tail: Tail<Entry>;
  readonly unsubscribe: () => void;
  readonly holders: Set<Holder>;
}

interface Holder {
  readonly positionOf: PositionOf | undefined;
}

/**
 * The logs that this process follows: one tail for each, opened by the first who follows it and closed by the last who leaves.
 * While any is open all their heads are read again every few seconds, with one statement for each family, and at once when the bus
 * was cut off: that bounds what a lost hint costs (P4).
 */
export class Tails {
  readonly patience: Patience;
  readonly onError: TailsOptions['onError'];
  readonly #bus: Bus;
  readonly #ring: Bounds;
  readonly #recheckMs: number;
  readonly #open = new Map<string, Open>();
  readonly #heads = new WeakMap<LogFamily, Heads>();
  /** Stops the timer and leaves the bus; set while a tail is open. */
  #stopWatching: (() => void) | undefined;
  #replays = 0;

  constructor({ bus, onError, ring, recheckMs, patience }: TailsOptions) {
    this.#bus = bus;
    this.onError = onError;
    this.#ring = ring ?? { entries: 256, bytes: 1024 * 1024 };
    this.#recheckMs = recheckMs ?? 5_000;
    this.patience = patience ?? DEFAULT_PATIENCE;
  }

  /** How many logs are open. */
  get size(): number {
    return this.#open.size;
  }

  /** How many follow. */
  get followers(): number {
    let followers = 0;
    for (const { holders } of this.#open.values()) {
      for (const { positionOf } of holders) if (positionOf !== undefined) followers += 1;
    }
    return followers;
  }

  /** How many entries the slowest of them has still before it. */
  get lag(): number {
    let lag = 0;
    for (const { tail, holders } of this.#open.values()) {
      for (const { positionOf } of holders) lag = Math.max(lag, tail.told - (positionOf?.() ?? tail.told));
    }
    return lag;
  }

  /** How often somebody was so far behind that it read the log by itself. */
  get replays(): number {
    return this.#replays;
  }

  countReplay(): void {
    this.#replays += 1;
  }

  /** How many entries and bytes the rings hold. */
  get held(): Bounds {
    const held = { entries: 0, bytes: 0 };
    for (const { tail } of this.#open.values()) {
      held.entries += tail.end - tail.start;
      held.bytes += tail.bytes;
    }
    return held;
  }

  /**
   * Listens on the bus from here on, so that a head read afterwards misses nothing. Whoever reads for others, who are counted
   * themselves, has no position of its own.
   */
  hold<E extends Entry, F>(log: Log<E, F>, positionOf?: PositionOf): Hold<E> {
    const open = this.#open.get(log.key) ?? this.#openTail(log);
    const holder: Holder = { positionOf };
    open.holders.add(holder);
    return {
      tail: sameKey<E>(open.tail),
      release: () => {
        if (open.holders.delete(holder) && open.holders.size === 0) this.#close(open);
      },
    };
  }

  /** The log's head as the database has it now (P2: never a cached one). */
  async head(log: { readonly key: string; readonly family: LogFamily }): Promise<number> {
    return (await this.#headsOf(log.family).read([log.key])).get(log.key) ?? 0;
  }

  /** Reads the heads of all open logs. Faults are reported, and the next round tries again. */
  async recheck(): Promise<void> {
    const families = new Map<LogFamily, Open[]>();
    for (const open of this.#open.values()) {
      const logs = families.get(open.log.family);
      if (logs === undefined) families.set(open.log.family, [open]);
      else logs.push(open);
    }
    await Promise.all([...families].map(([family, logs]) => this.#recheckFamily(family, logs)));
  }

  /** Ends all who follow, with `error`. */
  close(error: unknown): void {
    for (const open of [...this.#open.values()]) this.#break(open, error);
  }

  #openTail<E extends Entry, F>(log: Log<E, F>): Open {
    const { onError, patience } = this;
    const tail = new Tail<Entry>(log, { ring: this.#ring, patience, onError });
    const unsubscribe = this.#bus.subscribe(log.key, (hint) => {
      if (hint.log === log.key) tail.hint(hint.head);
    });
    const open = { log, tail, unsubscribe, holders: new Set<Holder>() };
    this.#open.set(log.key, open);
    this.#stopWatching ??= this.#watch();
    return open;
  }

  #close(open: Open): void {
    open.unsubscribe();
    open.tail.close();
    // A broken tail has gone already, and another may have its place.
    if (this.#open.get(open.log.key) === open) this.#open.delete(open.log.key);
    if (this.#open.size > 0) return;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  #break(open: Open, error: unknown): void {
    this.#close(open);
    open.tail.break(error);
  }

  #watch(): () => void {
    let busy = false;
    const round = async () => {
      if (busy) return;
      busy = true;
      await this.recheck();
      busy = false;
    };
    const timer = setInterval(() => void round(), this.#recheckMs);
    // Not a round: the statement of one under way may be older than the reconnect.
    const leave = this.#bus.onReconnect(() => void this.recheck());
    return () => {
      clearInterval(timer);
      leave();
    };
  }

  async #recheckFamily(family: LogFamily, logs: readonly Open[]): Promise<void> {
    const seen = logs.map(({ tail }) => tail.certain);
    let heads: ReadonlyMap<string, number>;
    try {
      heads = await this.#headsOf(family).read(logs.map(({ log }) => log.key));
    } catch (error) {
      this.onError(error, `reading the heads of ${logs.length} logs again`);
      return;
    }
    logs.forEach((open, index) => {
      this.#compare(open, heads.get(open.log.key) ?? 0, seen[index] ?? 0);
    });
  }

  /** A head below what was seen before the question: the database was set back, and what was sent is no longer true. */
  #compare(open: Open, head: number, seen: number): void {
    if (head >= seen) open.tail.confirm(head);
    else this.#break(open, setBack(seen, head));
  }

  #headsOf(family: LogFamily): Heads {
    const heads = this.#heads.get(family) ?? new Heads(family);
    this.#heads.set(family, heads);
    return heads;
  }
}

function setBack(seen: number, head: number): Error {
  return invalidCursor(
    'AHEAD',
    `Expected the log to go on from entry ${seen}, but it now ends at entry ${head}. Read it again without a cursor.`,
  );
}

/** The key names the log, and so the kind of its entries: whoever opened this tail gave a log of the same key. */
function sameKey<E extends Entry>(tail: Tail<Entry>): Tail<E> {
  return tail as unknown as Tail<E>;
}
