import { type FrameReader, type FrameSink, type ReaderState, readFrame } from './frames.js';
import { HeldBytes } from './held-bytes.js';
import type { IngestLimits } from './limits.js';
import { CLOSE_BRACKET, COMMA, Nesting } from './nesting.js';

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d]);

/** One JSON array of objects, handed on element by element as it comes: only the open element is held. */
export class JsonArrayReader implements FrameReader {
  #place: 'before' | 'between' | 'element' | 'after';
  readonly #element: HeldBytes;
  #at: number;
  readonly #nesting = new Nesting();
  #hasSurplus = false;
  #pushed = 0;
  #read = 0;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
    { at, place = 'before' }: ReaderState = { at: 0 },
  ) {
    this.#element = new HeldBytes(limits);
    this.#at = at;
    this.#place = place;
  }

  get read(): number {
    return this.#read;
  }

  get state(): ReaderState {
    return { at: this.#at, place: this.#place === 'element' ? 'between' : this.#place };
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#place === 'element') {
        if (!this.#endsElement(byte)) continue;
        this.#element.hold(bytes.subarray(from, at));
        this.#close(byte);
        this.#read = this.#pushed + at + 1;
      } else if (this.#opensElement(byte)) {
        this.#place = 'element';
        from = at;
        this.#endsElement(byte);
      } else this.#read = this.#pushed + at + 1;
    }
    if (this.#place === 'element') this.#element.hold(bytes.subarray(from));
    this.#pushed += bytes.length;
  }

  end(): void {
    if (this.#place !== 'after') this.sink.ignored('cut_off', { unit: 'element', at: this.#at + 1 });
  }

  #opensElement(byte: number): boolean {
    if (BLANKS.has(byte)) return false;
    if (this.#place === 'before') this.#place = 'between';
    else if (this.#place === 'after') this.#surplus();
    else if (byte === CLOSE_BRACKET) this.#place = 'after';
    else return byte !== COMMA;
    return false;
  }

  /** Follows the element by one byte; true at the comma or bracket behind it. */
  #endsElement(byte: number): boolean {
    const { inString, depth } = this.#nesting;
    const isEnd = !inString && depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET);
    if (!isEnd) this.#nesting.follow(byte);
    return isEnd;
  }

  /** Whatever follows the array, counted once. */
  #surplus(): void {
    if (!this.#hasSurplus) this.sink.ignored('noise', { unit: 'element', at: this.#at + 1 });
    this.#hasSurplus = true;
  }

  #close(byte: number): void {
    this.#place = byte === CLOSE_BRACKET ? 'after' : 'between';
    this.#at++;
    readFrame(this.#element.take(), undefined, { unit: 'element', at: this.#at }, this.sink, this.limits);
  }
}
