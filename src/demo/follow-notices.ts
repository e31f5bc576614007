import type { Bus, Hint, HintListener } from '../live/bus.js';

/** A bus that tells when a topic is followed: a log's tail subscribes when the first follower comes, and leaves with the last. */
export class FollowNotices implements Bus {
  readonly #bus: Bus;
  #topic: string | undefined;
  #follow: (() => () => void) | undefined;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  get connected(): boolean {
    return this.#bus.connected;
  }

  get delayMs(): number {
    return this.#bus.delayMs;
  }

  get listeners(): number {
    return this.#bus.listeners;
  }

  /** From here on calls `follow` when somebody subscribes to the topic, and what that returns when it leaves. */
  watch(topic: string, follow: () => () => void): void {
    this.#topic = topic;
    this.#follow = follow;
  }

  publish(hint: Hint): void {
    this.#bus.publish(hint);
  }

  subscribe(topic: string, listener: HintListener): () => void {
    const leave = this.#bus.subscribe(topic, listener);
    if (topic !== this.#topic || this.#follow === undefined) return leave;
    const unfollow = this.#follow();
    return () => {
      leave();
      unfollow();
    };
  }

  onReconnect(listener: () => void): () => void {
    return this.#bus.onReconnect(listener);
  }

  close(): Promise<void> {
    return this.#bus.close();
  }
}
