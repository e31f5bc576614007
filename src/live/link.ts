import { delay, type Patience } from './persist.js';
import type { OpenWire, Wire } from './wire.js';

export interface LinkEvents {
  /** What is sent from now on arrives. */
  up(): void;
  text(text: string): void;
  /** It broke, or could not be made; it will be tried again. */
  fault(error: unknown, doing: string): void;
}

export interface LinkTimes {
  /** How long, in ms, connecting may take. */
  readonly connectMs: number;
  /** How long to wait between attempts. */
  readonly patience: Pick<Patience, 'firstMs' | 'maxMs'>;
}

/** Keeps a wire: one that breaks is replaced, after ever longer waits until one has proved good. */
export class Link {
  readonly #open: OpenWire;
  readonly #events: LinkEvents;
  readonly #times: LinkTimes;
  #wire: Wire | undefined;
  #isUp = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Gives up the send under way: a wire that was let go may never answer. */
  #abandonSend: ((error: unknown) => void) | undefined;
  #closed = false;

  constructor(open: OpenWire, events: LinkEvents, times: LinkTimes) {
    this.#open = open;
    this.#events = events;
    this.#times = times;
    this.#connect();
  }

  /** Something may be sent. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** What was sent has arrived: the next break is the first in a row. */
  prove(): void {
    this.#failures = 0;
  }

  /** One at a time. Rejects if the wire breaks meanwhile; the texts may have arrived all the same. */
  send(texts: readonly string[]): Promise<void> {
    const wire = this.#wire;
    if (wire === undefined || !this.#isUp) return Promise.reject(new Error('There is no connection.'));
    return new Promise((resolve, reject) => {
      this.#abandonSend = reject;
      wire.send(texts).then(resolve, reject);
    });
  }

  /** Lets go of the wire, which is at fault, and makes another. */
  replace(error: unknown): void {
    if (this.#wire !== undefined && !this.#closed) this.#fail(error);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const wire = this.#wire;
    if (this.#isUp && wire !== undefined) await withinTime(wire.close());
    this.#letGo(new Error('The bus is closed.'));
  }

  #connect(): void {
    try {
      this.#begin();
    } catch (error) {
      this.#fail(error);
    }
  }

  #begin(): void {
    const own = (wire: Wire) => this.#wire === wire && !this.#closed;
    const wire = this.#open({
      text: (text) => {
        if (own(wire)) this.#events.text(text);
      },
      lost: (error) => {
        if (own(wire)) this.replace(error);
      },
    });
    this.#wire = wire;
    const late = new Error(`Expected the server to answer within ${this.#times.connectMs} ms, it did not.`);
    this.#timer = setTimeout(() => this.replace(late), this.#times.connectMs);
    wire.ready.then(
      () => {
        if (own(wire)) this.#rise();
      },
      (error: unknown) => {
        if (own(wire)) this.replace(error);
      },
    );
  }

  #rise(): void {
    clearTimeout(this.#timer);
    this.#isUp = true;
    this.#events.up();
  }

  #fail(error: unknown): void {
    const doing = this.#isUp ? 'keeping the connection of the bus' : 'connecting the bus';
    this.#letGo(error);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#connect(), delay(this.#times.patience, this.#failures));
    this.#events.fault(error, doing);
  }

  #letGo(error: unknown): void {
    clearTimeout(this.#timer);
    this.#isUp = false;
    this.#wire?.cut();
    this.#wire = undefined;
    this.#abandonSend?.(error);
    this.#abandonSend = undefined;
  }
}

/** How long, in ms, taking leave may take. */
const FAREWELL = 1_000;

/** Waits for `work`, but not for long, and not for its success. */
export function withinTime(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FAREWELL);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(end, end);
  });
}
