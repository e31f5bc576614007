import { type FrameSink, readFrame, type TextReader } from './frames.js';
import { type IngestLimits, pastLimit } from './limits.js';
import { Nesting } from './nesting.js';

/** JSON objects one after another, each over as many lines as it takes: what people write, and programs that write for people. */
export class JsonObjectsReader implements TextReader {
  readonly #nesting = new Nesting();
  #object = '';
  #bytes = 0;
  #at = 0;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
  ) {}

  push(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at);
      this.#nesting.follow(char);
      if (char !== '}' || this.#nesting.inString || this.#nesting.depth > 0) continue;
      this.#hold(text.slice(from, at + 1));
      from = at + 1;
      this.#read();
    }
    this.#hold(text.slice(from));
  }

  /** An object needs its end. */
  end(): void {
    this.#read();
  }

  /** What has come since the last object, and that object, are one piece. */
  #read(): void {
    const object = this.#object;
    this.#object = '';
    this.#bytes = 0;
    if (object.trim() === '') return;
    this.#at++;
    readFrame(object, undefined, { unit: 'object', at: this.#at }, this.sink, this.limits);
  }

  #hold(piece: string): void {
    this.#bytes += Buffer.byteLength(piece);
    if (this.#bytes > this.limits.lineBytes) throw pastLimit('lineBytes', this.limits);
    this.#object += piece;
  }
}
