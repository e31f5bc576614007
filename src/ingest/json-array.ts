import { type FrameSink, readFrame, type TextReader } from './frames.js';
import { type IngestLimits, pastLimit } from './limits.js';
import { Nesting } from './nesting.js';

/** One JSON array of objects, handed on element by element as it comes: only the open element is held. */
export class JsonArrayReader implements TextReader {
  #place: 'before' | 'between' | 'element' | 'after' = 'before';
  #element = '';
  #bytes = 0;
  #at = 0;
  readonly #nesting = new Nesting();
  #hasSurplus = false;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
  ) {}

  push(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at);
      if (this.#place === 'element') {
        if (!this.#endsElement(char)) continue;
        this.#hold(text.slice(from, at));
        this.#close(char);
      } else if (this.#opensElement(char)) {
        this.#place = 'element';
        from = at;
        this.#endsElement(char);
      }
    }
    if (this.#place === 'element') this.#hold(text.slice(from));
  }

  end(): void {
    if (this.#place !== 'after') this.sink.ignored('cut_off', { unit: 'element', at: this.#at + 1 });
  }

  #opensElement(char: string): boolean {
    if (/\s/.test(char)) return false;
    if (this.#place === 'before') this.#place = 'between';
    else if (this.#place === 'after') this.#surplus();
    else if (char === ']') this.#place = 'after';
    else return char !== ',';
    return false;
  }

  /** Follows the element by one character; true at the comma or bracket behind it. */
  #endsElement(char: string): boolean {
    const isEnd = !this.#nesting.inString && this.#nesting.depth === 0 && (char === ',' || char === ']');
    if (!isEnd) this.#nesting.follow(char);
    return isEnd;
  }

  /** Whatever follows the array, counted once. */
  #surplus(): void {
    if (!this.#hasSurplus) this.sink.ignored('noise', { unit: 'element', at: this.#at + 1 });
    this.#hasSurplus = true;
  }

  #close(char: string): void {
    const element = this.#element;
    this.#place = char === ']' ? 'after' : 'between';
    this.#element = '';
    this.#bytes = 0;
    this.#at++;
    readFrame(element, undefined, { unit: 'element', at: this.#at }, this.sink, this.limits);
  }

  #hold(piece: string): void {
    this.#bytes += Buffer.byteLength(piece);
    if (this.#bytes > this.limits.lineBytes) throw pastLimit('lineBytes', this.limits);
    this.#element += piece;
  }
}
