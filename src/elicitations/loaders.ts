import type { Operation } from '../accounts/operation.js';
import { asUuid } from '../accounts/uuids.js';
import { defineLoader, rowByKey, rowsByKey } from '../database/loaders.js';
import { id, parse } from '../parse.js';
import { definePages } from '../sessions/part-pages.js';
import type { SessionRow } from '../sessions/store.js';
import { noSuchElicitation, type Scope } from './access.js';
import { readFresh } from './expiry.js';
import { readScopeHead, type ScopeHead } from './scope-store.js';
import {
  type BodyKey,
  countOfSessions,
  type ElicitationRow,
  findBodies,
  findByKey,
  findElicitations,
  findRequesters,
  findTransitions,
  listOfSessions,
  type RequesterRow,
  type TransitionRow,
} from './store.js';

/** A visible elicitation by its id, or null; one whose time was over has been expired. */
export const elicitationById = defineLoader<Operation, string, ElicitationRow | null>(
  async (ids, operation) => {
    const rows = await readFresh(operation, () => findElicitations(operation, ids));
    return rowByKey(ids, rows, ({ id }) => id);
  },
);

/**
 * An elicitation by the id that a client gave.
 * @throws NOT_FOUND for one that is unknown, malformed or foreign, all alike (P9).
 */
export async function requireElicitation(
  operation: Operation,
  elicitationId: string,
): Promise<ElicitationRow> {
  const id = asUuid(elicitationId);
  const row = id === undefined ? null : await elicitationById(operation).load(id);
  if (row === null) throw noSuchElicitation();
  return row;
}

/** What the viewer's asker asked under a key; undefined when it has not used it. */
export async function elicitationByKey(
  operation: Operation,
  key: string,
): Promise<ElicitationRow | undefined> {
  const [row] = await readFresh(operation, () => findByKey(operation, key));
  return row;
}

/**
 * What the viewer's asker asked under the key that a client gave.
 * @throws BAD_USER_INPUT for what can be no key; NOT_FOUND unless it has been used.
 */
export async function requireByKey(operation: Operation, key: string): Promise<ElicitationRow> {
  const row = await elicitationByKey(operation, parse(id(), key, 'idempotencyKey'));
  if (row === undefined) throw noSuchElicitation();
  return row;
}

/**
 * What a mutation has committed, as its transaction left it, for an operation that has read nothing yet: showing it takes no
 * read that could fail.
 */
export function shownAsWritten(operation: Operation, elicitation: ElicitationRow) {
  elicitationById(operation).prime(elicitation.id, elicitation);
  return { elicitation };
}

/** A body of an elicitation that the viewer was shown; undefined where there is none. */
export const bodyOf = defineLoader(
  async (keys: readonly BodyKey[], operation: Operation): Promise<unknown[]> => {
    const found = rowByKey(keys.map(bodyKey), await findBodies(operation, keys), bodyKey);
    return found.map((body) => (typeof body?.json === 'string' ? JSON.parse(body.json) : undefined));
  },
  { key: ({ id, part }) => `${part} ${id}` },
);

const bodyKey = ({ id, part }: BodyKey): string => `${part} ${id}`;

/** What has happened to an elicitation, in order. */
export const transitionsOf = defineLoader<Operation, string, readonly TransitionRow[]>(
  async (ids, operation) =>
    rowsByKey(ids, await findTransitions(operation, ids), ({ elicitationId }) => elicitationId),
);

/** The credential that an elicitation came with, by its id. */
export const requesterById = defineLoader<Operation, string, RequesterRow | null>(async (ids, operation) =>
  rowByKey(ids, await findRequesters(operation, ids), ({ id }) => id),
);

/** Where a scope's list and change log end, read once an operation: whatever it shows of them is cut there. */
export const scopeHead = defineLoader<Operation, Scope, ScopeHead>(
  (scopes, operation) => Promise.all(scopes.map((scope) => readScopeHead(operation, scope))),
  { key: ({ name, id }) => `${name} ${id}` },
);

/** A stretch of a session's elicitations, those that the viewer sees. */
export const elicitationsOf = definePages<{ readonly sessionId: string }, ElicitationRow>(
  (operation, order, asked) => readFresh(operation, () => listOfSessions(operation, order, asked)),
);

/** How many of a session's elicitations the viewer sees, up to its head. */
export const countOf = defineLoader(
  async (sessions: readonly SessionRow[], operation: Operation): Promise<number[]> => {
    const cuts = sessions.map(({ id, elicitationHead }) => ({ id, elicitationHead }));
    const counts = rowByKey(
      cuts.map(({ id }) => id),
      await countOfSessions(operation, cuts),
      ({ id }) => id,
    );
    return counts.map((row) => row?.count ?? 0);
  },
  { key: ({ id }) => id },
);
