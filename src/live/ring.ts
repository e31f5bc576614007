import type { Entry } from './log.js';
import { type Bounds, take } from './page.js';

/** The latest entries of a log that were read: those with `start < number <= end`, without holes. */
export class Ring<E extends Entry> {
  readonly #bounds: Bounds;
  readonly #sizeOf: (entry: E) => number;
  #entries: E[] = [];
  #bytes = 0;
  #end = 0;

  constructor(bounds: Bounds, sizeOf: (entry: E) => number) {
    this.#bounds = bounds;
    this.#sizeOf = sizeOf;
  }

  get start(): number {
    return this.#end - this.#entries.length;
  }

  get end(): number {
    return this.#end;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds what follows `end`. The ring may exceed its bounds until it is trimmed. */
  push(entries: readonly E[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes += this.#sizeOf(entry);
    }
    this.#end += entries.length;
  }

  /** Forgets the oldest until the rest fits, all of them if the newest alone does not. */
  trim(): void {
    let excess = 0;
    for (const entry of this.#entries) {
      if (this.#entries.length - excess <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) break;
      this.#bytes -= this.#sizeOf(entry);
      excess += 1;
    }
    if (excess > 0) this.#entries.splice(0, excess);
  }

  /** Forgets everything and goes on after `position`. */
  restart(position: number): void {
    this.#entries = [];
    this.#bytes = 0;
    this.#end = position;
  }

  /** The wanted entries after a position within the ring, and how far one has then come. */
  take(
    position: number,
    bounds: Bounds,
    wanted?: (entry: E) => boolean,
  ): { entries: readonly E[]; position: number } {
    const from = position - this.start;
    const { entries, looked } = take(this.#entries.slice(from), bounds, this.#sizeOf, wanted);
    return { entries, position: position + looked };
  }
}
