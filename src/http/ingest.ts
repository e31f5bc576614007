import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Operation } from '../accounts/operation.js';
import { badUserInput, DomainError } from '../errors.js';
import { findLastMessage } from '../events/store.js';
import { type Format, parseFormat } from '../ingest/formats.js';
import { Intake, Silence } from '../ingest/intake.js';
import { DEFAULT_LIMITS } from '../ingest/limits.js';
import { KeptStream, runOf } from '../ingest/resuming.js';
import { IngestStream } from '../ingest/stream.js';
import { findStream } from '../ingest/stream-store.js';
import { id, isObject, optional, parse } from '../parse.js';
import { requireService } from '../sessions/access.js';
import { requireSession } from '../sessions/loaders.js';
import type { SessionRow } from '../sessions/store.js';
import type { IngestParts } from './parts.js';
import { answerError, answerJson, shuttingDown } from './responses.js';

export const INGEST_PATH = /^\/ingest\/([^/]+)$/;

/** How far a named stream was read, in bytes: in answers, and in the request that goes on there. */
const OFFSET = 'ingest-offset';

interface Asked {
  readonly format: Format | undefined;
  /** What the writer calls the stream. */
  readonly name: string | undefined;
  readonly offset: number | undefined;
}

/** @throws BAD_USER_INPUT for a format that is unknown, a name that is none, an offset without a name. */
function askedOf({ url, headers }: IncomingMessage): Asked {
  const query = new URLSearchParams(url?.split('?')[1]);
  const format = query.get('format');
  const name = parse(optional(id()), query.get('stream'), 'stream');
  const given = headers[OFFSET];
  if (given === undefined)
    return { format: format ? parseFormat(format) : undefined, name, offset: undefined };
  const offset = /^\d{1,15}$/.test(String(given)) ? Number(given) : undefined;
  if (offset === undefined || name === undefined) {
    throw badUserInput('Ingest-Offset: expected a number of bytes, and the name of the stream as ?stream=….');
  }
  return { format: format ? parseFormat(format) : undefined, name, offset };
}

/**
 * `HEAD /ingest/{sessionId}?stream=…`: how many bytes of that stream were read and committed, in `Ingest-Offset`; 0 of one that is unknown.
 * @throws FORBIDDEN unless SERVICE; BAD_USER_INPUT without a name; NOT_FOUND.
 */
export async function tellOffset(
  { means }: IngestParts,
  viewer: Operation['viewer'],
  sessionId: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  requireService(viewer, 'ingest');
  const { name } = askedOf(req);
  if (name === undefined) throw badUserInput('stream: expected the name of a stream, as ?stream=….');
  const session = await requireSession({ ...means, viewer }, sessionId);
  const stored = await findStream(means.database.prisma, { sessionId: session.id, stream: name });
  res.writeHead(200, { [OFFSET]: String(stored?.offset ?? 0), 'cache-control': 'no-store' }).end();
}

/**
 * `POST /ingest/{sessionId}?format=…`: a raw agent stream of any length becomes events as it comes; without `format` it is known by its
 * first object. It is read no faster than its events are committed. A stream that fails keeps what was complete; sent again, it adds
 * only what was missing (P3). What it gives no name, such as a message without an id, has that of the stream, `stream=…`, or else of the
 * user's last message. A stream with a name that breaks off can be gone on with, at `Ingest-Offset`.
 * @throws FORBIDDEN unless SERVICE; BAD_USER_INPUT as `askedOf` says; NOT_FOUND; CONFLICT for another offset; what appending throws.
 */
export async function handleIngest(
  parts: IngestParts,
  viewer: Operation['viewer'],
  sessionId: string,
  req: IncomingMessage,
  res: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  requireService(viewer, 'ingest');
  refuseEncoding(req);
  const asked = askedOf(req);
  const operation = { ...parts.means, viewer };
  const session = await requireSession(operation, sessionId);
  const { silenceMs } = parts.config;
  try {
    const { stream, kept } = await open(parts, operation, session, asked);
    const watch = (ended: (reason: DomainError) => void) => parts.authority?.watch(viewer, { ended });
    const intake = new Intake({ operation, session, stream, kept, silenceMs });
    await answerIntake(intake, res, () => readBody(intake, req, closing, watch));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    answerError(res, error, offsetOf(error));
  }
}

/** The stream as its writer goes on with it, or a new one. */
async function open(
  { config, titles }: IngestParts,
  operation: Operation,
  session: SessionRow,
  { format, name, offset }: Asked,
) {
  const given = { sessionId: session.id, titles, limits: { ...DEFAULT_LIMITS, lineBytes: config.maxLine } };
  if (name === undefined) {
    const run = `message ${await findLastMessage(operation, session)}`;
    return { stream: new IngestStream({ ...given, format, run }), kept: undefined };
  }
  const key = { sessionId: session.id, stream: name };
  const wanted = { offset, format: format?.name };
  const { kept, from } = await KeptStream.claim(operation, key, wanted, config.silenceMs);
  const known = from?.format ? parseFormat(from.format) : format;
  const start =
    from === undefined || from.state === null ? {} : { from: { offset: from.offset, state: from.state } };
  return { stream: new IngestStream({ ...given, ...start, format: known, run: runOf(name) }), kept };
}

/** Answers how far the stream came, whether it came to its end or not. */
async function answerIntake(intake: Intake, res: ServerResponse, read: () => Promise<void>): Promise<void> {
  try {
    await read();
    answerJson(res, intake.summary, intake.offset === undefined ? {} : offsetHeader(intake.offset));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const details = { ...error.details, ...intake.summary };
    answerError(res, new DomainError(error.code, error.message, details), {
      ...statusOf(error),
      ...(intake.offset === undefined ? {} : offsetHeader(intake.offset)),
      ...offsetOf(error),
    });
  }
}

/** What the stream holds is at fault, not how it was asked for; and it is the sender who took too long. */
const statusOf = (error: DomainError) => {
  if (error.code === 'BAD_USER_INPUT') return { status: 422 };
  return error instanceof Silence ? { status: 408 } : {};
};

const offsetHeader = (offset: number) => ({ headers: { [OFFSET]: String(offset) } });

/** Of a conflict about the offset: the one that is right. */
function offsetOf({ details: { current } }: DomainError) {
  return isObject(current) && typeof current.offset === 'number' ? offsetHeader(current.offset) : {};
}

/**
 * Bytes that are read while what came before is being committed. They make the next transaction: many events cost little more there than
 * few.
 */
const AHEAD = 512 * 1024;

async function readBody(
  intake: Intake,
  req: IncomingMessage,
  closing: AbortSignal,
  watch: (ended: (reason: DomainError) => void) => (() => void) | undefined,
): Promise<void> {
  // Apart from the request, whose connection the answer needs when the reading stops early.
  const body = new PassThrough({ readableHighWaterMark: AHEAD });
  const stop = () => body.destroy(shuttingDown());
  closing.addEventListener('abort', stop);
  if (closing.aborted) stop();
  // A credential that ends meanwhile ends the upload (P9).
  const release = watch((reason) => body.destroy(reason));
  req.on('error', (error) => body.destroy(error)).pipe(body);
  try {
    await intake.read(body);
  } finally {
    release?.();
    closing.removeEventListener('abort', stop);
  }
}

function refuseEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw badUserInput(`content-encoding: expected none, got ${encoding}. Send the stream as it is.`);
  }
}
