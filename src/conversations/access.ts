import type { Viewer } from '../accounts/viewer.js';
import { forbidden } from '../errors.js';

/** The session whose conversation a viewer reads: its own, for a RUN credential with the scope; for all others none (P9). */
export const ownConversation = ({ kind, scopes, sessionId }: Viewer): string | null =>
  kind === 'RUN' && scopes.includes('conversation:read') ? sessionId : null;

/** Decided by kind and scope, before any look-up. @throws FORBIDDEN unless RUN with `conversation:read`. */
export function requireConversation(viewer: Viewer): string {
  const id = ownConversation(viewer);
  if (id !== null) return id;
  const got = viewer.kind === 'RUN' ? 'a RUN one without it' : `a ${viewer.kind} one`;
  throw forbidden(
    `A conversation is for the agent in it: expected a RUN credential with the scope conversation:read, got ${got}.`,
  );
}
