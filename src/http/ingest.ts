import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../accounts/operation.js';
import { renewed } from '../accounts/operation.js';
import { badUserInput, DomainError } from '../errors.js';
import { appendEvents, MAX_EVENTS } from '../events/append.js';
import type { EventInput } from '../events/content.js';
import { sessionCursor } from '../events/listing.js';
import { parseFormat } from '../ingest/formats.js';
import { DEFAULT_LIMITS } from '../ingest/limits.js';
import { IngestStream } from '../ingest/stream.js';
import { requireService } from '../sessions/access.js';
import { requireSession } from '../sessions/loaders.js';
import type { HttpParts } from './parts.js';
import { answerError, answerJson, shuttingDown } from './responses.js';

export const INGEST_PATH = /^\/ingest\/([^/]+)$/;

/**
 * `POST /ingest/{sessionId}?format=…`: a raw agent stream of any length becomes events as it comes; without `format` it is known by its
 * first object. It is read no faster than its events are committed. A stream that fails keeps what was complete; sent again, it adds
 * only what was missing (P3).
 * @throws FORBIDDEN unless SERVICE; BAD_USER_INPUT for an unknown format; NOT_FOUND; what appending throws.
 */
export async function handleIngest(
  { means, config, titles }: HttpParts,
  viewer: Operation['viewer'],
  sessionId: string,
  req: IncomingMessage,
  res: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  requireService(viewer, 'ingest');
  refuseEncoding(req);
  const name = new URLSearchParams(req.url?.split('?')[1]).get('format');
  const format = name ? parseFormat(name) : undefined;
  const operation = { ...means, viewer };
  const { id } = await requireSession(operation, sessionId);
  const limits = { ...DEFAULT_LIMITS, lineBytes: config.maxLine };
  const intake = new Intake(operation, id, new IngestStream({ format, sessionId: id, titles, limits }));
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
  readonly #sessionId: string;
  readonly #stream: IngestStream;
  #accepted = 0;
  #duplicates = 0;
  #checkpoint: string | null = null;

  constructor(operation: Operation, sessionId: string, stream: IngestStream) {
    this.#operation = operation;
    this.#sessionId = sessionId;
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
    const stop = () => req.destroy(shuttingDown());
    closing.addEventListener('abort', stop);
    try {
      const isWhole = await this.#readChunks(req);
      await this.#append(this.#stream.end(await this.#ending(isWhole)));
    } finally {
      closing.removeEventListener('abort', stop);
    }
  }

  /** False when the sender broke off. */
  async #readChunks(req: IncomingMessage): Promise<boolean> {
    try {
      // Not destroyed when the loop is left early: the refusal goes out on the same connection.
      const chunks: AsyncIterable<Buffer> = req.iterator({ destroyOnReturn: false });
      for await (const chunk of chunks) {
        await this.#append(this.#stream.push(chunk));
        if (this.#stream.fault !== undefined) throw this.#stream.fault;
      }
      return true;
    } catch (error) {
      if (error instanceof DomainError || !isReset(error)) throw error;
      return false;
    }
  }

  /** A run that was asked to stop and then ended was stopped. */
  async #ending(isWhole: boolean) {
    const { pendingStop } = await requireSession(renewed(this.#operation), this.#sessionId);
    if (pendingStop !== null) return 'stopped';
    return isWhole ? 'eof' : 'cutoff';
  }

  async #append(events: readonly EventInput[]): Promise<void> {
    for (let start = 0; start < events.length; start += MAX_EVENTS) {
      const batch = events.slice(start, start + MAX_EVENTS);
      const { session, added, duplicates } = await appendEvents(this.#operation, this.#sessionId, batch);
      this.#accepted += added;
      this.#duplicates += duplicates.length;
      this.#checkpoint = sessionCursor(session.id, session.eventHead);
    }
  }
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

function refuseEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw badUserInput(`content-encoding: expected none, got ${encoding}. Send the stream as it is.`);
  }
}
