import { DomainError } from '../errors.js';
import type { Frame, FrameSink, Place, TextReader } from './frames.js';
import { type IgnoredCounts, Tally } from './ignored.js';
import { JsonArrayReader } from './json-array.js';
import { JsonLinesReader } from './json-lines.js';
import { JsonObjectsReader } from './json-objects.js';
import { DEFAULT_LIMITS, type IngestLimits } from './limits.js';
import { SseReader } from './sse.js';

type Shape = 'sse' | 'json-lines' | 'json-array' | 'json-objects';

const READERS: Record<Shape, new (sink: FrameSink, limits: IngestLimits) => TextReader> = {
  sse: SseReader,
  'json-lines': JsonLinesReader,
  'json-array': JsonArrayReader,
  'json-objects': JsonObjectsReader,
};

/**
 * Bytes in, JSON objects out, however the bytes are cut: one streaming UTF-8 decoder, then SSE, JSON lines, one JSON array or objects
 * over several lines each, told apart by the first characters. What is no object is counted. Past a limit it stops: `fault` says why,
 * the frames that came before are still returned, and whatever follows is not read.
 */
export class Framing {
  // Drops the byte order mark; a byte that is no UTF-8 becomes U+FFFD.
  readonly #decoder = new TextDecoder('utf-8');
  readonly #tally = new Tally();
  #frames: Frame[] = [];
  /** Text that does not yet tell the shape, without leading blanks: a few characters. */
  #undecided = '';
  #reader: TextReader | undefined;
  #fault: DomainError | undefined;
  #lost: Place | undefined;

  constructor(private readonly limits: IngestLimits = DEFAULT_LIMITS) {}

  /** The objects that this chunk completes, in order. */
  push(chunk: Uint8Array): Frame[] {
    return this.#collect(() => this.#read(this.#decoder.decode(chunk, { stream: true })));
  }

  /** The objects that the end of the stream completes: a last JSON line without its line end, for one. */
  end(): Frame[] {
    return this.#collect(() => {
      this.#read(this.#decoder.decode());
      if (this.#undecided !== '') this.#start('json-lines');
      this.#reader?.end();
    });
  }

  /** Why it stopped reading: PAYLOAD_TOO_LARGE or BAD_USER_INPUT. */
  get fault(): DomainError | undefined {
    return this.#fault;
  }

  /** Where the first thing lies that is no object. */
  get lost(): Place | undefined {
    return this.#lost;
  }

  get ignored(): IgnoredCounts {
    return this.#tally.read();
  }

  #collect(read: () => void): Frame[] {
    if (this.#fault !== undefined) return [];
    try {
      read();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#fault = error;
    }
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  #read(text: string): void {
    if (this.#reader !== undefined) {
      this.#reader.push(text);
      return;
    }
    this.#undecided = (this.#undecided + text).trimStart();
    const shape = shapeOf(this.#undecided);
    if (shape !== undefined) this.#start(shape);
    // A bracket or brace waits for what comes next, however many blanks that takes.
    else if (/^[[{]/.test(this.#undecided)) this.#undecided = this.#undecided.charAt(0);
  }

  #start(shape: Shape): void {
    const sink: FrameSink = {
      frame: (frame) => this.#frames.push(frame),
      ignored: (kind, place) => {
        this.#tally.add(kind);
        this.#lost ??= place;
      },
    };
    this.#reader = new READERS[shape](sink, this.limits);
    this.#reader.push(this.#undecided);
    this.#undecided = '';
  }
}

const SSE_FIELDS = ['data', 'event', 'id', 'retry'].flatMap((name) => [`${name}:`, `${name}\n`, `${name}\r`]);

/**
 * The shape that text without leading blanks begins, undefined while it may still be several. A `[` begins an array only before
 * an object or its end: log lines like `[info] …` come before JSON lines too.
 */
function shapeOf(text: string): Shape | undefined {
  if (text === '') return undefined;
  if (text.startsWith('[')) {
    const next = text.slice(1).trimStart().charAt(0);
    if (next === '') return undefined;
    return next === '{' || next === ']' ? 'json-array' : 'json-lines';
  }
  if (text.startsWith('{')) return shapeOfObject(text);
  if (text.startsWith(':') || SSE_FIELDS.some((field) => text.startsWith(field))) return 'sse';
  return SSE_FIELDS.some((field) => field.startsWith(text)) ? undefined : 'json-lines';
}

/** An object that is alone with its brace on the first line goes on over the next. */
function shapeOfObject(text: string): Shape | undefined {
  const next = /[^ \t]/.exec(text.slice(1))?.[0];
  if (next === undefined) return undefined;
  return next === '\n' || next === '\r' ? 'json-objects' : 'json-lines';
}
