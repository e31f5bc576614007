import { type IngestLimits, pastLimit } from './limits.js';

/**
 * Cuts text into lines at LF, CRLF and bare CR, whatever the pieces it comes in. A CR ends its line at once, so a live stream
 * never waits for the byte after it; a LF that then follows in the next piece is the second half of that CRLF.
 */
export class LineSplitter {
  #held = '';
  #heldBytes = 0;
  #afterCarriageReturn = false;

  constructor(private readonly limits: IngestLimits) {}

  push(text: string, line: (line: string) => void): void {
    if (text === '') return;
    let from = this.#afterCarriageReturn && text.startsWith('\n') ? 1 : 0;
    this.#afterCarriageReturn = text.endsWith('\r');
    const lineEnd = /\r\n|\r|\n/g;
    lineEnd.lastIndex = from;
    for (let match = lineEnd.exec(text); match !== null; match = lineEnd.exec(text)) {
      this.#hold(text.slice(from, match.index));
      from = lineEnd.lastIndex;
      line(this.take());
    }
    this.#hold(text.slice(from));
  }

  /** What has come since the last line end. */
  take(): string {
    const line = this.#held;
    this.#held = '';
    this.#heldBytes = 0;
    return line;
  }

  #hold(piece: string): void {
    this.#heldBytes += Buffer.byteLength(piece);
    if (this.#heldBytes > this.limits.lineBytes) throw pastLimit('lineBytes', this.limits);
    this.#held += piece;
  }
}
