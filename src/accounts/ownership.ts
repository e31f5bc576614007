import { notFound } from '../errors.js';
import type { Session } from '../generated/prisma/client.js';
import type { Viewer } from './viewer.js';

/** Whose a session is: fixed at its creation. */
export type Ownership = Pick<Session, 'ownerId' | 'organizationId'>;

/** The owner writes, and a runtime in its organisation or account; an admin reads others' sessions without writing to them. */
export function mayWrite(viewer: Viewer, session: Ownership): boolean {
  if (viewer.kind === 'PERSONAL') return session.ownerId === viewer.accountId;
  if (viewer.kind === 'RUN') return false;
  return viewer.organizationId === null
    ? session.ownerId === viewer.accountId
    : session.organizationId === viewer.organizationId;
}

/** One answer for a session that is unknown, malformed, foreign, or not yours to write to (P9). */
export const noSuchSession = () =>
  notFound(
    'Expected the id of a session that you may use here, got none of those. Check the id and the credential.',
  );
