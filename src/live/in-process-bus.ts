import { forAll } from '../database/work.js';
import type { Bus, Hint, HintListener } from './bus.js';

/** Wraps the listener, so that one function may subscribe twice and leave once. */
interface Subscription {
  readonly listener: HintListener;
}

/**
 * The bus of a process that is alone with its database, and within a process that is not: hints arrive before `publish` returns, and
 * none is lost.
 */
export class InProcessBus implements Bus {
  readonly #topics = new Map<string, Set<Subscription>>();
  readonly #onError: (error: unknown, doing: string) => void;
  readonly connected = true;
  readonly delayMs = 0;
  #closed = false;

  /** `onError` hears what a listener threw. */
  constructor(onError: (error: unknown, doing: string) => void) {
    this.#onError = onError;
  }

  get listeners(): number {
    let count = 0;
    for (const subscriptions of this.#topics.values()) count += subscriptions.size;
    return count;
  }

  publish(hint: Hint): void {
    // What listeners read is for all who follow, and none of the publisher's business, which may be cut short.
    forAll(() => {
      for (const topic of new Set([hint.log, ...hint.topics])) this.#deliver(topic, hint);
    });
  }

  subscribe(topic: string, listener: HintListener): () => void {
    if (this.#closed) return () => {};
    const subscription: Subscription = { listener };
    const subscriptions = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, subscriptions.add(subscription));
    return () => {
      if (subscriptions.delete(subscription) && subscriptions.size === 0) this.#topics.delete(topic);
    };
  }

  /** Nothing to be cut off from: the listener is never called. */
  onReconnect(): () => void {
    return () => {};
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const subscriptions of this.#topics.values()) subscriptions.clear();
    this.#topics.clear();
    return Promise.resolve();
  }

  #deliver(topic: string, hint: Hint): void {
    const subscriptions = this.#topics.get(topic);
    if (subscriptions === undefined) return;
    // A copy: one who leaves and joins again inside its listener would otherwise be called for ever.
    for (const subscription of [...subscriptions]) {
      if (!subscriptions.has(subscription)) continue;
      try {
        subscription.listener(hint);
      } catch (error) {
        this.#onError(error, `telling a listener of ${topic}`);
      }
    }
  }
}
