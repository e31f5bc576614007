import { type FrameReader, type FrameSink, type ReaderState, readFrame } from './frames.js';
import { type IngestLimits, pastLimit } from './limits.js';
import { LineSplitter } from './lines.js';

/**
 * Server-sent events as the HTML standard parses them: an event ends at a blank line, its `data` lines are joined by LF, one
 * space after the colon is dropped, comments and unknown fields say nothing. `[DONE]` is some services' end mark, not data.
 */
export class SseReader implements FrameReader {
  readonly #lines: LineSplitter;
  #data: string[] = [];
  #dataBytes = 0;
  #event: string | undefined;
  #read = 0;
  #at: number;

  constructor(
    private readonly sink: FrameSink,
    private readonly limits: IngestLimits,
    { at }: ReaderState = { at: 0 },
  ) {
    this.#at = at;
    this.#lines = new LineSplitter(limits);
  }

  get read(): number {
    return this.#read;
  }

  get state(): ReaderState {
    return { at: this.#at };
  }

  push(bytes: Buffer): void {
    this.#lines.push(bytes, (line) => {
      if (line !== '') this.#field(line);
      else {
        this.#dispatch();
        this.#read = this.#lines.read;
      }
    });
  }

  /** An event without its blank line may be half an event: the standard drops it, and so do we, counted. */
  end(): void {
    const rest = this.#lines.take();
    const isCut =
      this.#data.length > 0 || this.#event !== undefined || (rest !== '' && !rest.startsWith(':'));
    if (isCut) this.sink.ignored('cut_off', { unit: 'event', at: this.#at + 1 });
    else this.#read = this.#lines.read;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const after = colon === -1 ? '' : line.slice(colon + 1);
    const value = after.startsWith(' ') ? after.slice(1) : after;
    if (name === 'data') this.#hold(value);
    else if (name === 'event') this.#event = value;
  }

  #hold(data: string): void {
    this.#dataBytes += Buffer.byteLength(data) + 1;
    if (this.#dataBytes > this.limits.lineBytes) throw pastLimit('lineBytes', this.limits);
    this.#data.push(data);
  }

  #dispatch(): void {
    const [first = ''] = this.#data;
    const data = this.#data.length > 1 ? this.#data.join('\n') : first;
    const event = this.#event || undefined;
    this.#data = [];
    this.#dataBytes = 0;
    this.#event = undefined;
    const trimmed = data.trim();
    if (trimmed === '' || trimmed === '[DONE]') return;
    this.#at++;
    readFrame(data, event, { unit: 'event', at: this.#at }, this.sink, this.limits);
  }
}
