import { type FrameSink, readFrame, type TextReader } from './frames.js';
import type { IngestLimits } from './limits.js';
import { LineSplitter } from './lines.js';

/** JSON lines: one object a line; blank lines are skipped, noise and truncated lines counted. */
export class JsonLinesReader implements TextReader {
  readonly #lines: LineSplitter;
  #at = 0;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
  ) {
    this.#lines = new LineSplitter(limits);
  }

  push(text: string): void {
    this.#lines.push(text, (line) => this.#read(line));
  }

  /** The last line needs no line end. */
  end(): void {
    this.#read(this.#lines.take());
  }

  #read(line: string): void {
    this.#at++;
    if (line.trim() === '') return;
    readFrame(line, undefined, { unit: 'line', at: this.#at }, this.sink, this.limits);
  }
}
