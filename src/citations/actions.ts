import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import { asUuid } from '../accounts/uuids.js';
import type { Transaction } from '../database/database.js';
import { rowByKey } from '../database/loaders.js';
import { transact } from '../database/transact.js';
import { parse } from '../parse.js';
import { noSuchSession, requireService } from '../sessions/access.js';
import { lockSession, type SessionRow } from '../sessions/store.js';
import { announce } from '../sessions/topics.js';
import { type SourceContent, sourceContent } from './content.js';
import { findSources, mergeSources, type SourceKey, type SourceRow, touchSession } from './store.js';

const MAX_SOURCES = 500;

const upsertSourcesInput = z.strictObject({
  sessionId: z.string(),
  sources: z.array(sourceContent).max(MAX_SOURCES, `expected at most ${MAX_SOURCES} sources a call`),
});

/** The session and its sources as they are after that, one for each that was sent, in that order. */
export interface UpsertedSources {
  readonly session: SessionRow;
  readonly sources: readonly SourceRow[];
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
  const { changed, ...upserted } = await transact(operation.database, async (tx) => {
    const locked = await lockSession(tx, operation.viewer, sessionId);
    const { changed } = await mergeSources(tx, locked, sources, 'described');
    const session = changed > 0 ? { ...locked, updatedAt: await touchSession(tx, sessionId) } : locked;
    return { changed, session, sources: await readMerged(tx, sessionId, sources) };
  });
  if (changed > 0) announce(operation, upserted.session);
  return upserted;
}

/** Each is there: it was just merged, under the session's lock. */
async function readMerged(
  tx: Transaction,
  sessionId: string,
  sources: readonly SourceContent[],
): Promise<readonly SourceRow[]> {
  const keys = sources.map(({ sourceRef }) => ({ sessionId, sourceRef }));
  const rows = rowByKey(keys.map(refOf), await findSources(tx, keys), refOf);
  return rows.map((row) => {
    if (row === null) throw new Error('A source that was merged is not there (citations-1).');
    return row;
  });
}

const refOf = ({ sourceRef }: SourceKey): string => sourceRef;
