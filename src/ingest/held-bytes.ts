import { type IngestLimits, pastLimit } from './limits.js';

/** Joined when there are so many pieces, lest small ones cost more than they hold. */
const MAX_PIECES = 1_024;

/** The bytes of something that is open, up to the limit of a line. Copied, lest a few of them keep the whole piece that they came in. */
export class HeldBytes {
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(private readonly limits: IngestLimits) {}

  hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.limits.lineBytes) throw pastLimit('lineBytes', this.limits);
    this.#pieces.push(Buffer.from(piece));
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  /** As text. Nothing is held then. */
  take(): string {
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}
