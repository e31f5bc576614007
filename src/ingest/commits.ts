import type { PreparedPiece } from './append-piece.js';

/** What one transaction takes, roughly: events, and bytes of the stream that they came from. */
const MAX_EVENTS = 2_000;
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Commits the pieces of a stream in their order, one transaction at a time: what comes while one is running goes into the next, for many
 * events cost little more there than few. It holds no more than the next; whoever adds waits for `room`.
 */
export class Commits {
  #next: PreparedPiece | undefined;
  #bytes = 0;
  #running: Promise<void> | undefined;
  /** The transaction that is running. */
  #current: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly commit: (piece: PreparedPiece) => Promise<void>,
    /** Told at once, for nobody may be waiting; `room` and `settled` throw it too, and nothing is committed any more. */
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Whether something waits for the transaction that is running. */
  get isWaiting(): boolean {
    return this.#next !== undefined;
  }

  add(piece: PreparedPiece, bytes: number): void {
    if (this.#failure !== undefined) return;
    this.#next = this.#next === undefined ? piece : joined(this.#next, piece);
    this.#bytes += bytes;
    this.#running ??= this.#run();
  }

  /** Waits until more may come. @throws what a commit threw. */
  async room(): Promise<void> {
    while (this.#isFull) await this.#current;
    this.#rethrow();
  }

  /** Waits until all is committed. @throws what a commit threw. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#rethrow();
  }

  get #isFull(): boolean {
    return this.#next !== undefined && (this.#next.events.length >= MAX_EVENTS || this.#bytes >= MAX_BYTES);
  }

  #rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    try {
      while (this.#next !== undefined) {
        const piece = this.#next;
        this.#drop();
        this.#current = this.commit(piece);
        // Before whoever waits for room, who finds it then.
        await this.#current;
      }
    } catch (error) {
      this.#failure = { error };
      this.failed(error);
    }
    if (this.#failure !== undefined) this.#drop();
    this.#running = undefined;
  }

  #drop(): void {
    this.#next = undefined;
    this.#bytes = 0;
  }
}

/** Two pieces, one behind the other, as one. How far a turn was read, the later says. */
function joined(earlier: PreparedPiece, later: PreparedPiece): PreparedPiece {
  const turns = new Set(later.progress.map(({ turn }) => turn));
  return {
    events: [...earlier.events, ...later.events],
    ending: [...earlier.ending, ...later.ending],
    progress: [...earlier.progress.filter(({ turn }) => !turns.has(turn)), ...later.progress],
  };
}
