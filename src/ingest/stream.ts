import { badUserInput, DomainError } from '../errors.js';
import type { EventInput } from '../events/content.js';
import { type Format, type Reduction, type ReductionContext, recogniseFormat } from './formats.js';
import type { Frame, Place } from './frames.js';
import { Framing, type SavedFraming } from './framing.js';
import { endingAt } from './ids.js';
import { type IgnoredCounts, type IgnoredKind, Tally } from './ignored.js';
import { DEFAULT_LIMITS, type IngestLimits } from './limits.js';
import type { EndReason, Output } from './reducer.js';
import { DEFAULT_TITLES, type ToolTitles } from './titles.js';

export interface IngestOptions {
  /** Absent: recognised by the stream's first object. */
  readonly format?: Format | undefined;
  readonly sessionId: string;
  /** As in `IngestContext`; by default nothing tells apart what has no name. */
  readonly run?: string;
  readonly titles?: ToolTitles;
  readonly limits?: IngestLimits;
  /** Where it was broken off; what is pushed is what comes then. `format` is that of the point. */
  readonly from?: Pick<StreamPoint, 'offset' | 'state'>;
}

/** A stream between two of its objects, as it can be kept and gone on with. */
export interface StreamPoint {
  /** Bytes that were read. */
  readonly offset: number;
  /** Null while it is not known. */
  readonly format: string | null;
  /** JSON: all that is to be remembered. */
  readonly state: string;
}

interface SavedState {
  readonly framing: SavedFraming;
  readonly turn: string | null;
  readonly objectsOfTurn: number;
  /** The reduction's own. */
  readonly reduction: string | null;
}

export interface IngestCounts {
  /** Objects that were read. */
  readonly objects: number;
  /** Events that they came to. */
  readonly events: number;
  /** What nothing was made of, by kind. */
  readonly ignored: IgnoredCounts;
}

/** How far a stream has got within a turn. */
export interface Progress {
  /** As `Reducer.turn` calls it. */
  readonly turn: string;
  /** The objects that belong to it: from the one that began it to the one that began the next. */
  readonly objects: number;
}

/** What a piece of a stream comes to: what it says, and what is said because it ends (`Output` tells them apart). */
export interface Piece {
  readonly events: readonly EventInput[];
  readonly ending: readonly EventInput[];
  /** In each turn that the piece is about, in their order. */
  readonly progress: readonly Progress[];
}

/**
 * One raw stream on its way in: bytes to events, in order, each as soon as it is complete. It holds no more than the limits
 * allow. It never throws for what a stream holds: past a limit it ends by itself, with the text so far, an error event, and
 * the reason in `fault`; whoever feeds it appends those events and then refuses the stream with that reason.
 */
export class IngestStream {
  readonly #framing: Framing;
  readonly #context: ReductionContext;
  /** Undefined until it is known, and with it the reduction. */
  #format: Format | undefined;
  #reduction: Reduction | undefined;
  readonly #tally = new Tally();
  /** The turns that were left in the piece at hand. */
  #turnsLeft: Progress[] = [];
  #turn: string | undefined;
  #objectsOfTurn = 0;
  #objects = 0;
  #events = 0;
  #fault: DomainError | undefined;
  /** Whether its bytes are over. */
  #isRead = false;
  #hasEnded = false;

  constructor({ format, from, ...options }: IngestOptions) {
    const { sessionId, run = '', titles = DEFAULT_TITLES, limits = DEFAULT_LIMITS } = options;
    this.#context = { sessionId, run, titles, limits };
    const saved = from === undefined ? FRESH : savedState(from.state);
    this.#framing = new Framing(limits, { offset: from?.offset ?? 0, saved: saved.framing });
    this.#reduction = format?.open(this.#context, saved.reduction ?? undefined);
    this.#format = format;
    this.#turn = saved.turn ?? undefined;
    this.#objectsOfTurn = saved.objectsOfTurn;
  }

  /** What this chunk completes. Nothing once the stream has ended or met its fault. */
  push(chunk: Uint8Array): Piece {
    return this.#collect((output) => this.#reduceAll(this.#framing.push(chunk), output));
  }

  /** What the end of its bytes completes. Only `end` may follow. */
  rest(): Piece {
    return this.#collect((output) => this.#reduceRest(output));
  }

  /** What the end brings, and the rest if that was not asked for. The second end is none. */
  end(why: EndReason = 'eof'): Piece {
    return this.#collect((output) => {
      this.#reduceRest(output);
      if (!this.#hasEnded) this.#reduction?.end(why, output);
      this.#hasEnded = true;
    });
  }

  /** What was pushed up to now, but for half an object at its end. Not once it has ended. */
  point(): StreamPoint {
    const state: SavedState = {
      framing: this.#framing.save(),
      turn: this.#turn ?? null,
      objectsOfTurn: this.#objectsOfTurn,
      reduction: this.#reduction?.save() ?? null,
    };
    return { offset: this.offset, format: this.#format?.name ?? null, state: JSON.stringify(state) };
  }

  /** Bytes of it that were read, up to the end of the last object that came whole. */
  get offset(): number {
    return this.#framing.offset;
  }

  /** Whether something has begun that its end would be about. */
  get hasBegun(): boolean {
    return this.#turn !== undefined;
  }

  /** Why it stopped reading before its end: PAYLOAD_TOO_LARGE or BAD_USER_INPUT, with the limit in `details`. */
  get fault(): DomainError | undefined {
    return this.#fault;
  }

  get counts(): IngestCounts {
    const ignored = { ...this.#framing.ignored, ...this.#tally.read() };
    return { objects: this.#objects, events: this.#events, ignored };
  }

  #collect(work: (output: Output) => void): Piece {
    if (this.#hasEnded) return NOTHING;
    const output = { events: [] as EventInput[], ending: [] as EventInput[], ignored: [] as IgnoredKind[] };
    this.#turnsLeft = [];
    work(output);
    this.#events += output.events.length + output.ending.length;
    for (const kind of output.ignored) this.#tally.add(kind);
    return {
      events: output.events,
      ending: output.ending.map((event) => endingAt(event, this.#objectsOfTurn)),
      progress: [...this.#turnsLeft, ...this.#progress()],
    };
  }

  #reduceRest(output: Output): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#reduceAll(this.#framing.end(), output);
  }

  #reduceAll(frames: readonly Frame[], output: Output): void {
    try {
      for (const frame of frames) {
        this.#objects++;
        this.#format ??= recogniseFormat(frame);
        this.#reduction ??= this.#format.open(this.#context);
        this.#refuseLost(frame.place);
        this.#reduction.reduce(frame, output);
        this.#getOn();
      }
      this.#refuseLost();
      if (this.#framing.fault !== undefined) throw this.#framing.fault;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#fault = error;
      this.#hasEnded = true;
      // What could not be read is one more object, so that a stream which breaks off before it has not come as far.
      this.#getOn();
      this.#reduction?.end('limit', output);
    }
  }

  /** A strict format has no noise. @throws BAD_USER_INPUT for what lay before this place and was no object. */
  #refuseLost(place?: Place): void {
    const { lost } = this.#framing;
    if (!this.#reduction?.isStrict || lost === undefined || (place && place.at < lost.at)) return;
    throw badUserInput(`${lost.unit} ${lost.at}: expected one whole JSON object, got something else.`);
  }

  /** Counts an object. One that begins a turn is the last of the turn before too. */
  #getOn(): void {
    this.#objectsOfTurn++;
    const turn = this.#reduction?.turn();
    if (turn === this.#turn) return;
    this.#turnsLeft.push(...this.#progress());
    this.#turn = turn;
    this.#objectsOfTurn = 1;
  }

  /** In the turn that is open, if one is. */
  #progress(): Progress[] {
    return this.#turn === undefined ? [] : [{ turn: this.#turn, objects: this.#objectsOfTurn }];
  }
}

const FRESH: SavedState = { framing: null, turn: null, objectsOfTurn: 0, reduction: null };

/** What `point` wrote. */
const savedState = (state: string): SavedState => JSON.parse(state) as SavedState;

const NOTHING: Piece = { events: [], ending: [], progress: [] };
