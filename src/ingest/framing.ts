import { DomainError } from '../errors.js';
import type { Frame, FrameReader, FrameSink, Place, ReaderState } from './frames.js';
import { type IgnoredCounts, Tally } from './ignored.js';
import { JsonArrayReader } from './json-array.js';
import { JsonLinesReader } from './json-lines.js';
import { JsonObjectsReader } from './json-objects.js';
import { DEFAULT_LIMITS, type IngestLimits } from './limits.js';
import { SseReader } from './sse.js';

type Shape = 'sse' | 'json-lines' | 'json-array' | 'json-objects';

const READERS: Record<
  Shape,
  new (
    sink: FrameSink,
    limits: IngestLimits,
    state?: ReaderState,
  ) => FrameReader
> = {
  sse: SseReader,
  'json-lines': JsonLinesReader,
  'json-array': JsonArrayReader,
  'json-objects': JsonObjectsReader,
};

/** All that is to be known to go on reading at `Framing.offset`, as JSON; null before the shape is known. */
export type SavedFraming = { readonly shape: Shape; readonly state: ReaderState } | null;

/** Where a stream is gone on with. */
export interface FramingStart {
  readonly offset: number;
  readonly saved: SavedFraming;
}

/**
 * Bytes in, JSON objects out, however the bytes are cut: SSE, JSON lines, one JSON array or objects over several lines each, told apart
 * by the first characters. What is no object is counted. Past a limit it stops: `fault` says why, the frames that came before are still
 * returned, and whatever follows is not read.
 */
export class Framing {
  readonly #tally = new Tally();
  #frames: Frame[] = [];
  /** What does not yet tell the shape, without leading blanks: a few bytes. */
  #undecided: Buffer = Buffer.alloc(0);
  #shape: Shape | undefined;
  #reader: FrameReader | undefined;
  /** Where what is undecided begins, and with it the reader. */
  #begin: number;
  /** Blanks that it was not given. */
  #dropped = 0;
  #fault: DomainError | undefined;
  #lost: Place | undefined;

  constructor(
    private readonly limits: IngestLimits = DEFAULT_LIMITS,
    { offset, saved }: FramingStart = { offset: 0, saved: null },
  ) {
    this.#begin = offset;
    if (saved !== null) this.#start(saved.shape, saved.state);
  }

  /** The objects that this chunk completes, in order. */
  push(chunk: Uint8Array): Frame[] {
    return this.#collect(() => this.#read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** The objects that the end of the stream completes: a last JSON line without its line end, for one. */
  end(): Frame[] {
    return this.#collect(() => {
      if (this.#undecided.length > 0) this.#decide('json-lines');
      this.#reader?.end();
    });
  }

  /** Bytes of the stream up to the end of the last object that came whole. */
  get offset(): number {
    const read = this.#reader?.read ?? 0;
    return this.#begin + (read === 0 ? 0 : this.#dropped + read);
  }

  save(): SavedFraming {
    if (this.#shape === undefined || this.#reader === undefined) return null;
    return { shape: this.#shape, state: this.#reader.state };
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

  #read(bytes: Buffer): void {
    if (this.#reader !== undefined) {
      this.#reader.push(bytes);
      return;
    }
    const whole = Buffer.concat([this.#undecided, bytes]);
    const blanks = blanksBefore(whole);
    this.#begin += blanks;
    this.#undecided = whole.subarray(blanks);
    const shape = shapeOf(this.#undecided.toString('latin1'));
    if (shape !== undefined) this.#decide(shape);
    // A bracket or brace waits for what comes next, however many blanks that takes.
    else if (this.#undecided[0] === OPEN_BRACKET || this.#undecided[0] === OPEN_BRACE) {
      this.#dropped += this.#undecided.length - 1;
      this.#undecided = this.#undecided.subarray(0, 1);
    }
  }

  #decide(shape: Shape): void {
    const begun = this.#undecided;
    this.#undecided = Buffer.alloc(0);
    this.#start(shape).push(begun);
  }

  #start(shape: Shape, state?: ReaderState): FrameReader {
    const sink: FrameSink = {
      frame: (frame) => this.#frames.push(frame),
      ignored: (kind, place) => {
        this.#tally.add(kind);
        this.#lost ??= place;
      },
    };
    this.#shape = shape;
    this.#reader = new READERS[shape](sink, this.limits, state);
    return this.#reader;
  }
}

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** Bytes of blanks and of byte order marks that a stream begins with. */
const blanksBefore = (bytes: Buffer): number =>
  /^(?:[\t\n\v\f\r ]|\xEF\xBB\xBF)*/.exec(bytes.toString('latin1'))?.[0].length ?? 0;

const SSE_FIELDS = ['data', 'event', 'id', 'retry'].flatMap((name) => [`${name}:`, `${name}\n`, `${name}\r`]);

/**
 * The shape that bytes without leading blanks begin, one character a byte; undefined while it may still be several. A `[` begins an array
 * only before an object or its end: log lines like `[info] …` come before JSON lines too.
 */
function shapeOf(text: string): Shape | undefined {
  if (text === '' || text === '\xEF' || text === '\xEF\xBB') return undefined;
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
