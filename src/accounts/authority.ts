import type { Database } from '../database/database.js';
import { DomainError } from '../errors.js';
import type { Bus } from '../live/bus.js';
import { endingOf, findStandings, planRefusal, type Standing, toViewer } from './standing.js';
import type { Viewer } from './viewer.js';

/** The topic of changes of access: hints, after the commit, that some credential may say less or more than it did (P4). */
const ACCESS = 'access';

/** Tells every process that access was taken, given or changed. */
export const announceAccess = (bus: Bus): void => bus.publish({ log: ACCESS, head: 0, topics: [] });

/** Who has something open that a credential answers for. Neither may throw. */
export interface Watcher {
  /** What the credential speaks for has changed: a role, an organisation. */
  changed?(viewer: Viewer): void;
  /** It speaks for nobody any more, and why. The last that is heard. */
  ended(reason: DomainError): void;
}

export interface AuthorityOptions {
  /** From one look to the next, in ms, while anything is open. */
  readonly pace: number;
  readonly onUse: (credentialId: string) => void;
  readonly onError: (error: unknown, doing: string) => void;
}

/** At least so long, in ms, from one look that a hint asked for to the next. */
const HINT_PACE = 1_000;

interface Watched {
  readonly watcher: Watcher;
  /** What it goes by. */
  viewer: Viewer;
  /** The first look that may judge it: an earlier one may know less than its viewer does. */
  readonly from: number;
}

interface Watches {
  readonly all: Set<Watched>;
  /** When it expires, by this process's clock; found out by the first look. */
  endsAt: number;
}

/**
 * Whether credentials with something open still say what they said (P9). One statement a second asks for all of them, however many
 * streams each has; a hint brings a look forward, once a second at most, and a lost hint costs a second. An expiry is kept by a timer, one
 * for all. While nothing is open there is no timer, no listener and no statement.
 */
export class Authority {
  readonly #database: Database;
  readonly #bus: Bus;
  readonly #options: AuthorityOptions;
  /** By credential. */
  readonly #watches = new Map<string, Watches>();
  #look = 0;
  #isLooking = false;
  #nextLook = 0;
  #lastHint = Number.NEGATIVE_INFINITY;
  #earliestEnd = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #leaveBus: (() => void) | undefined;

  constructor(database: Database, bus: Bus, options: AuthorityOptions) {
    this.#database = database;
    this.#bus = bus;
    this.#options = options;
  }

  /** How many watch. */
  get size(): number {
    let size = 0;
    for (const { all } of this.#watches.values()) size += all.size;
    return size;
  }

  /**
   * Who the credential speaks for now, by one look-up.
   * @throws UNAUTHENTICATED, PLAN_UPGRADE_REQUIRED
   */
  async viewerOf(credentialId: string): Promise<Viewer> {
    const [standing] = await findStandings(this.#database, [credentialId]);
    const refusal = refusalOf(standing);
    if (refusal !== undefined) throw refusal;
    if (standing === undefined) throw new Error('A credential that is in force is not there (authority-1).');
    if (standing.unseen) this.#options.onUse(credentialId);
    return toViewer(standing);
  }

  /** Watches over what a viewer has open, until the returned function is called or it has ended. */
  watch(viewer: Viewer, watcher: Watcher): () => void {
    const id = viewer.credentialId;
    const watches = this.#watches.get(id) ?? { all: new Set(), endsAt: Number.POSITIVE_INFINITY };
    const watched = { watcher, viewer, from: this.#look + 1 };
    watches.all.add(watched);
    this.#watches.set(id, watches);
    if (this.#leaveBus === undefined) this.#begin();
    return () => {
      watches.all.delete(watched);
      if (watches.all.size > 0) return;
      // One that has ended is gone already, and another may have its place.
      if (this.#watches.get(id) === watches) this.#watches.delete(id);
      if (this.#watches.size === 0) this.close();
    };
  }

  /** Watches no more, and tells nobody. */
  close(): void {
    this.#watches.clear();
    clearTimeout(this.#timer);
    this.#leaveBus?.();
    this.#leaveBus = undefined;
  }

  #begin(): void {
    this.#leaveBus = this.#bus.subscribe(ACCESS, () => this.#onHint());
    this.#nextLook = performance.now() + this.#options.pace;
    this.#earliestEnd = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** Looks at once, or a second after the last hint that it looked for. */
  #onHint(): void {
    const due = Math.max(performance.now(), this.#lastHint + HINT_PACE);
    if (due >= this.#nextLook) return;
    this.#lastHint = due;
    this.#nextLook = due;
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#watches.size === 0) return;
    const due = this.#isLooking ? this.#earliestEnd : Math.min(this.#nextLook, this.#earliestEnd);
    if (due === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(0, due - performance.now()), MAX_TIMEOUT);
    this.#timer = setTimeout(() => void this.#onTime(), wait);
  }

  async #onTime(): Promise<void> {
    const now = performance.now();
    if (now >= this.#earliestEnd) this.#expire(now);
    if (now >= this.#nextLook && !this.#isLooking) await this.#lookAgain();
    this.#arm();
  }

  /** No statement: the last look has said when. */
  #expire(now: number): void {
    this.#earliestEnd = Number.POSITIVE_INFINITY;
    for (const [id, { endsAt }] of [...this.#watches]) {
      if (endsAt <= now) this.#end(id, ENDED.expired());
      else this.#earliestEnd = Math.min(this.#earliestEnd, endsAt);
    }
  }

  async #lookAgain(): Promise<void> {
    this.#look += 1;
    this.#nextLook = performance.now() + this.#options.pace;
    this.#isLooking = true;
    // Expiries do not wait for an answer.
    this.#arm();
    const ids = [...this.#watches.keys()];
    try {
      const found = await findStandings(this.#database, ids);
      this.#judge(ids, new Map(found.map((standing) => [standing.credentialId, standing])));
    } catch (error) {
      this.#options.onError(error, `asking whether ${ids.length} credentials are in force`);
    } finally {
      this.#isLooking = false;
    }
  }

  #judge(ids: readonly string[], standings: ReadonlyMap<string, Standing>): void {
    for (const id of ids) {
      const standing = standings.get(id);
      const refusal = refusalOf(standing);
      if (refusal !== undefined) this.#end(id, refusal);
      else if (standing !== undefined) this.#goOn(id, standing);
    }
  }

  #goOn(id: string, standing: Standing): void {
    const watches = this.#watches.get(id);
    if (watches === undefined) return;
    const { left } = standing;
    watches.endsAt = left === null ? Number.POSITIVE_INFINITY : performance.now() + left;
    this.#earliestEnd = Math.min(this.#earliestEnd, watches.endsAt);
    const viewer = toViewer(standing);
    for (const watched of [...watches.all]) {
      if (watched.from > this.#look || saysTheSame(watched.viewer, viewer)) continue;
      watched.viewer = viewer;
      watched.watcher.changed?.(viewer);
    }
  }

  #end(id: string, reason: DomainError): void {
    const watches = this.#watches.get(id);
    if (watches === undefined) return;
    this.#watches.delete(id);
    for (const { watcher } of [...watches.all]) watcher.ended(reason);
    if (this.#watches.size === 0) this.close();
  }
}

/** The longest that setTimeout waits, in ms. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** What else a viewer has never changes. */
const saysTheSame = (one: Viewer, other: Viewer): boolean =>
  one.organizationId === other.organizationId && one.role === other.role;

const ended = (how: string) => () =>
  new DomainError(
    'UNAUTHENTICATED',
    `The credential ${how}. Come back with another one, and go on from the last checkpoint.`,
  );

const ENDED = { expired: ended('has expired'), revoked: ended('has been revoked') };

function refusalOf(standing: Standing | undefined): DomainError | undefined {
  // Credentials are never deleted; one that is gone with its database is as good as revoked.
  if (standing === undefined) return ENDED.revoked();
  const ending = endingOf(standing);
  return ending === undefined ? planRefusal(standing) : ENDED[ending]();
}
