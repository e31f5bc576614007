import { type Place, tryLockAccount } from '../accounts/locks.js';
import type { Operation } from '../accounts/operation.js';
import { transact } from '../database/transact.js';
import { inScope, type Scope } from './access.js';
import { type ChangeHead, EXPIRY_BATCH, expireDue, lockScopes } from './record-store.js';
import { type ElicitationRow, findDue } from './store.js';
import { announce } from './topics.js';

/** Due elicitations that are looked at together, at most. */
const ROUND = 1_000;

type Means = Pick<Operation, 'database' | 'bus'>;
type Due = Place & { readonly id: string };

/**
 * Reads rows of which none is PENDING beyond its time: what was due when they were read is expired, and they are read again (P8). What
 * falls due after that may still show PENDING.
 */
export async function readFresh<Row extends ElicitationRow>(
  means: Means,
  read: () => Promise<Row[]>,
): Promise<Row[]> {
  const rows = await read();
  const due = rows.filter((row) => row.due);
  if (due.length === 0) return rows;
  await expireAll(means, due);
  return read();
}

/**
 * Expires all that is due in a scope: before a read that goes by status, which would otherwise find what is over under PENDING and not find
 * it under EXPIRED.
 */
export async function expireScope(means: Means, scope: Scope): Promise<void> {
  for (;;) {
    const due = await findDue(means.database, ROUND, inScope(scope));
    await expireAll(means, due);
    if (due.length < ROUND) return;
  }
}

/** Expires these, one place a transaction, and waits for whoever is deciding one of them. */
async function expireAll(means: Means, due: readonly Due[]): Promise<void> {
  for (const { place, ids } of byPlace(due)) {
    for (let from = 0; from < ids.length; from += EXPIRY_BATCH) {
      const heads = await transact(means.database, async (tx) => {
        await lockScopes(tx, place);
        return expireDue(tx, place, ids.slice(from, from + EXPIRY_BATCH));
      });
      announce(means, heads);
    }
  }
}

/** An account may have asked in several organisations; a transaction takes the locks of one. */
function byPlace(due: readonly Due[]): { readonly place: Place; readonly ids: string[] }[] {
  const places = new Map<string, { readonly place: Place; readonly ids: string[] }>();
  for (const { id, accountId, organizationId } of due) {
    const key = `${accountId} ${organizationId}`;
    const found = places.get(key);
    if (found === undefined) places.set(key, { place: { accountId, organizationId }, ids: [id] });
    else found.ids.push(id);
  }
  return [...places.values()];
}

/**
 * Expires what is due and nobody reads, at most a round of it. An account that somebody else is writing to is left for the next
 * round, be it another replica's sweep. Returns whether to go on at once.
 */
export async function sweepExpired(means: Means): Promise<boolean> {
  const due = await findDue(means.database, ROUND);
  let written = false;
  for (const { place } of byPlace(due)) {
    const heads = await sweepPlace(means, place);
    announce(means, heads);
    written ||= heads.length > 0;
  }
  return written && due.length > EXPIRY_BATCH;
}

const sweepPlace = ({ database }: Means, place: Place): Promise<readonly ChangeHead[]> =>
  transact(database, async (tx) => {
    if (!(await tryLockAccount(tx, place.accountId))) return [];
    await lockScopes(tx, place);
    return expireDue(tx, place);
  });
