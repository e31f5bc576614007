import type { Readable } from 'node:stream';
import type { Operation } from '../accounts/operation.js';
import { renewed } from '../accounts/operation.js';
import { transact } from '../database/transact.js';
import { DomainError, type ErrorCode } from '../errors.js';
import { sessionCursor } from '../events/listing.js';
import { wasAskedToStop } from '../events/store.js';
import { requireSession } from '../sessions/loaders.js';
import { lockSession, type SessionRow } from '../sessions/store.js';
import { appendPiece, type KindCounts, type PreparedPiece, preparePiece } from './append-piece.js';
import { Commits } from './commits.js';
import type { EndReason } from './reducer.js';
import type { KeptStream } from './resuming.js';
import type { IngestStream, StreamPoint } from './stream.js';

export interface IntakeOptions {
  readonly operation: Operation;
  /** As it is when the stream begins. */
  readonly session: SessionRow;
  readonly stream: IngestStream;
  /** Where its writer gave it a name. */
  readonly kept: KeptStream | undefined;
  /** After so many ms without a byte it is over. */
  readonly silenceMs: number;
}

/** One stream on its way into a session. It is read no further than one transaction ahead of what is committed. */
export class Intake {
  readonly #given: IntakeOptions;
  readonly #kinds = new Map<string, KindCounts>();
  #checkpoint: string | null = null;
  #keptAt = performance.now();
  #offset: number | undefined;

  constructor(given: IntakeOptions) {
    this.#given = given;
  }

  /** Up to where a named stream is kept; undefined before anything of it is, or without a name. */
  get offset(): number | undefined {
    return this.#offset;
  }

  /** How many events were new, how many were there already, what nothing was made of, and the log's end; null if nothing came. */
  get summary() {
    const counts = [...this.#kinds.values()];
    return {
      accepted: counts.reduce((sum, { accepted }) => sum + accepted, 0),
      duplicates: counts.reduce((sum, { duplicates }) => sum + duplicates, 0),
      kinds: Object.fromEntries(this.#kinds),
      ignored: this.#given.stream.counts.ignored,
      checkpoint: this.#checkpoint,
    };
  }

  /**
   * Reads the body to its end. A named stream whose sender breaks off, or that the server interrupts, may go on later, so nothing is said
   * of its end.
   * @throws what `body` was destroyed with; TIMEOUT when it was silent; the stream's fault; what appending throws.
   */
  async read(body: Readable): Promise<void> {
    const commits = new Commits(
      (piece) => this.#append(piece, false),
      // Who waits for more bytes need not wait for them any more.
      (error) => body.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    const why = await this.#readChunks(body, commits);
    await commits.settled();
    const ending = await this.#ending(why);
    if (ending === 'cutoff' && this.#given.kept !== undefined) await this.#keep();
    else await this.#finish(ending);
    if (ending === 'timeout') throw new Silence(this.#given.silenceMs);
  }

  async #readChunks(body: Readable, commits: Commits): Promise<EndReason> {
    let silence = this.#listen(body);
    try {
      for await (const chunk of body) {
        clearTimeout(silence);
        await this.#take(chunk, commits);
        silence = this.#listen(body);
      }
      return 'eof';
    } catch (error) {
      if (error instanceof Silence) return 'timeout';
      if (isReset(error)) return 'cutoff';
      // Where the stream is kept, all before it is committed.
      await commits.settled();
      if (error instanceof DomainError && INTERRUPTIONS.includes(error.code)) await this.#keep();
      throw error;
    } finally {
      clearTimeout(silence);
    }
  }

  /** Only while it waits for the sender: a busy database is nobody's silence. */
  #listen(body: Readable): NodeJS.Timeout {
    const { silenceMs } = this.#given;
    return setTimeout(() => body.destroy(new Silence(silenceMs)), silenceMs);
  }

  async #take(chunk: Uint8Array, commits: Commits): Promise<void> {
    const { stream, kept } = this.#given;
    const piece = preparePiece(stream.push(chunk));
    if (stream.fault !== undefined) {
      await commits.settled();
      if (saysSomething(piece)) await this.#append(piece, true);
      throw stream.fault;
    }
    if (commits.isWaiting || saysSomething(piece)) commits.add(piece, chunk.length);
    else if (kept !== undefined && performance.now() - this.#keptAt > kept.pace) {
      await commits.settled();
      await this.#keep();
    }
    await commits.room();
  }

  /** A run that was asked to stop and then ended was stopped, also if its user asked for more before it did. */
  async #ending(why: EndReason): Promise<EndReason> {
    const { operation, session } = this.#given;
    const { pendingStop } = await requireSession(renewed(operation), session.id);
    return pendingStop !== null || (await wasAskedToStop(operation, session)) ? 'stopped' : why;
  }

  async #finish(ending: EndReason): Promise<void> {
    const { stream, kept } = this.#given;
    // Apart, so that what is kept is the stream as it was before its end: who goes on does not go on with that.
    const rest = kept === undefined ? undefined : preparePiece(stream.rest());
    if (rest !== undefined && saysSomething(rest)) await this.#append(rest, stream.fault !== undefined);
    const point = kept === undefined || stream.fault !== undefined ? undefined : stream.point();
    const piece = preparePiece(stream.end(ending));
    if (kept !== undefined || piece.progress.length > 0 || saysSomething(piece)) {
      await this.#append(piece, true, point);
    }
    // Its last line may be what it fails by.
    if (stream.fault !== undefined) throw stream.fault;
  }

  /** With a named stream's place in the same transaction: nobody finds one without the other. */
  async #append(piece: PreparedPiece, isOver: boolean, before?: StreamPoint): Promise<void> {
    const { operation, session, stream, kept } = this.#given;
    const point = kept === undefined || isOver ? before : stream.point();
    const appended = await appendPiece(operation, session.id, piece, async (tx) =>
      kept?.store(tx, point, isOver),
    );
    this.#noteKept(point);
    for (const [kind, { accepted, duplicates }] of appended.kinds) {
      const before = this.#kinds.get(kind) ?? { accepted: 0, duplicates: 0 };
      this.#kinds.set(kind, {
        accepted: before.accepted + accepted,
        duplicates: before.duplicates + duplicates,
      });
    }
    this.#checkpoint = sessionCursor(appended.session.id, appended.session.eventHead);
  }

  /** Keeps a named stream where it is, though nothing of it is to be told. One that begins anew keeps what was known until it is on its way. */
  async #keep(): Promise<void> {
    const { operation, session, stream, kept } = this.#given;
    if (kept === undefined || stream.fault !== undefined || !stream.hasBegun) return;
    const point = stream.point();
    await transact(operation.database, async (tx) => {
      await lockSession(tx, operation.viewer, session.id);
      await kept.store(tx, point, false);
    });
    this.#noteKept(point);
  }

  #noteKept(point: StreamPoint | undefined): void {
    this.#keptAt = performance.now();
    this.#offset = point?.offset ?? this.#offset;
  }
}

/** What interrupts a stream that may go on: at another server, or with another credential. */
const INTERRUPTIONS: readonly ErrorCode[] = ['SHUTTING_DOWN', 'UNAUTHENTICATED', 'PLAN_UPGRADE_REQUIRED'];

/** Nothing came for so long. */
export class Silence extends DomainError {
  constructor(ms: number) {
    super(
      'TIMEOUT',
      `stream: expected more within ${ms / 1_000} seconds, got nothing, and took it for over. Send it again if it goes on.`,
    );
  }
}

/** Something more than progress within a turn, which the next piece tells too. */
const saysSomething = ({ events, ending, progress }: PreparedPiece): boolean =>
  events.length > 0 || ending.length > 0 || progress.length > 1;

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
