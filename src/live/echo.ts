/** Whether the way out and back is open, by one's own messages: each comes back to its sender. */
export class Echo {
  #sent = 0;
  #heard = 0;
  /** What has to be heard before the next look. */
  #due = 0;
  /** The message whose way is measured. */
  #timed: { readonly number: number; readonly since: number } | undefined;
  #delayMs = 0;

  /** Gives the next message its number. */
  nextNumber(): number {
    this.#sent += 1;
    this.#timed ??= { number: this.#sent, since: performance.now() };
    return this.#sent;
  }

  hear(number: number): void {
    this.#heard = Math.max(this.#heard, number);
    if (this.#timed === undefined || number < this.#timed.number) return;
    this.#delayMs = performance.now() - this.#timed.since;
    this.#timed = undefined;
  }

  /** What a message took last, out and back. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Nothing is under way that would show whether the way is open. */
  get isQuiet(): boolean {
    return this.#heard === this.#sent;
  }

  /** What had to be heard was not. */
  get isOverdue(): boolean {
    return this.#heard < this.#due;
  }

  /** What is under way now has to be heard before somebody looks again. */
  expect(): void {
    this.#due = this.#sent;
  }

  /** On a new way nothing is under way. */
  restart(): void {
    this.#heard = this.#sent;
    this.#due = this.#sent;
    this.#timed = undefined;
  }
}
