import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Operation } from '../accounts/operation.js';
import { renewed } from '../accounts/operation.js';
import { badUserInput, DomainError } from '../errors.js';
import { sessionCursor } from '../events/listing.js';
import { findLastMessage, wasAskedToStop } from '../events/store.js';
import { appendPiece } from '../ingest/append-piece.js';
import { parseFormat } from '../ingest/formats.js';
import { DEFAULT_LIMITS } from '../ingest/limits.js';
import { IngestStream, type Piece } from '../ingest/stream.js';
import { id, optional, parse } from '../parse.js';
import { requireService } from '../sessions/access.js';
import { requireSession } from '../sessions/loaders.js';
import type { SessionRow } from '../sessions/store.js';
import type { IngestParts } from './parts.js';
import { answerError, answerJson, shuttingDown } from './responses.js';

export const INGEST_PATH = /^\/ingest\/([^/]+)$/;

/**
 * `POST /ingest/{sessionId}?format=…`: a raw agent stream of any length becomes events as it comes; without `format` it is known by its
 * first object. It is read no faster than its events are committed. A stream that fails keeps what was complete; sent again, it adds
 * only what was missing (P3). What it gives no name, such as a message without an id, has that of the stream, `stream=…`, or else of the
 * user's last message.
 * @throws FORBIDDEN unless SERVICE; BAD_USER_INPUT for an unknown format; NOT_FOUND; what appending throws.
 */
export async function handleIngest(
  { means, config, titles }: IngestParts,
  viewer: Operation['viewer'],
  sessionId: string,
  req: IncomingMessage,
  res: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  requireService(viewer, 'ingest');
  refuseEncoding(req);
  const query = new URLSearchParams(req.url?.split('?')[1]);
  const formatName = query.get('format');
  const format = formatName ? parseFormat(formatName) : undefined;
  const name = parse(optional(id()), query.get('stream'), 'stream');
  const operation = { ...means, viewer };
  const session = await requireSession(operation, sessionId);
  const run = name ? `stream ${name}` : `message ${await findLastMessage(operation, session)}`;
  const limits = { ...DEFAULT_LIMITS, lineBytes: config.maxLine };
  const stream = new IngestStream({ format, sessionId: session.id, run, titles, limits });
  const intake = new Intake(operation, session, stream);
  try {
    await intake.read(req, closing);
    answerJson(res, intake.summary);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // What the stream holds is at fault, not how it was asked for.
    const status = error.code === 'BAD_USER_INPUT' ? { status: 422 } : {};
    const details = { ...error.details, ...intake.summary };
    answerError(res, new DomainError(error.code, error.message, details), status);
  }
}

/** One stream on its way into a session. */
class Intake {
  readonly #operation: Operation;
  /** As it was when the stream began. */
  readonly #session: SessionRow;
  readonly #stream: IngestStream;
  #accepted = 0;
  #duplicates = 0;
  #checkpoint: string | null = null;

  constructor(operation: Operation, session: SessionRow, stream: IngestStream) {
    this.#operation = operation;
    this.#session = session;
    this.#stream = stream;
  }

  /** How many events were new, how many were there already, what nothing was made of, and the log's end; null if nothing came. */
  get summary() {
    return {
      accepted: this.#accepted,
      duplicates: this.#duplicates,
      ignored: this.#stream.counts.ignored,
      checkpoint: this.#checkpoint,
    };
  }

  async read(req: IncomingMessage, closing: AbortSignal): Promise<void> {
    // Apart from the request, whose connection the answer needs when the reading stops early.
    const body = new PassThrough();
    const stop = () => body.destroy(shuttingDown());
    closing.addEventListener('abort', stop);
    if (closing.aborted) stop();
    req.on('error', (error) => body.destroy(error)).pipe(body);
    try {
      const isWhole = await this.#readChunks(body);
      const piece = this.#stream.end(await this.#ending(isWhole));
      if (piece.progress.length > 0 || saysSomething(piece)) await this.#append(piece);
      // Its last line may be what it fails by.
      if (this.#stream.fault !== undefined) throw this.#stream.fault;
    } finally {
      closing.removeEventListener('abort', stop);
    }
  }

  /** False when the sender broke off. */
  async #readChunks(body: AsyncIterable<Buffer>): Promise<boolean> {
    try {
      for await (const chunk of body) {
        const piece = this.#stream.push(chunk);
        if (saysSomething(piece)) await this.#append(piece);
        if (this.#stream.fault !== undefined) throw this.#stream.fault;
      }
      return true;
    } catch (error) {
      if (error instanceof DomainError || !isReset(error)) throw error;
      return false;
    }
  }

  /** A run that was asked to stop and then ended was stopped, also if its user asked for more before it did. */
  async #ending(isWhole: boolean) {
    const { pendingStop } = await requireSession(renewed(this.#operation), this.#session.id);
    if (pendingStop !== null || (await wasAskedToStop(this.#operation, this.#session))) return 'stopped';
    return isWhole ? 'eof' : 'cutoff';
  }

  async #append(piece: Piece): Promise<void> {
    const { session, added, duplicates } = await appendPiece(this.#operation, this.#session.id, piece);
    this.#accepted += added;
    this.#duplicates += duplicates;
    this.#checkpoint = sessionCursor(session.id, session.eventHead);
  }
}

/** Something more than progress within a turn, which the next piece tells too. */
const saysSomething = ({ events, ending, progress }: Piece): boolean =>
  events.length > 0 || ending.length > 0 || progress.length > 1;

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

function refuseEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw badUserInput(`content-encoding: expected none, got ${encoding}. Send the stream as it is.`);
  }
}
