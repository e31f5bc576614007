/**
 * Whether a client is still there, by its answers to pings. A ping stands behind all that was sent before it, and a slow reader cannot
 * have seen it yet: so an answer may take as long as reading all that takes at the slowest rate (P5).
 */
export class Pulse {
  readonly #slowest: number;
  #sent = 0;
  /** How much of it was read for sure: what was sent before the last ping that was answered. */
  #read = 0;
  #asked: { readonly at: number; readonly sent: number } | undefined;

  /** `slowest` is in bytes per second. */
  constructor(slowest: number) {
    this.#slowest = slowest;
  }

  /** A ping is out and has no answer. */
  get waits(): boolean {
    return this.#asked !== undefined;
  }

  /** It had time to read all that it was sent, and to answer. */
  get isOverdue(): boolean {
    if (this.#asked === undefined) return false;
    const seconds = (performance.now() - this.#asked.at) / 1_000;
    return seconds * this.#slowest > this.#sent - this.#read;
  }

  send(bytes: number): void {
    this.#sent += bytes;
  }

  ask(): void {
    this.#asked = { at: performance.now(), sent: this.#sent };
  }

  answer(): void {
    if (this.#asked !== undefined) this.#read = this.#asked.sent;
    this.#asked = undefined;
  }
}
