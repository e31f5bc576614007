import { badUserInput } from '../errors.js';

/** Bytes of UTF-8 that a body has at most, as JSON without spaces. */
const MAX_BODY = 256 * 1024;

/** A body as JSON text, as it is stored; null for none. @throws BAD_USER_INPUT for one that is too large. */
export function bodyText(value: unknown, path: string): string | null {
  if (value === null || value === undefined) return null;
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) <= MAX_BODY) return json;
  throw badUserInput(
    `${path}: expected at most ${MAX_BODY / 1024} KB of JSON. Store more elsewhere, and refer to it.`,
    {
      path,
      maximum: MAX_BODY,
    },
  );
}
