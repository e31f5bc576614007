import type { Bus } from './bus.js';
import { Pulled } from './pulled.js';

/** A log of these topics has changed, or: changes may have been missed, list again. */
export type Signal = { readonly key: string } | { readonly resync: true };

export interface WatchOptions {
  /** How many changed keys are kept for a reader that does not pull; one more and they become a resync. By default 1,000. */
  readonly limit?: number;
  /** How often to list again whatever was heard, since hints may be lost. By default once a minute. */
  readonly resyncMs?: number;
  /** Aborting ends the stream as `return()` does. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tells which logs change, for lists: signals, not a log, so a key that changes twice before it is pulled comes once. `resync` comes
 * first, after every reconnect of the bus, once in a while, and in place of more keys than may be kept; it stands for all keys
 * before it. Registers on the bus at the first pull; listing at that resync or later misses nothing.
 */
export function watch(bus: Bus, topics: readonly string[], options: WatchOptions = {}): Pulled<Signal> {
  return new Watcher(bus, topics, options);
}

class Watcher extends Pulled<Signal> {
  /** What is watched. */
  readonly key: string;
  readonly #bus: Bus;
  readonly #topics: readonly string[];
  readonly #limit: number;
  readonly #resyncMs: number;
  readonly #changed = new Set<string>();
  #resync = true;
  #release: (() => void) | undefined;

  constructor(
    bus: Bus,
    topics: readonly string[],
    { limit = 1_000, resyncMs = 60_000, signal }: WatchOptions,
  ) {
    super(signal);
    this.key = topics.join();
    this.#bus = bus;
    this.#topics = topics;
    this.#limit = limit;
    this.#resyncMs = resyncMs;
  }

  protected onPull(): void {
    this.#release ??= this.#register();
    this.#serve();
  }

  protected onEnd(): void {
    this.#release?.();
    this.#changed.clear();
  }

  #register(): () => void {
    const releases = this.#topics.map((topic) =>
      this.#bus.subscribe(topic, ({ log }) => this.#onChange(log)),
    );
    releases.push(this.#bus.onReconnect(() => this.#onLoss()));
    const timer = setInterval(() => this.#onLoss(), this.#resyncMs);
    return () => {
      clearInterval(timer);
      for (const release of releases) release();
    };
  }

  #onChange(key: string): void {
    if (this.#resync) return;
    this.#changed.add(key);
    if (this.#changed.size > this.#limit) this.#onLoss();
    else this.#serve();
  }

  #onLoss(): void {
    this.#resync = true;
    this.#changed.clear();
    this.#serve();
  }

  #serve(): void {
    while (this.wanted) {
      const signal = this.#take();
      if (signal === undefined) return;
      this.give(signal);
    }
  }

  #take(): Signal | undefined {
    if (this.#resync) {
      this.#resync = false;
      return { resync: true };
    }
    for (const key of this.#changed) {
      this.#changed.delete(key);
      return { key };
    }
    return undefined;
  }
}
