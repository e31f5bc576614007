import type { SourceInput } from '../citations/content.js';
import { digest } from './ids.js';
import { publicText } from './public-text.js';
import type { IngestContext } from './reducer.js';

const MAX_FIELD = 4_096;

/** A cited work as a stream names it. `locator` is its address, a URL or not; `fallback` tells apart what has no name at all. */
export interface Cited {
  readonly title: string | undefined;
  readonly locator: string | undefined;
  readonly fallback: readonly unknown[];
}

/**
 * The source of a citation. Its ref is a hash of the session and the first of: normalised DOI, address without tracking
 * parameters, title. One work keeps one ref, whichever message or format cites it.
 */
export function sourceOf(context: IngestContext, { title, locator, fallback }: Cited): SourceInput {
  const url = locator === undefined ? undefined : parseUrl(locator);
  const doi = locator === undefined ? undefined : doiOf(locator);
  const key = keyOf(doi, url?.href ?? locator, title, fallback);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return {
    sourceRef: `src_${digest([context.sessionId, 'src', ...key])}`,
    ...(title !== undefined && { title: publicText(title, MAX_FIELD) }),
    ...(isWeb && locator !== undefined && locator.length <= MAX_FIELD && { url: publicText(locator) }),
    ...(doi !== undefined && { doi }),
  };
}

function keyOf(
  doi: string | undefined,
  address: string | undefined,
  title: string | undefined,
  fallback: readonly unknown[],
): readonly unknown[] {
  if (doi !== undefined) return ['doi', doi];
  if (address) return ['url', address];
  if (title) return ['title', title];
  return ['other', ...fallback];
}

const DOI = /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)(10\.\d{4,9}\/\S+)$/i;

/** A DOI in the one spelling that equal DOIs share, from `doi:10.…` or an address at doi.org. */
function doiOf(locator: string): string | undefined {
  const found = DOI.exec(locator.trim())?.[1];
  const doi = found === undefined ? undefined : decoded(found.replace(/[?#].*$/, '')).toLowerCase();
  return doi !== undefined && doi.length <= MAX_FIELD ? publicText(doi) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const TRACKING =
  /^(?:utm_.*|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|_ga|ref_src)$/i;

/** An absolute address without its fragment and tracking parameters; undefined for anything else. */
function parseUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = '';
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of tracking) url.searchParams.delete(name);
  return url;
}
