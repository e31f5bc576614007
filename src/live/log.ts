/** What every log is made of. Numbers are 1, 2, 3 … without holes, and commit order is number order (P1). */
export interface Entry {
  readonly number: number;
}

/** The stretch of a log that is read: entries with `after < number <= upTo`, those that match, at most `limit`. */
export interface ReadRange<F> {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  /** Absent: every entry. */
  readonly filter?: F;
  /**
   * A log whose entries may be large does not read several that hold more bytes: it throws `TooManyBytes`. One is read whatever it
   * holds.
   */
  readonly bytes?: number;
}

/** The entries of a range hold more bytes than were to be read at once. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';

  /** `fits`: how many of them, from the first and at least one, may be read at once. */
  constructor(readonly fits: number) {
    super(`Only ${fits} of the entries may be read at once.`);
  }
}

/**
 * Entries that are only ever added, each committed before the next one has its number (P1).
 *
 * One log is read for all who follow it, so it knows no viewer: access is checked before a log is followed, and again by whoever
 * holds the stream. `E` is the entry, `F` what a follower may filter by.
 */
export interface Log<E extends Entry, F> {
  /** Names the log in this process and on the bus: two logs of one key are the same log. */
  readonly key: string;
  readonly family: LogFamily;

  /**
   * The entries of a range, ascending, as the database has them when it is asked. Fewer than `limit` means that the range holds
   * no more. A rejection counts as a passing fault and is tried again; a DomainError does not and ends the stream.
   */
  read(range: ReadRange<F>): Promise<readonly E[]>;

  /** The rule of `read`'s filter, in memory. Called for each live entry and follower: no more than a look-up. */
  matches(entry: E, filter: F): boolean;

  /** About how many bytes the entry holds, for the bounds of rings and updates. Called often: a number kept, not one measured. */
  sizeOf(entry: E): number;
}

/** All logs of one kind: one object for the life of the process, so that their heads are read together. */
export interface LogFamily {
  /**
   * The last number of each of these logs, by key, in one statement; 0, or nothing at all, for a log without entries. It is read
   * from the database after the call, never remembered: cursors are judged by it (P2).
   */
  heads(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
