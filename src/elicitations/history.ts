import { setTimeout as delay } from 'node:timers/promises';
import type { Operation } from '../accounts/operation.js';
import { parseLenientInstant } from '../instant.js';
import { requireScope, type Scope, type ScopeName } from './access.js';
import { readFresh } from './expiry.js';
import { checkpointOf } from './listings.js';
import { scopeHead } from './loaders.js';
import { listScope, numberAsOf, readScopeHead, type ScopeHead } from './scope-store.js';
import type { ElicitationRow } from './store.js';

const MAX_PAGE_SIZE = 100;

/** As they are asked for; nothing is refused but the scope. */
export interface HistoryArgs {
  readonly scope: ScopeName;
  /** From 1; less is 1. */
  readonly page: number;
  /** 1 to 100; less is 1, more is 100. */
  readonly pageSize: number;
  /** ISO 8601; anything else means now. */
  readonly asOf: string | null | undefined;
}

/** One page of what was asked up to `asOf`, newest first. */
export interface HistoryPage {
  readonly scope: ScopeName;
  readonly page: number;
  readonly pageSize: number;
  readonly asOf: Date;
  readonly total: number;
  readonly checkpoint: string;
  /** Read only when called, once. */
  readonly items: () => Promise<readonly ElicitationRow[]>;
}

/**
 * A page of the history as of an instant: the same rows, order and total for ever, whatever is asked meanwhile (P7). Numbers are dense, so
 * the total is the number of the last row up to `asOf`, and a page at any depth is one range of an index.
 * @throws FORBIDDEN for a scope that the viewer may not list.
 */
export async function elicitationHistory(operation: Operation, args: HistoryArgs): Promise<HistoryPage> {
  const scope = requireScope(operation.viewer, args.scope);
  const page = Math.max(args.page, 1);
  const pageSize = Math.min(Math.max(args.pageSize, 1), MAX_PAGE_SIZE);
  const head = await scopeHead(operation).load(scope);
  const given = typeof args.asOf === 'string' ? parseLenientInstant(args.asOf) : null;
  const asOf = given ?? head.settled;
  const total = await totalAsOf(operation, scope, head, asOf);
  const below = total - (page - 1) * pageSize + 1;
  const stretch = {
    above: Math.max(below - pageSize - 1, 0),
    below,
    limit: pageSize,
    order: 'descending',
  } as const;
  return {
    scope: scope.name,
    page,
    pageSize,
    asOf,
    total,
    checkpoint: await checkpointOf(operation, scope),
    items: async () => (below > 1 ? readFresh(operation, () => listScope(operation, scope, stretch)) : []),
  };
}

/** How many were asked up to an instant. Of one that is still to come it says what is so by now; it freezes when it is reached. */
async function totalAsOf(operation: Operation, scope: Scope, head: ScopeHead, asOf: Date): Promise<number> {
  const { last, settled, now } = head;
  if (last === null || asOf >= last) {
    // The very millisecond of the clock: somebody may still be given it, so it has to pass before the list up to it can be told.
    return asOf > settled && asOf <= now
      ? totalAsOf(operation, scope, await readSettled(operation, scope, asOf), asOf)
      : head.head;
  }
  return numberAsOf(operation, scope, asOf);
}

/** The head once an instant that is passing has passed, on the database's clock. */
async function readSettled(operation: Operation, scope: Scope, instant: Date): Promise<ScopeHead> {
  for (;;) {
    await delay(1);
    const head = await readScopeHead(operation, scope);
    if (head.settled >= instant) return head;
  }
}
