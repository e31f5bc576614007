import type { ServerResponse } from 'node:http';
import type { Left } from '../limits/rates.js';

/** Says what is left of a limit, as the IETF's draft on RateLimit header fields has it: `"address";r=99;t=60`. */
export function tellLeft(res: ServerResponse, left: Left | undefined): void {
  if (left === undefined || res.headersSent) return;
  const { of, rule, remaining, resetMs } = left;
  res.appendHeader('ratelimit-policy', `"${of}";q=${rule.points};w=${rule.seconds}`);
  res.appendHeader('ratelimit', `"${of}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`);
}
