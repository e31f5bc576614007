import { type IngestLimits, pastLimit } from './limits.js';

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Cuts bytes into lines at LF, CRLF and bare CR, whatever the pieces they come in. UTF-8 has these bytes in no other character, so each
 * line is decoded by itself; a byte that is no UTF-8 becomes U+FFFD. A CR ends its line at once, so a live stream never waits for the
 * byte after it; a LF that then follows in the next piece is the second half of that CRLF.
 */
export class LineSplitter {
  /** The line that is open is at its beginning. */
  #held: Buffer = NOTHING;
  #heldBytes = 0;
  #afterCarriageReturn: boolean;
  #read = 0;

  constructor(
    private readonly limits: IngestLimits,
    isAfterCarriageReturn = false,
  ) {
    this.#afterCarriageReturn = isAfterCarriageReturn;
  }

  /** Whether it is behind a CR whose LF may follow. */
  get isAfterCarriageReturn(): boolean {
    return this.#afterCarriageReturn;
  }

  /** Bytes up to the end of the last line that was given. */
  get read(): number {
    return this.#read;
  }

  push(bytes: Buffer, line: (line: string) => void): void {
    if (bytes.length === 0) return;
    let from = this.#afterCarriageReturn && bytes[0] === LF ? 1 : 0;
    this.#read += from;
    this.#afterCarriageReturn = bytes[bytes.length - 1] === CR;
    let lf = indexOf(bytes, LF, from);
    let cr = indexOf(bytes, CR, from);
    while (lf < bytes.length || cr < bytes.length) {
      const end = Math.min(lf, cr);
      const isPair = end === cr && lf === cr + 1 && lf < bytes.length;
      const next = isPair ? lf + 1 : end + 1;
      const text = this.#line(bytes, from, end);
      this.#read += next - end;
      from = next;
      line(text);
      if (lf < from) lf = indexOf(bytes, LF, from);
      if (cr < from) cr = indexOf(bytes, CR, from);
    }
    this.#hold(bytes.subarray(from));
  }

  /** What has come since the last line end. */
  take(): string {
    return this.#line(NOTHING, 0, 0);
  }

  /** The line that ends with these of the bytes. */
  #line(bytes: Buffer, from: number, end: number): string {
    this.#check(end - from);
    this.#read += this.#heldBytes + end - from;
    if (this.#heldBytes === 0) return bytes.toString('utf8', from, end);
    this.#hold(bytes.subarray(from, end));
    const text = this.#held.toString('utf8', 0, this.#heldBytes);
    this.#held = NOTHING;
    this.#heldBytes = 0;
    return text;
  }

  /** Copies, lest a few bytes keep the whole piece that they came in. */
  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#check(bytes.length);
    const length = this.#heldBytes + bytes.length;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length, 256));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#heldBytes);
    this.#heldBytes = length;
  }

  #check(more: number): void {
    if (this.#heldBytes + more > this.limits.lineBytes) throw pastLimit('lineBytes', this.limits);
  }
}

/** The length where there is none. */
function indexOf(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}
