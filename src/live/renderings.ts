import { LRUCache } from 'lru-cache';
import type { Update } from './follow.js';
import { Pulled, type Taker } from './pulled.js';

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
  /** How many renderings were made, and how often one of them was given to another reader. */
  readonly counts = { made: 0, shared: 0 };

  constructor({ keptBytes = 32 * 1024 * 1024 }: RenderingsOptions = {}) {
    this.#kept = new LRUCache({ maxSize: keptBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** The bodies of a stream's updates, in order. The stream is begun with the first pull, and ended with this one. */
  show<U>(stream: Pulled<U>, view: View<U>): Shown<U> {
    return new Shown(this, stream, view);
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  enter(key: string | undefined): void {
    if (key !== undefined) this.#readers.set(key, (this.#readers.get(key) ?? 0) + 1);
  }

  leave(key: string | undefined): void {
    if (key === undefined) return;
    const left = (this.#readers.get(key) ?? 0) - 1;
    if (left > 0) this.#readers.set(key, left);
    else this.#readers.delete(key);
  }

  render<U>(update: U, view: View<U>, taker: Waiting): void {
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
    if (key === undefined || !isStretch(update) || (this.#readers.get(key) ?? 0) < 2) return undefined;
    return `${key} ${update.from} ${update.position} ${update.caughtUp}`;
  }
}

const isStretch = (update: unknown): update is Update<unknown> =>
  typeof update === 'object' && update !== null && 'from' in update && 'position' in update;

/** Who waits for a body: it comes, or cannot be made. */
type Waiting = Pick<Taker<Buffer>, 'give' | 'fail'>;

/** One body, and who waits for it. */
class OneRendering {
  #body: Buffer | undefined;
  #waiting: Waiting[] = [];

  /** While it is being made, as much as the least that is kept. */
  get bytes(): number {
    return (this.#body?.length ?? 0) + 1;
  }

  take(taker: Waiting): void {
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

/** One reader of a stream. Its next update is asked for when the last one was taken: a slow reader waits, nothing queues (P5). */
export class Shown<U> extends Pulled<Buffer> {
  readonly #renderings: Renderings;
  readonly #stream: Pulled<U>;
  readonly #view: View<U>;
  readonly #updates: Taker<U> = {
    give: (update) => this.#render(update),
    end: () => (this.#last === undefined ? this.end() : this.#sayLast(this.#last)),
    fail: (error) => this.fail(error),
  };
  /** The view's key as it was counted, once it was. */
  #counted: { readonly key: string | undefined } | undefined;
  #isAsking = false;
  #last: Buffer | undefined;

  constructor(renderings: Renderings, stream: Pulled<U>, view: View<U>) {
    super();
    this.#renderings = renderings;
    this.#stream = stream;
    this.#view = view;
  }

  /** Ends with this, in the place of what is being made or waited for. */
  endWith(body: Buffer): void {
    this.#last ??= body;
    void this.#stream.return();
    if (this.wanted) this.#sayLast(this.#last);
  }

  protected onPull(): void {
    this.#count();
    this.#ask();
  }

  protected onEnd(): void {
    if (this.#counted !== undefined) this.#renderings.leave(this.#counted.key);
    void this.#stream.return();
    this.#view.closed?.();
  }

  #ask(): void {
    if (this.#isAsking || !this.wanted) return;
    if (this.#last === undefined) {
      this.#isAsking = true;
      this.#stream.pull(this.#updates);
    } else this.#sayLast(this.#last);
  }

  #render(update: U): void {
    const unsettled = this.#view.settled?.();
    if (unsettled !== undefined) {
      unsettled.then(
        () => this.#render(update),
        (error: unknown) => this.fail(error),
      );
      return;
    }
    if (!this.wanted) return;
    this.#count();
    const { changes } = this.#view;
    this.#renderings.render(update, this.#view, {
      give: (body) => (this.#view.changes === changes ? this.#deliver(body) : this.#render(update)),
      fail: (error) => this.fail(error),
    });
  }

  #deliver(body: Buffer): void {
    this.#isAsking = false;
    this.give(body);
    this.#ask();
  }

  #sayLast(body: Buffer): void {
    this.give(body);
    this.end();
  }

  /** Its key may have changed. */
  #count(): void {
    const { key } = this.#view;
    const counted = this.#counted;
    if (counted !== undefined) {
      if (counted.key === key) return;
      this.#renderings.leave(counted.key);
    }
    this.#renderings.enter(key);
    this.#counted = { key };
  }
}
