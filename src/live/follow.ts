import { invalidCursor } from '../errors.js';
import type { Entry, Log } from './log.js';
import { type Bounds, Pages } from './page.js';
import { persist } from './persist.js';
import { Pulled } from './pulled.js';
import type { Tail, Waiter } from './tail.js';
import type { Hold, Tails } from './tails.js';

/** Bytes of an update's entries; a larger entry comes alone. */
const UPDATE_BYTES = 1024 * 1024;

/** The next stretch of a log. */
export interface Update<E> {
  /** Ascending, at most `limit`; empty if only the position has moved, or nothing was there to replay. */
  readonly entries: readonly E[];
  /** Where the update before it ended, or the stream began. */
  readonly from: number;
  /** How far the log was read, filtered or not: where to resume (P2). */
  readonly position: number;
  /** The head as it was known when this was read. */
  readonly head: number;
  /** `position` reaches `head`. After an update that says false another one follows at once, even an empty one. */
  readonly caughtUp: boolean;
}

export interface FollowOptions<F> {
  /** A number from the log, or 0 for all of it. */
  readonly after: number;
  readonly filter?: F | undefined;
  /** Entries of an update. By default 200. */
  readonly limit?: number;
  /** How often, at most, an update says no more than that others' entries went by. By default 30 s. */
  readonly quietUpdateMs?: number;
  /** Aborting ends the stream as `return()` does. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gives what came after a position, then what comes: each entry that matches once, in order (P2). The follower is a position,
 * not a queue (P5): nothing is read before it is pulled for, so one that is never pulled holds nothing, and a slow one only falls
 * behind. The first update comes at once.
 *
 * A pull rejects, and the stream ends, with INVALID_CURSOR (AHEAD) if the position is not in the log, judged by the database at
 * the first pull, or with the fault of a read once `tails.patience` is used up; whoever resumes from the last position loses
 * nothing. After `return()`, `throw()` or an abort, pending pulls are done, and no timer or listener is left.
 */
export function follow<E extends Entry, F>(
  tails: Tails,
  log: Log<E, F>,
  options: FollowOptions<F>,
): Pulled<Update<E>> {
  return new Follower(tails, log, options);
}

/** One who follows by itself, or moves on with what another was given of the same log. */
export class Follower<E extends Entry, F> extends Pulled<Update<E>> {
  /** What is followed. */
  readonly key: string;
  readonly #tails: Tails;
  readonly #log: Log<E, F>;
  readonly #filter: F | undefined;
  readonly #wanted: ((entry: E) => boolean) | undefined;
  readonly #bounds: Bounds;
  readonly #pages: Pages<E, F>;
  readonly #quietUpdateMs: number;
  readonly #waiter: Waiter = { wake: () => this.#resume(), fail: (error) => this.fail(error) };
  readonly #leave = () => this.#hold?.tail.leave(this.#waiter);
  #hold: Hold<E> | undefined;
  #position: number;
  /** The head that the first pull read from the database. */
  #firstHead = 0;
  /** Gives up what the next step waits for: a read, or news. Absent while it waits for nothing. */
  #cancel: (() => void) | undefined;
  /** What the reader was told last: nothing yet, that more is to come, or that this was all. And where that was. */
  #said: 'nothing' | 'behind' | 'caughtUp' = 'nothing';
  #saidPosition: number;
  /** Runs while a pull is pending and the position has moved in silence. */
  #quiet: NodeJS.Timeout | undefined;

  constructor(tails: Tails, log: Log<E, F>, options: FollowOptions<F>) {
    super(options.signal);
    this.key = log.key;
    const { after, filter, limit = 200, quietUpdateMs = 30_000 } = options;
    this.#tails = tails;
    this.#log = log;
    this.#filter = filter;
    this.#wanted = filter === undefined ? undefined : (entry) => log.matches(entry, filter);
    this.#bounds = { entries: limit, bytes: UPDATE_BYTES };
    this.#pages = new Pages(log, this.#bounds);
    this.#quietUpdateMs = quietUpdateMs;
    this.#position = after;
    this.#saidPosition = after;
  }

  /** How far its reader has been told. */
  get position(): number {
    return this.#saidPosition;
  }

  /** Its reader has been told all that was there, and nothing is under way. */
  get rests(): boolean {
    return (
      this.#said === 'caughtUp' &&
      this.#position === this.#saidPosition &&
      this.#cancel === undefined &&
      this.#hold?.tail.isBroken === false
    );
  }

  /** Another one, where this one rests, to read for this one and others. */
  branch(): Follower<E, F> {
    const branch = new Follower(this.#tails, this.#log, {
      after: this.#position,
      filter: this.#filter,
      limit: this.#bounds.entries,
      quietUpdateMs: this.#quietUpdateMs,
    });
    branch.#hold = this.#tails.hold(this.#log);
    branch.#firstHead = this.#firstHead;
    branch.#said = 'caughtUp';
    return branch;
  }

  /** Its reader was given this update, which begins where this one rests, by another. */
  moveOn({ position, caughtUp }: Update<unknown>): void {
    this.#position = position;
    this.#saidPosition = position;
    this.#said = caughtUp ? 'caughtUp' : 'behind';
  }

  protected onPull(): void {
    this.#run();
  }

  protected onEnd(): void {
    this.#cancel?.();
    clearTimeout(this.#quiet);
    this.#hold?.release();
    this.#hold = undefined;
  }

  /** Goes on until everyone who pulled has an update, or something has to come first. */
  #run(): void {
    try {
      while (this.wanted && this.#cancel === undefined) this.#step();
    } catch (error) {
      this.fail(error);
    }
  }

  #resume(): void {
    this.#cancel = undefined;
    this.#run();
  }

  #step(): void {
    const tail = this.#hold?.tail;
    tail?.check();
    if (tail === undefined) this.#open();
    else if (this.#position < tail.start) this.#readLog(tail);
    else this.#takeOrWait(tail);
  }

  #takeOrWait(tail: Tail<E>): void {
    const { entries, position } = tail.take(this.#position, this.#bounds, this.#wanted);
    this.#position = position;
    // With nothing to show, all that was heard of has to be read before one may call it caught up.
    const head = entries.length > 0 ? Math.max(tail.asOf, this.#firstHead) : tail.told;
    if (!this.#offer(entries, head)) this.#wait(tail);
  }

  /** On the bus first, then the head: what is committed in between is hinted at. */
  #open(): void {
    this.#hold = this.#tails.hold(this.#log, () => this.#saidPosition);
    const { tail } = this.#hold;
    const begin = (head: number) => {
      // Written so that NaN is refused too.
      if (!(this.#position <= head)) throw ahead(this.#position, head);
      this.#firstHead = head;
      tail.confirm(head);
      if (this.#position === head) this.#offer([], head);
    };
    this.#await(() => this.#tails.head(this.#log), begin);
  }

  /** Only up to where the log is certain to reach: the end of a filtered page counts as read, whatever was there. */
  #readLog(tail: Tail<E>): void {
    const { certain, told } = tail;
    this.#tails.countReplay();
    const range = { after: this.#position, upTo: certain, certain, filter: this.#filter };
    this.#await(
      () => this.#pages.read(range),
      ({ entries, ended }) => {
        this.#position = ended ? certain : (entries.at(-1)?.number ?? this.#position);
        this.#offer(entries, told);
      },
    );
  }

  #await<T>(read: () => Promise<T>, use: (value: T) => void): void {
    this.#cancel = persist(read, this.#tails.patience, {
      done: (value) => {
        this.#cancel = undefined;
        use(value);
        this.#run();
      },
      failed: (error) => this.fail(error),
      faulted: (error) => this.#tails.onError(error, `reading log ${this.#log.key}`),
    });
  }

  #wait(tail: Tail<E>): void {
    tail.wait(this.#position, this.#waiter);
    this.#cancel = this.#leave;
    if (this.#position === this.#saidPosition) return;
    this.#quiet ??= setTimeout(() => this.#breakSilence(tail), this.#quietUpdateMs);
  }

  /** Tells the position, whatever is being waited for: a read given up here is made again for the next pull. */
  #breakSilence(tail: Tail<E>): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#give([], tail.told);
    this.#run();
  }

  /** Gives an update if there is something to say. */
  #offer(entries: readonly E[], head: number): boolean {
    const news =
      this.#position < head
        ? this.#said === 'nothing' && this.#position > this.#saidPosition
        : this.#said !== 'caughtUp';
    if (entries.length === 0 && !news) return false;
    this.#give(entries, head);
    return true;
  }

  #give(entries: readonly E[], known: number): void {
    const position = this.#position;
    const head = Math.max(known, position);
    const caughtUp = position === head;
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    const from = this.#saidPosition;
    this.#said = caughtUp ? 'caughtUp' : 'behind';
    this.#saidPosition = position;
    this.give({ entries, from, position, head, caughtUp });
  }
}

/** The position is not in the log: another log's cursor, or the database was set back (P2). */
function ahead(position: number, head: number): Error {
  return invalidCursor(
    'AHEAD',
    `Expected a cursor within the log, which ends at entry ${head}, got one at entry ${position}. Read without a cursor, and go on from there.`,
  );
}
