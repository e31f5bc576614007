import { administeredOrganization, type Viewer } from '../accounts/viewer.js';
import { forbidden, notFound } from '../errors.js';
import type { Prisma, Session } from '../generated/prisma/client.js';

type Ownership = Pick<Session, 'ownerId' | 'organizationId'>;

/**
 * The sessions that a viewer may read, as a condition for every query: a person its own, an admin also its organisation's, a
 * runtime its organisation's or, without one, its account's; a RUN credential none (P9).
 */
export function visibleTo(viewer: Viewer): Prisma.SessionWhereInput {
  switch (viewer.kind) {
    case 'RUN':
      return { id: { in: [] } };
    case 'SERVICE':
      return viewer.organizationId === null
        ? { ownerId: viewer.accountId }
        : { organizationId: viewer.organizationId };
    case 'PERSONAL': {
      const organizationId = administeredOrganization(viewer);
      return organizationId === null
        ? { ownerId: viewer.accountId }
        : { OR: [{ ownerId: viewer.accountId }, { organizationId }] };
    }
    default:
      return viewer.kind satisfies never;
  }
}

/** The owner writes, and a runtime in its organisation or account; an admin reads others' sessions without writing to them. */
export function mayWrite(viewer: Viewer, session: Ownership): boolean {
  if (viewer.kind === 'PERSONAL') return session.ownerId === viewer.accountId;
  if (viewer.kind === 'RUN') return false;
  return viewer.organizationId === null
    ? session.ownerId === viewer.accountId
    : session.organizationId === viewer.organizationId;
}

/** One answer for a session that is unknown, malformed, foreign, or not yours to write to. */
export const noSuchSession = () =>
  notFound(
    'Expected the id of a session that you may use here, got none of those. Check the id and the credential.',
  );

/** Decided by kind, before any look-up. @throws FORBIDDEN for RUN credentials. */
export function requireNotRun(viewer: Viewer, what: string): void {
  if (viewer.kind === 'RUN') {
    throw forbidden(`${what} is not for RUN credentials; use a PERSONAL or SERVICE one.`);
  }
}

/** What only agent runtimes do. @throws FORBIDDEN for the other kinds. */
export function requireService(viewer: Viewer, what: string): void {
  if (viewer.kind !== 'SERVICE')
    throw forbidden(`${what} is for SERVICE credentials; got a ${viewer.kind} one.`);
}
