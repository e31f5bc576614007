import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import { asUuid } from '../accounts/uuids.js';
import { transact } from '../database/transact.js';
import { parse } from '../parse.js';
import { noSuchSession, requireService } from '../sessions/access.js';
import { lockSession } from '../sessions/store.js';
import { announce } from '../sessions/topics.js';
import { sourceContent } from './content.js';
import { mergeSources, touchSession } from './store.js';

const MAX_SOURCES = 500;

const upsertSourcesInput = z.strictObject({
  sessionId: z.string(),
  sources: z.array(sourceContent).max(MAX_SOURCES, `expected at most ${MAX_SOURCES} sources a call`),
});

/** Which sources were described, in the order sent. */
export interface UpsertedSources {
  readonly sessionId: string;
  readonly sourceRefs: readonly string[];
}

/**
 * Tells a session what was learned of its sources: abstracts, full-text verdicts. Those that nothing cites yet are kept for when
 * something does. No event: only the session's lists are told, and only when something is not as it was.
 * @throws FORBIDDEN but for SERVICE; BAD_USER_INPUT; NOT_FOUND.
 */
export async function upsertSources(operation: Operation, input: unknown): Promise<UpsertedSources> {
  requireService(operation.viewer, 'upsertSources');
  const { sessionId: named, sources } = parse(upsertSourcesInput, input);
  const sessionId = asUuid(named);
  if (sessionId === undefined) throw noSuchSession();
  const { session, changed } = await transact(operation.database, async (tx) => {
    const session = await lockSession(tx, operation.viewer, sessionId);
    const { changed } = await mergeSources(tx, session, sources, 'described');
    if (changed > 0) await touchSession(tx, sessionId);
    return { session, changed };
  });
  if (changed > 0) announce(operation, session);
  return { sessionId, sourceRefs: sources.map(({ sourceRef }) => sourceRef) };
}
