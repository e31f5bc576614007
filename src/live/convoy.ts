import type { Update } from './follow.js';
import type { Pulled, Waiting } from './pulled.js';

/** One who goes along in a convoy. */
export interface Traveller {
  /** Whether it waits right before this update, and sees what all in the convoy see. */
  awaits(update: Update<unknown>): boolean;
  /** Whether it stands at this update's end already, or beyond it. */
  isPast(update: Update<unknown>): boolean;
  /** Is shown an update that it awaits. */
  render(update: Update<unknown>, taker: Waiting<Buffer>): void;
  take(update: Update<unknown>, body: Buffer): void;
  /** The convoy goes on without it. */
  leftBehind(): void;
  /** What would have come next could not be read, or not be shown. */
  failed(error: unknown): void;
}

export interface ConvoyEvents {
  /** One rendering was given to so many. */
  passed(count: number): void;
  /** Nobody is left. */
  dissolved(): void;
}

/**
 * Those who see the same of a log and stand at the same place of it: one of them reads and renders for all, and each update is passed
 * on in one loop. Whoever does not wait for it, since it reads slowly or its access is being looked into, is left behind, goes on from
 * its own position (P5) and may come back when it has caught up.
 */
export class Convoy {
  readonly #stream: Pulled<Update<unknown>>;
  readonly #events: ConvoyEvents;
  readonly #members = new Set<Traveller>();
  /** Where the next update begins. */
  #place: number;
  /** Where the one ends that is being rendered. */
  #next: number | undefined;
  #hasBegun = false;
  #isOver = false;

  /** `stream` stands at `place`, and so does whoever joins first. */
  constructor(stream: Pulled<Update<unknown>>, place: number, events: ConvoyEvents) {
    this.#stream = stream;
    this.#place = place;
    this.#events = events;
  }

  /** Whether somebody who stands there may come along; it may have seen already what is being rendered. */
  stopsAt(position: number): boolean {
    return position === this.#place || position === this.#next;
  }

  join(member: Traveller): void {
    this.#members.add(member);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#pull();
  }

  leave(member: Traveller): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#end();
  }

  #pull(): void {
    this.#stream.pull({
      give: (update) => this.#render(update),
      end: () => undefined,
      fail: (error) => this.#fail(error),
    });
  }

  #render(update: Update<unknown>): void {
    for (const member of this.#members) {
      if (!member.awaits(update)) continue;
      this.#next = update.position;
      member.render(update, {
        give: (body) => this.#pass(update, body),
        fail: (error) => this.#failRendering(update, error),
      });
      return;
    }
    this.#pass(update, undefined);
  }

  #pass(update: Update<unknown>, body: Buffer | undefined): void {
    if (this.#isOver) return;
    this.#place = update.position;
    this.#next = undefined;
    let passed = 0;
    for (const member of this.#members) {
      if (body !== undefined && member.awaits(update)) {
        passed += 1;
        member.take(update, body);
      } else if (!member.isPast(update)) {
        this.#members.delete(member);
        member.leftBehind();
      }
    }
    if (passed > 0) this.#events.passed(passed);
    if (this.#members.size > 0) this.#pull();
    else this.#end();
  }

  /** Whoever does not wait for this update finds out by itself. */
  #failRendering(update: Update<unknown>, error: unknown): void {
    for (const member of this.#disband()) {
      if (member.awaits(update)) member.failed(error);
      else member.leftBehind();
    }
  }

  #fail(error: unknown): void {
    for (const member of this.#disband()) member.failed(error);
  }

  #disband(): readonly Traveller[] {
    const members = [...this.#members];
    this.#members.clear();
    this.#end();
    return members;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.dissolved();
    void this.#stream.return();
  }
}
