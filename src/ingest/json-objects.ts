import { type FrameReader, type FrameSink, type ReaderState, readFrame } from './frames.js';
import { HeldBytes } from './held-bytes.js';
import type { IngestLimits } from './limits.js';
import { CLOSE_BRACE, Nesting } from './nesting.js';

/** JSON objects one after another, each over as many lines as it takes: what people write, and programs that write for people. */
export class JsonObjectsReader implements FrameReader {
  readonly #nesting = new Nesting();
  readonly #object: HeldBytes;
  #at: number;
  #pushed = 0;
  #read = 0;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
    { at }: ReaderState = { at: 0 },
  ) {
    this.#object = new HeldBytes(limits);
    this.#at = at;
  }

  get read(): number {
    return this.#read;
  }

  get state(): ReaderState {
    return { at: this.#at };
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      this.#nesting.follow(byte);
      if (byte !== CLOSE_BRACE || this.#nesting.inString || this.#nesting.depth > 0) continue;
      this.#object.hold(bytes.subarray(from, at + 1));
      from = at + 1;
      this.#take();
      this.#read = this.#pushed + from;
    }
    this.#object.hold(bytes.subarray(from));
    this.#pushed += bytes.length;
  }

  /** An object needs its end. */
  end(): void {
    if (this.#take()) this.#read = this.#pushed;
  }

  /** What has come since the last object, and that object, are one piece. */
  #take(): boolean {
    const object = this.#object.take();
    if (object.trim() === '') return true;
    this.#at++;
    return readFrame(object, undefined, { unit: 'object', at: this.#at }, this.sink, this.limits);
  }
}
