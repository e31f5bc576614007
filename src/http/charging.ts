import type { ExecutionArgs } from 'graphql';
import type { Viewer } from '../accounts/viewer.js';
import { DomainError } from '../errors.js';
import { costOf } from '../graphql/document-cost.js';
import type { Left, Rates } from '../limits/rates.js';

/** What an operation costs, as its answer shows it in `extensions.cost`. */
export interface Charge {
  readonly requested: number;
  readonly limit: number;
  /** What is left of what its credential may spend; absent where that is not limited. */
  readonly budget?: { readonly limit: number; readonly remaining: number; readonly reset: number };
}

/** Who asks and pays, and who waits for the answer. */
export interface Payer {
  readonly viewer: Viewer;
  readonly onLeft?: (left: Left | undefined) => void;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone?: AbortSignal;
}

/** What the engine is asked with: who asks is known before. */
export interface Asking extends Record<string, unknown>, Payer {}

/**
 * Has an operation paid for before it runs.
 * @throws QUERY_TOO_COMPLEX for one that no credential may ask; RATE_LIMITED when what its credential may spend is spent.
 */
export async function charge(
  args: ExecutionArgs,
  limit: number,
  rates: Rates,
  { viewer, onLeft }: Payer,
): Promise<Charge> {
  const requested = costOf(args);
  if (requested > limit) throw tooDear(requested, limit);
  const left = await rates.spend(viewer, requested);
  onLeft?.(left);
  if (left === undefined) return { requested, limit };
  const { rule, remaining, resetMs } = left;
  return { requested, limit, budget: { limit: rule.points, remaining, reset: Math.ceil(resetMs / 1_000) } };
}

const tooDear = (cost: number, limit: number) =>
  new DomainError(
    'QUERY_TOO_COMPLEX',
    `Expected an operation that costs at most ${limit}, this one may cost ${cost}. Ask for smaller pages (first, last), or in steps.`,
    { cost, limit },
  );
