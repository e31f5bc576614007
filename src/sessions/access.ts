import { mayWrite, noSuchSession, type Ownership } from '../accounts/ownership.js';
import type { Range } from '../accounts/ranges.js';
import { administeredOrganization, type Viewer } from '../accounts/viewer.js';
import { forbidden } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';

// What a session's ownership allows is decided on its left, where credentials need it too.
export { mayWrite, noSuchSession, type Ownership };

/** Sessions of one owner, or of one organisation: what an index, and a bus topic, stands for. */
export type SessionRange = { readonly ownerId: string } | { readonly organizationId: string };

/**
 * The sessions that a viewer may read: a person its own, an admin also its organisation's, a runtime its organisation's or, without
 * one, its account's; a RUN credential none (P9).
 */
export function visibleRanges(viewer: Viewer): SessionRange[] {
  const own = { ownerId: viewer.accountId };
  switch (viewer.kind) {
    case 'RUN':
      return [];
    case 'SERVICE':
      return viewer.organizationId === null ? [own] : [{ organizationId: viewer.organizationId }];
    case 'PERSONAL': {
      const organizationId = administeredOrganization(viewer);
      return organizationId === null ? [own] : [own, { organizationId }];
    }
    default:
      return viewer.kind satisfies never;
  }
}

/** Whether the viewer may read a session that is at hand. */
export const sees = (viewer: Viewer, session: Ownership): boolean =>
  visibleRanges(viewer).some((range) =>
    'ownerId' in range ? range.ownerId === session.ownerId : range.organizationId === session.organizationId,
  );

/** The sessions that a viewer may read, as a condition of a query through Prisma. */
export function visibleTo(viewer: Viewer): Prisma.SessionWhereInput {
  const ranges = visibleRanges(viewer);
  // Nested in another condition, an empty OR would be dropped and show everything.
  return ranges.length === 0 ? { id: { in: [] } } : { OR: ranges };
}

/** And as ranges of an index each; none for a RUN credential. */
export const indexRanges = (viewer: Viewer): Range[] =>
  visibleRanges(viewer).map((range) =>
    'ownerId' in range
      ? { column: Prisma.sql`owner_id`, value: range.ownerId }
      : { column: Prisma.sql`organization_id`, value: range.organizationId },
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
