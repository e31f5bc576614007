import type { Convoy, Traveller } from './convoy.js';
import { Follower, type Update } from './follow.js';
import type { Entry } from './log.js';
import { Pulled, type Taker, type Waiting } from './pulled.js';
import type { Renderings, View } from './renderings.js';

/**
 * What one reader is shown of a stream: the bodies of its updates, in order. The stream is begun with the first pull, and ended with
 * this one. The next update is asked for when the last one was taken: a slow reader waits, nothing queues (P5). As long as it keeps up
 * it goes along with the others of its view.
 */
export class Shown<U> extends Pulled<Buffer> implements Traveller {
  readonly #renderings: Renderings;
  readonly #stream: Pulled<U>;
  /** The stream, if it is of a log. */
  readonly #follower: Follower<Entry, unknown> | undefined;
  readonly #view: View<U>;
  readonly #updates: Taker<U> = {
    give: (update) => this.#show(update),
    end: () => (this.#last === undefined ? this.end() : this.#sayLast(this.#last)),
    fail: (error) => this.fail(error),
  };
  /** The view's key as it was counted, once it was. */
  #counted: { readonly key: string | undefined } | undefined;
  #isAsking = false;
  #convoy: Convoy | undefined;
  #last: Buffer | undefined;

  constructor(renderings: Renderings, stream: Pulled<U>, view: View<U>) {
    super();
    this.#renderings = renderings;
    this.#stream = stream;
    this.#follower = stream instanceof Follower ? stream : undefined;
    this.#view = view;
  }

  /** Ends with this, in the place of what is being made or waited for. */
  endWith(body: Buffer): void {
    this.#last ??= body;
    void this.#stream.return();
    if (this.wanted) this.#sayLast(this.#last);
  }

  awaits({ from }: Update<unknown>): boolean {
    const { key } = this.#view;
    const seesTheSame = key === this.#counted?.key && this.#view.settled?.() === undefined;
    return this.wanted && seesTheSame && this.#follower?.position === from;
  }

  isPast({ position }: Update<unknown>): boolean {
    return (this.#follower?.position ?? 0) >= position;
  }

  render(update: Update<unknown>, taker: Waiting<Buffer>): void {
    // The convoy's stream branched off from one like this one.
    this.#renderings.render(update as U, this.#view, taker);
  }

  take(update: Update<unknown>, body: Buffer): void {
    this.#follower?.moveOn(update);
    this.give(body);
  }

  leftBehind(): void {
    this.#convoy = undefined;
    this.#ask();
  }

  failed(error: unknown): void {
    this.#convoy = undefined;
    if (this.wanted) this.fail(error);
  }

  protected onPull(): void {
    this.#count();
    this.#ask();
  }

  protected onEnd(): void {
    if (this.#counted !== undefined) this.#renderings.leave(this.#counted.key);
    this.#convoy?.leave(this);
    void this.#stream.return();
    this.#view.closed?.();
  }

  #ask(): void {
    if (this.#isAsking || this.#convoy !== undefined || !this.wanted) return;
    if (this.#last === undefined) this.#goOn();
    else this.#sayLast(this.#last);
  }

  #goOn(): void {
    const { key } = this.#view;
    const convoy = this.#follower && this.#renderings.convoyFrom(key, this.#follower);
    if (convoy === undefined) {
      this.#isAsking = true;
      this.#stream.pull(this.#updates);
      return;
    }
    this.#convoy = convoy;
    // It may bring an update at once, and leave this one behind before it has returned.
    convoy.join(this);
  }

  #show(update: U): void {
    const unsettled = this.#view.settled?.();
    if (unsettled !== undefined) {
      unsettled.then(
        () => this.#show(update),
        (error: unknown) => this.fail(error),
      );
      return;
    }
    if (!this.wanted) return;
    this.#count();
    const { changes } = this.#view;
    this.#renderings.render(update, this.#view, {
      give: (body) => (this.#view.changes === changes ? this.#deliver(body) : this.#show(update)),
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
