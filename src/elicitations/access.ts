import type { Place } from '../accounts/locks.js';
import type { Range } from '../accounts/ranges.js';
import { administeredOrganization, type Viewer } from '../accounts/viewer.js';
import { forbidden, notFound } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';

/** What a viewer may list: `ME` what is asked of its account, `ORG` what was made in its organisation. */
export type ScopeName = 'ME' | 'ORG';

/** An account's or an organisation's elicitations: a list of dense numbers, and a change log of its own. */
export interface Scope {
  readonly name: ScopeName;
  /** The account's or the organisation's. */
  readonly id: string;
}

/** A RUN credential needs the scope `elicitations:read`. */
const mine = ({ kind, scopes, accountId }: Viewer): Scope | null =>
  kind === 'RUN' && !scopes.includes('elicitations:read') ? null : { name: 'ME', id: accountId };

/** An admin's, or a runtime's that has one. */
function organizations(viewer: Viewer): Scope | null {
  const id = viewer.kind === 'SERVICE' ? viewer.organizationId : administeredOrganization(viewer);
  return id === null ? null : { name: 'ORG', id };
}

/** @throws FORBIDDEN when the viewer's kind, role or scopes do not allow it, before anything is looked up. */
export function requireScope(viewer: Viewer, name: ScopeName): Scope {
  const scope = name === 'ME' ? mine(viewer) : organizations(viewer);
  if (scope !== null) return scope;
  throw forbidden(
    name === 'ME'
      ? 'scope ME: expected a RUN credential with the scope elicitations:read. Have one issued that has it.'
      : "scope ORG: expected an organisation's admin, or a runtime of an organisation. Ask for ME, or ask an admin.",
  );
}

/** The widest scope that the viewer may list: ORG, else ME; null for a RUN credential that may list none. */
export const widestScope = (viewer: Viewer): Scope | null => organizations(viewer) ?? mine(viewer);

/**
 * Who takes the result of what the viewer asks, and owns its idempotency keys: a person's account, a run's session, a runtime's
 * organisation or, without one, its account. Never the secret, so a renewed credential can take the result.
 */
export function askerOf(viewer: Viewer): string {
  if (viewer.kind === 'RUN' && viewer.sessionId !== null) return viewer.sessionId;
  return viewer.kind === 'SERVICE' ? (viewer.organizationId ?? viewer.accountId) : viewer.accountId;
}

/** What of `elicitation e` a viewer sees by id: what ME or ORG shows it, and what its asker asked (P9). */
export function visibleRanges(viewer: Viewer): Range[] {
  const asked = { column: Prisma.sql`e.asker_id`, value: askerOf(viewer) };
  const scopes = [mine(viewer), organizations(viewer)].filter((scope) => scope !== null);
  return [asked, ...scopes.map(({ name, id }) => ({ column: COLUMNS[name], value: id }))];
}

/** That `elicitation e` lies in the scope. */
export const inScope = ({ name, id }: Scope): Prisma.Sql => Prisma.sql`${COLUMNS[name]} = ${id}::uuid`;

const COLUMNS: Record<ScopeName, Prisma.Sql> = {
  ME: Prisma.sql`e.account_id`,
  ORG: Prisma.sql`e.organization_id`,
};

/** Whether the viewer may ask this account, as it is under its lock: a person and a run their own, a runtime those that it serves. */
export const mayAsk = (viewer: Viewer, { accountId, organizationId }: Place): boolean =>
  viewer.kind === 'SERVICE' && viewer.organizationId !== null
    ? organizationId === viewer.organizationId
    : accountId === viewer.accountId;

/** Deciding is for people, whatever they may see. @throws FORBIDDEN, before any look-up. */
export function requirePerson({ kind }: Viewer, what: string): void {
  if (kind !== 'PERSONAL') throw forbidden(`${what} is for PERSONAL credentials; got a ${kind} one.`);
}

/** One answer for an elicitation that is unknown, malformed, foreign, or not the viewer's to do this with (P9). */
export const noSuchElicitation = () =>
  notFound(
    'Expected an elicitation that you may use here, got none of those. Check the id or key, and the credential.',
  );
