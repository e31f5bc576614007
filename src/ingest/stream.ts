import { DomainError } from '../errors.js';
import type { EventInput } from '../events/content.js';
import { type Format, type Reduction, type ReductionContext, recogniseFormat } from './formats.js';
import type { Frame } from './frames.js';
import { Framing } from './framing.js';
import { type IgnoredCounts, type IgnoredKind, Tally } from './ignored.js';
import { DEFAULT_LIMITS, type IngestLimits } from './limits.js';
import type { EndReason, Output } from './reducer.js';
import { DEFAULT_TITLES, type ToolTitles } from './titles.js';

export interface IngestOptions {
  /** Absent: recognised by the stream's first object. */
  readonly format?: Format | undefined;
  readonly sessionId: string;
  readonly titles?: ToolTitles;
  readonly limits?: IngestLimits;
}

export interface IngestCounts {
  /** Objects that were read. */
  readonly objects: number;
  /** Events that they came to. */
  readonly events: number;
  /** What nothing was made of, by kind. */
  readonly ignored: IgnoredCounts;
}

/**
 * One raw stream on its way in: bytes to events, in order, each as soon as it is complete. It holds no more than the limits
 * allow. It never throws for what a stream holds: past a limit it ends by itself, with the text so far, an error event, and
 * the reason in `fault`; whoever feeds it appends those events and then refuses the stream with that reason.
 */
export class IngestStream {
  readonly #framing: Framing;
  readonly #context: ReductionContext;
  /** Undefined until the format is known. */
  #reduction: Reduction | undefined;
  readonly #tally = new Tally();
  #objects = 0;
  #events = 0;
  #fault: DomainError | undefined;
  #hasEnded = false;

  constructor({ format, sessionId, titles = DEFAULT_TITLES, limits = DEFAULT_LIMITS }: IngestOptions) {
    this.#framing = new Framing(limits);
    this.#context = { sessionId, titles, limits };
    this.#reduction = format?.open(this.#context);
  }

  /** The events that this chunk completes. Nothing once the stream has ended or met its fault. */
  push(chunk: Uint8Array): EventInput[] {
    if (this.#hasEnded) return [];
    return this.#collect((output) => this.#reduceAll(this.#framing.push(chunk), output));
  }

  /** The events that the end brings. The second end is none. */
  end(why: EndReason = 'eof'): EventInput[] {
    if (this.#hasEnded) return [];
    return this.#collect((output) => {
      this.#reduceAll(this.#framing.end(), output);
      if (!this.#hasEnded) this.#reduction?.end(why, output);
      this.#hasEnded = true;
    });
  }

  /** Why it stopped reading before its end: PAYLOAD_TOO_LARGE or BAD_USER_INPUT, with the limit in `details`. */
  get fault(): DomainError | undefined {
    return this.#fault;
  }

  get counts(): IngestCounts {
    const ignored = { ...this.#framing.ignored, ...this.#tally.read() };
    return { objects: this.#objects, events: this.#events, ignored };
  }

  #collect(work: (output: Output) => void): EventInput[] {
    const output = { events: [] as EventInput[], ignored: [] as IgnoredKind[] };
    work(output);
    this.#events += output.events.length;
    for (const kind of output.ignored) this.#tally.add(kind);
    return output.events;
  }

  #reduceAll(frames: readonly Frame[], output: Output): void {
    try {
      for (const frame of frames) {
        this.#objects++;
        this.#reduction ??= recogniseFormat(frame).open(this.#context);
        this.#reduction.reduce(frame, output);
      }
      if (this.#framing.fault !== undefined) throw this.#framing.fault;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#fault = error;
      this.#hasEnded = true;
      this.#reduction?.end('limit', output);
    }
  }
}
