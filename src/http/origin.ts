import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError, forbidden } from '../errors.js';
import { mediaTypeOf } from './media-types.js';

/** What a form on any page may send without asking first (Fetch, "CORS-safelisted"). */
const SIMPLE_TYPES = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

/** Whose pages may ask. */
export interface Sites {
  /** Where this server's own pages are, beside the address that it was asked by. */
  readonly publicUrl: string;
  /** Other origins. */
  readonly origins: readonly string[];
}

/**
 * Refuses what a page of another site made its visitor's browser send (CSRF). No header is demanded, since a browser cannot forge
 * the ones looked at here and other clients send none of them.
 * @throws FORBIDDEN
 */
export function refuseCrossSite({ headers }: IncomingMessage, { publicUrl, origins }: Sites): void {
  if (isAllowed(headers.origin, origins)) return;
  const site = headers['sec-fetch-site'];
  const foreign =
    site === 'cross-site' || site === 'same-site' || isForeign(headers.origin, headers.host, publicUrl);
  if (foreign)
    throw forbidden('Expected a request of this origin or of no browser, got one from another site.');
}

const isAllowed = (origin: string | undefined, origins: readonly string[]): origin is string =>
  origin !== undefined && origins.includes(origin);

/**
 * Tells the browser of an allowed page that it may read the answer (CORS), whatever that will be. Nothing a browser would send by itself,
 * such as a cookie, is asked for.
 */
export function allowOrigin(
  { headers: { origin } }: IncomingMessage,
  res: ServerResponse,
  { origins }: Sites,
): void {
  if (origins.length === 0) return;
  res.setHeader('vary', 'origin');
  if (!isAllowed(origin, origins)) return;
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', 'retry-after');
}

/** Whether a browser asks if a page may ask; answered here, for an allowed one. It brings no credential. */
export function answerPreflight(
  { method, headers }: IncomingMessage,
  res: ServerResponse,
  { origins }: Sites,
): boolean {
  const asks = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  if (!asks || !isAllowed(headers.origin, origins)) return false;
  res.writeHead(204, {
    'access-control-allow-methods': 'POST, GET',
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  });
  res.end();
  return true;
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
