import type { IncomingMessage } from 'node:http';
import { DomainError, forbidden } from '../errors.js';
import { mediaTypeOf } from './media-types.js';

/** What a form on any page may send without asking first (Fetch, "CORS-safelisted"). */
const SIMPLE_TYPES = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

/**
 * Refuses what a page of another site made its visitor's browser send (CSRF). No header is demanded, since a browser cannot forge
 * the ones looked at here and other clients send none of them.
 * @throws FORBIDDEN
 */
export function refuseCrossSite({ headers }: IncomingMessage, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const foreign =
    site === 'cross-site' || site === 'same-site' || isForeign(headers.origin, headers.host, publicUrl);
  if (foreign)
    throw forbidden('Expected a request of this origin or of no browser, got one from another site.');
}

function isForeign(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return false;
  if (origin === new URL(publicUrl).origin) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

/** @throws BAD_USER_INPUT for the three content types that need no preflight. */
export function refuseSimpleType({ headers }: IncomingMessage): void {
  const type = mediaTypeOf(headers['content-type']);
  if (SIMPLE_TYPES.has(type)) {
    throw new DomainError('BAD_USER_INPUT', `content-type: expected application/json, got ${type}.`);
  }
}
