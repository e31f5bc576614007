import { type FrameReader, type FrameSink, type ReaderState, readFrame } from './frames.js';
import type { IngestLimits } from './limits.js';
import { LineSplitter } from './lines.js';

/** JSON lines: one object a line; blank lines are skipped, noise and truncated lines counted. */
export class JsonLinesReader implements FrameReader {
  readonly #lines: LineSplitter;
  #read = 0;
  #at: number;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
    { at, isAfterCr }: ReaderState = { at: 0 },
  ) {
    this.#at = at;
    this.#lines = new LineSplitter(limits, isAfterCr);
  }

  get read(): number {
    return this.#read;
  }

  get state(): ReaderState {
    return { at: this.#at, ...(this.#lines.isAfterCarriageReturn && { isAfterCr: true }) };
  }

  push(bytes: Buffer): void {
    this.#lines.push(bytes, (line) => {
      this.#readLine(line);
      this.#read = this.#lines.read;
    });
  }

  /** The last line needs no line end; half of one may go on. */
  end(): void {
    if (this.#readLine(this.#lines.take())) this.#read = this.#lines.read;
  }

  #readLine(line: string): boolean {
    this.#at++;
    if (line.trim() === '') return true;
    return readFrame(line, undefined, { unit: 'line', at: this.#at }, this.sink, this.limits);
  }
}
