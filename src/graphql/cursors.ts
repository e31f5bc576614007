import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { invalidCursor } from '../errors.js';

/**
 * A cursor means "everything up to here" (P2): a number of one log, 16 bytes as base64url.
 * version (1) · number (6) · which log (5) · checksum of the rest (4)
 */
const VERSION = 1;
const LENGTH = 16;
const TEXT = /^[A-Za-z0-9_-]{22}$/;

const RESTART = 'Drop it, read again without a cursor, and go on from the cursors of that answer.';

/** The five bytes that tell one log from another, for `encodeCursor` and `decodeCursor`. */
export type LogTag = Buffer & { readonly __logTag: unique symbol };

/** `log` is the log's key, such as `session:…`. */
export function logTag(log: string): LogTag {
  return createHash('sha256').update(log).digest().subarray(0, 5) as LogTag;
}

export function encodeCursor(tag: LogTag, number: number): string {
  const bytes = Buffer.allocUnsafe(LENGTH);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUIntBE(number, 1, 6);
  tag.copy(bytes, 7);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 12)), 12);
  return bytes.toString('base64url');
}

/**
 * The number a cursor stands for.
 * @throws INVALID_CURSOR: MALFORMED when it is none of ours, WRONG_LOG when it belongs to another list.
 */
export function decodeCursor(tag: LogTag, cursor: string): number {
  const bytes = TEXT.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
  const sound =
    bytes.length === LENGTH &&
    bytes.readUInt8(0) === VERSION &&
    crc32(bytes.subarray(0, 12)) === bytes.readUInt32BE(12);
  if (!sound) {
    throw invalidCursor('MALFORMED', `Expected a cursor that this API gave, got something else. ${RESTART}`);
  }
  if (!bytes.subarray(7, 12).equals(tag)) {
    throw invalidCursor('WRONG_LOG', `Expected a cursor of this list, got one of another. ${RESTART}`);
  }
  return bytes.readUIntBE(1, 6);
}

/**
 * As `decodeCursor`, for a log whose head is known from the database.
 * @throws INVALID_CURSOR also AHEAD, when the log does not reach that far.
 */
export function decodeCursorWithin(tag: LogTag, cursor: string, head: number): number {
  const number = decodeCursor(tag, cursor);
  if (number > head) {
    throw invalidCursor('AHEAD', `Expected a cursor up to the log's end, got one beyond it. ${RESTART}`);
  }
  return number;
}
