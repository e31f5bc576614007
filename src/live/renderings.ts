import { LRUCache } from 'lru-cache';
import { Convoy } from './convoy.js';
import type { Follower, Update } from './follow.js';
import type { Entry } from './log.js';
import type { Waiting } from './pulled.js';

/** What a subscriber is sent for one update. */
export interface Rendering {
  readonly body: Buffer;
  /** Whoever comes later may be sent the same: nothing in it failed in a way that may pass. */
  readonly isLasting: boolean;
}

/** How the updates of one stream are shown, to one reader. */
export interface View<U> {
  /** Two of one key show the same for the same stretch of a log. Without one nothing is shared. It may change with `changes`. */
  readonly key: string | undefined;
  render(update: U): Promise<Rendering>;
  /** Counts how often the reader has become another: what was rendered for the one before is not shown to it. */
  readonly changes?: number;
  /** What has to be known before anything more is shown; undefined if nothing has. */
  settled?(): Promise<void> | undefined;
  /** The stream has ended. Called once. */
  closed?(): void;
}

export interface RenderingsOptions {
  /** Bytes of what is kept for those who read the same stretch a little later. By default 32 MiB. */
  readonly keptBytes?: number;
}

/**
 * Renders updates, each once for all in this process who see the same of it (P6): those who wait for it now, and those who come to
 * the same stretch while it is kept, such as a crowd that reconnects. Knows neither what an update is made of nor how it is shown.
 */
export class Renderings {
  readonly #kept: LRUCache<string, OneRendering>;
  /** How many streams there are of each view: for one alone nothing is kept. */
  readonly #readers = new Map<string, number>();
  /** By view: those who go along together. */
  readonly #convoys = new Map<string, Convoy>();
  /** How many renderings were made, and how often one of them was given to another reader. */
  readonly counts = { made: 0, shared: 0 };

  constructor({ keptBytes = 32 * 1024 * 1024 }: RenderingsOptions = {}) {
    this.#kept = new LRUCache({ maxSize: keptBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** How many convoys are under way. */
  get convoys(): number {
    return this.#convoys.size;
  }

  /** A view has one reader more. */
  enter(key: string | undefined): void {
    if (key !== undefined) this.#readers.set(key, (this.#readers.get(key) ?? 0) + 1);
  }

  leave(key: string | undefined): void {
    if (key === undefined) return;
    const left = (this.#readers.get(key) ?? 0) - 1;
    if (left > 0) this.#readers.set(key, left);
    else this.#readers.delete(key);
  }

  /** Those of a view, while it has two readers or more, who go on together from where a reader rests. */
  convoyFrom(key: string | undefined, reader: Follower<Entry, unknown>): Convoy | undefined {
    if (key === undefined || !this.#isShared(key) || !reader.rests) return undefined;
    const known = this.#convoys.get(key);
    if (known !== undefined) return known.stopsAt(reader.position) ? known : undefined;
    const convoy = new Convoy(reader.branch(), reader.position, {
      passed: (count) => {
        this.counts.shared += count - 1;
      },
      dissolved: () => this.#convoys.delete(key),
    });
    this.#convoys.set(key, convoy);
    return convoy;
  }

  render<U>(update: U, view: View<U>, taker: Waiting<Buffer>): void {
    const key = this.#keyOf(update, view);
    const known = key === undefined ? undefined : this.#kept.get(key);
    if (known !== undefined) {
      this.counts.shared += 1;
      known.take(taker);
      return;
    }
    this.counts.made += 1;
    const made = new OneRendering();
    made.take(taker);
    if (key !== undefined) this.#kept.set(key, made);
    view.render(update).then(
      ({ body, isLasting }) => {
        made.settle(body);
        if (key === undefined) return;
        this.#kept.delete(key);
        if (isLasting) this.#kept.set(key, made);
      },
      (error: unknown) => {
        if (key !== undefined) this.#kept.delete(key);
        made.fail(error);
      },
    );
  }

  /** Names what is shown, where somebody else may be shown the same: a stretch of a log. Other updates are no two alike. */
  #keyOf<U>(update: U, { key }: View<U>): string | undefined {
    if (key === undefined || !isStretch(update) || !this.#isShared(key)) return undefined;
    return `${key} ${update.from} ${update.position} ${update.caughtUp}`;
  }

  #isShared(key: string): boolean {
    return (this.#readers.get(key) ?? 0) > 1;
  }
}

const isStretch = (update: unknown): update is Update<unknown> =>
  typeof update === 'object' && update !== null && 'from' in update && 'position' in update;

/** One body, and who waits for it. */
class OneRendering {
  #body: Buffer | undefined;
  #waiting: Waiting<Buffer>[] = [];

  /** While it is being made, as much as the least that is kept. */
  get bytes(): number {
    return (this.#body?.length ?? 0) + 1;
  }

  take(taker: Waiting<Buffer>): void {
    if (this.#body === undefined) this.#waiting.push(taker);
    else taker.give(this.#body);
  }

  settle(body: Buffer): void {
    this.#body = body;
    for (const taker of this.#waiting.splice(0)) taker.give(body);
  }

  fail(error: unknown): void {
    for (const taker of this.#waiting.splice(0)) taker.fail(error);
  }
}
