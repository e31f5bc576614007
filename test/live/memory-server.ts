import type { OpenWire, WireEvents } from '../../src/live/wire.js';

/** A server that carries text between the wires of one test, and fails as told. */
export class MemoryServer {
  readonly wires = new Set<WireEvents>();
  /** What each call of `send` brought. */
  readonly sent: (readonly string[])[] = [];
  /** What becomes of whoever connects. */
  connecting: 'works' | 'refused' | 'pending' = 'works';
  /** What becomes of what is sent. */
  carrying: 'works' | 'refused' | 'pending' | 'swallowed' = 'works';
  /** How often somebody connected. */
  attempts = 0;

  readonly open: OpenWire = (events) => {
    this.attempts += 1;
    const { connecting } = this;
    if (connecting === 'works') this.wires.add(events);
    return {
      ready:
        connecting === 'works'
          ? Promise.resolve()
          : connecting === 'refused'
            ? Promise.reject(new Error('refused'))
            : new Promise(() => undefined),
      send: (texts) => this.#send(texts),
      close: () => Promise.resolve(),
      cut: () => void this.wires.delete(events),
    };
  };

  /** All connections break. */
  break(): void {
    for (const events of [...this.wires]) events.lost(new Error('broken'));
  }

  /** Somebody else says something. */
  say(text: string): void {
    for (const events of [...this.wires]) events.text(text);
  }

  async #send(texts: readonly string[]): Promise<void> {
    this.sent.push(texts);
    if (this.carrying === 'refused') throw new Error('full');
    if (this.carrying === 'pending') return new Promise(() => undefined);
    await Promise.resolve();
    if (this.carrying === 'works') for (const text of texts) this.say(text);
  }
}
