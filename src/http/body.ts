import type { IncomingMessage } from 'node:http';
import { DomainError } from '../errors.js';

/** How long a body may take, in ms: who sends slower holds a connection for nothing. */
const BODY_TIMEOUT = 60_000;

/** How long, in ms, and how many bytes a refused sender may go on before its connection is cut: only so can it read the refusal. */
const DRAIN_TIME = 5_000;
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * Reads a whole body of at most `maximum` bytes as UTF-8, without its byte order mark.
 * @throws PAYLOAD_TOO_LARGE as soon as that is certain; the rest of the body is then the caller's to `drain`.
 */
export async function readBody(req: IncomingMessage, maximum: number): Promise<string> {
  if (Number(req.headers['content-length'] ?? 0) > maximum) throw tooLarge(maximum);
  const timer = setTimeout(() => req.destroy(), BODY_TIMEOUT);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    // Not destroyed when the loop is left early: the refusal goes out on the same connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximum) throw tooLarge(maximum);
      chunks.push(chunk);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  } finally {
    clearTimeout(timer);
  }
}

/** Throws away what is still coming of a refused body, for a while; does nothing for one that was read to its end. */
export function drain(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  let left = DRAIN_BYTES;
  const timer = setTimeout(() => req.destroy(), DRAIN_TIME);
  req.once('close', () => clearTimeout(timer));
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
  req.resume();
}

const tooLarge = (maximum: number) =>
  new DomainError('PAYLOAD_TOO_LARGE', `Expected a body of at most ${maximum} bytes, got more.`, {
    maximum,
  });
