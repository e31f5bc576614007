import type { Operation } from '../accounts/operation.js';
import type { Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { type Appended, announceAppended, appendPrepared } from '../events/append.js';
import { lockAnySession, type SessionRow } from '../sessions/store.js';
import { decidePiece, preparePiece } from './append-piece.js';
import { parseFormat } from './formats.js';
import { runOf } from './resuming.js';
import { IngestStream } from './stream.js';
import {
  dropOld,
  findDue,
  findIfDue,
  postpone,
  type StoredStream,
  type StreamKey,
  writeEnd,
} from './stream-store.js';
import type { ToolTitles } from './titles.js';

export interface SilenceOptions {
  readonly means: Pick<Operation, 'database' | 'bus'>;
  readonly titles: ToolTitles;
  readonly onError: (error: unknown, doing: string) => void;
}

/** Streams that are looked at together, at most. */
const ROUND = 100;
/** One that cannot be ended keeps nobody waiting. */
const POSTPONED = 600_000;
/** A named stream that is over can be gone on with for a day. */
const KEPT = 86_400_000;

/**
 * Ends the named streams that broke off and whose writers did not come back, of this process, another or one that is gone, at most a
 * round of them; forgets those that are over for long. Returns whether to go on at once.
 */
export async function sweepSilent(options: SilenceOptions): Promise<boolean> {
  const { database } = options.means;
  const due = await findDue(database, ROUND);
  for (const key of due) {
    try {
      await endIfSilent(options, key);
    } catch (error) {
      options.onError(error, 'ending a stream that fell silent');
      await postpone(database, key, POSTPONED);
    }
  }
  const dropped = await dropOld(database, KEPT, ROUND);
  return due.length === ROUND || dropped === ROUND;
}

/** Of several replicas one does it, and none does if its writer is back: the session's lock decides. */
async function endIfSilent({ means, titles }: SilenceOptions, key: StreamKey): Promise<void> {
  const appended = await transact(means.database, async (tx): Promise<Appended | undefined> => {
    const session = await lockAnySession(tx, key.sessionId);
    const stored = session && (await findIfDue(tx, key));
    if (session === undefined || stored === undefined) return undefined;
    await writeEnd(tx, key);
    const ending = await decideEnd(tx, session, stored, titles);
    return appendPrepared(means, tx, session, ending);
  });
  if (appended !== undefined) announceAppended(means, appended);
}

function decideEnd(tx: Transaction, session: SessionRow, stored: StoredStream, titles: ToolTitles) {
  const { format, state, offset, stream: name } = stored;
  const stream = new IngestStream({
    format: format === null ? undefined : parseFormat(format),
    sessionId: session.id,
    run: runOf(name),
    titles,
    ...(state !== null && { from: { offset, state } }),
  });
  const piece = stream.end(session.pendingStop === null ? 'timeout' : 'stopped');
  return decidePiece(tx, session.id, preparePiece(piece));
}
