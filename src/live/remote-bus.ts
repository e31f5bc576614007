import { randomBytes } from 'node:crypto';
import type { Bus, Hint, HintListener } from './bus.js';
import { Echo } from './echo.js';
import { InProcessBus } from './in-process-bus.js';
import { Link, type LinkTimes, withinTime } from './link.js';
import { readMessage, writeMessages } from './message.js';
import { Outbox } from './outbox.js';
import { plain } from './plain.js';
import type { OpenWire } from './wire.js';

/** From the end of one sending to the next, in ms: a burst costs few of them, and one hint alone does not wait. */
const PAUSE = 5;
/** How long, in ms, to wait for more of the others to say that hints were lost, before looking once for all of them. */
const GATHER = 250;

export interface RemoteBusTimes extends LinkTimes {
  /** From one look whether the way is open to the next, in ms: what is broken and does not say so is replaced after two at most. */
  readonly probeMs: number;
}

const TIMES: RemoteBusTimes = {
  probeMs: 5_000,
  connectMs: 5_000,
  patience: { firstMs: 100, maxMs: 5_000 },
};

export interface RemoteBusOptions {
  readonly open: OpenWire;
  /** The largest text that a wire carries. */
  readonly maxBytes: number;
  /** Hears of every fault that is tried again. Must not throw. */
  readonly onError: (error: unknown, doing: string) => void;
  readonly times?: Partial<RemoteBusTimes> | undefined;
}

/**
 * A bus over a server that carries text between processes. Listeners of this process are told directly; what goes to the others is
 * gathered while it cannot be sent, within bounds. The bus sees by its own messages, which come back, whether the way is open; what
 * breaks is replaced, and then everyone is told to look again.
 */
export class RemoteBus implements Bus {
  /** Resolves when the first connection works, or did not. */
  readonly opened: Promise<void>;
  readonly #local: InProcessBus;
  readonly #options: RemoteBusOptions;
  readonly #reconnected = new Set<{ readonly listener: () => void }>();
  readonly #outbox = new Outbox();
  readonly #echo = new Echo();
  readonly #name = randomBytes(6).toString('base64url');
  readonly #link: Link;
  readonly #probe: NodeJS.Timeout;
  #settleOpened: () => void = () => {};
  #connected = false;
  #sending: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: RemoteBusOptions) {
    const times = { ...TIMES, ...options.times };
    this.#options = options;
    this.#local = new InProcessBus(options.onError);
    this.opened = new Promise((resolve) => {
      this.#settleOpened = resolve;
    });
    const events = {
      up: () => this.#onUp(),
      text: (text: string) => this.#onText(text),
      fault: (error: unknown, doing: string) => this.#onFault(error, doing),
    };
    this.#link = new Link(options.open, events, times);
    this.#probe = setInterval(() => this.#look(times.probeMs), times.probeMs);
  }

  get connected(): boolean {
    return this.#connected;
  }

  get delayMs(): number {
    return this.#echo.delayMs;
  }

  get listeners(): number {
    return this.#local.listeners;
  }

  /** How many want to hear of reconnects, for tests that look for leaks. */
  get reconnectListeners(): number {
    return this.#reconnected.size;
  }

  publish(hint: Hint): void {
    if (this.#closing !== undefined) return;
    this.#local.publish(hint);
    this.#outbox.add(hint);
    this.#flush();
  }

  subscribe(topic: string, listener: HintListener): () => void {
    return this.#local.subscribe(topic, listener);
  }

  onReconnect(listener: () => void): () => void {
    if (this.#closing !== undefined) return () => {};
    const subscription = { listener };
    this.#reconnected.add(subscription);
    return () => {
      this.#reconnected.delete(subscription);
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#probe);
    clearTimeout(this.#gathering);
    this.#reconnected.clear();
    await this.#local.close();
    await withinTime(this.#sendRest());
    clearTimeout(this.#pause);
    this.#connected = false;
    await this.#link.close();
    this.#settleOpened();
  }

  async #sendRest(): Promise<void> {
    await this.#sending;
    if (this.#link.isUp && !this.#outbox.isEmpty) await this.#send();
  }

  /** The first message on a new way shows whether it is open. */
  #onUp(): void {
    this.#echo.restart();
    this.#outbox.want();
    this.#flush();
  }

  #onText(text: string): void {
    const message = readMessage(text);
    if (message === undefined) return;
    if (message.from === this.#name) {
      this.#onEcho(message.number);
      return;
    }
    for (const hint of message.hints) this.#local.publish(hint);
    if (message.lost) this.#gathering ??= setTimeout(() => this.#onLoss(), GATHER);
  }

  #onEcho(number: number): void {
    this.#echo.hear(number);
    this.#link.prove();
    if (this.#connected || this.#closing !== undefined) return;
    this.#connected = true;
    this.#settleOpened();
    this.#onLoss();
  }

  /** Everyone looks at everything again. */
  #onLoss(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    for (const subscription of [...this.#reconnected]) {
      if (!this.#reconnected.has(subscription)) continue;
      try {
        subscription.listener();
      } catch (error) {
        this.#options.onError(error, 'telling a listener that hints were lost');
      }
    }
  }

  #onFault(error: unknown, doing: string): void {
    this.#connected = false;
    this.#settleOpened();
    this.#options.onError(plain(error), doing);
  }

  #look(interval: number): void {
    if (!this.#link.isUp) return;
    if (this.#echo.isOverdue) {
      const late = `Expected a message of its own back within ${interval} ms, got none. Something between here and the server drops connections or does not keep one connection for one client.`;
      this.#link.replace(new Error(late));
      return;
    }
    if (this.#echo.isQuiet) this.#outbox.want();
    this.#flush();
    this.#echo.expect();
  }

  #flush(): void {
    if (this.#sending !== undefined || this.#pause !== undefined || this.#closing !== undefined) return;
    if (!this.#link.isUp || this.#outbox.isEmpty) return;
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined;
      this.#pause = setTimeout(() => {
        this.#pause = undefined;
        this.#flush();
      }, PAUSE);
    });
  }

  /** Never rejects: whether what failed has arrived nobody knows, so the others are told to look. */
  async #send(): Promise<void> {
    const { hints, lost } = this.#outbox.take();
    const texts = writeMessages(hints, lost, {
      from: this.#name,
      nextNumber: () => this.#echo.nextNumber(),
      maxBytes: this.#options.maxBytes,
    });
    try {
      await this.#link.send(texts);
    } catch (error) {
      this.#outbox.lose();
      this.#link.replace(error);
    }
  }
}
