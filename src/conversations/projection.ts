import type { Transaction } from '../database/database.js';
import type { EventRow } from '../events/event.js';
import type { Projection } from '../events/projections.js';
import { readMissed } from '../events/store.js';
import type { SessionRow } from '../sessions/store.js';
import { type EntrySnapshot, entriesOf } from './entry.js';
import { fold } from './folding.js';
import { type NewEntry, writeEntries } from './store.js';
import { conversationLogKey } from './topics.js';

/** How far a session's conversation is written. */
export type Progress = Pick<SessionRow, 'entryHead' | 'changeHead' | 'projectedHead'>;

/**
 * Writes a conversation in the transaction of the events that it comes from. Events that a version without conversations appended
 * meanwhile come first, so it never has a gap.
 */
export const projectConversation: Projection = async (tx, session, events) => {
  let progress: Progress = session;
  while (progress.projectedHead < session.eventHead) progress = await projectMissed(tx, session, progress);
  const heads = await project(tx, session.id, progress, events);
  const hint = { log: conversationLogKey(session.id), head: heads.changeHead, topics: [] };
  return { heads, hints: heads.changeHead > session.changeHead ? [hint] : [] };
};

/** The next events that are not in the conversation yet: some hundreds, or few large ones. The caller holds the session's lock. */
export async function projectMissed(
  tx: Transaction,
  { id, eventHead }: Pick<SessionRow, 'id' | 'eventHead'>,
  progress: Progress,
): Promise<Progress> {
  return project(tx, id, progress, await readMissed(tx, id, progress.projectedHead, eventHead));
}

async function project(
  tx: Transaction,
  sessionId: string,
  { entryHead, changeHead, projectedHead }: Progress,
  events: readonly EventRow[],
): Promise<Progress> {
  const snapshots = events.flatMap((event) =>
    entriesOf(event)
      .map((snapshot, position) => ({ ...snapshot, position, eventNumber: event.number }))
      .filter(({ isAside }) => !isAside),
  );
  const changed = snapshots.map(({ key }) => key);
  const heads = { id: sessionId, entryHead, changeHead };
  return {
    entryHead: changed.length === 0 ? entryHead : await writeEntries(tx, heads, latestOf(snapshots), changed),
    changeHead: changeHead + changed.length,
    projectedHead: events.at(-1)?.number ?? projectedHead,
  };
}

type Placed = EntrySnapshot & Pick<NewEntry, 'position' | 'eventNumber'>;

/** The last snapshot of each entry, in order and with the time of its first. */
function latestOf(snapshots: readonly Placed[]): readonly NewEntry[] {
  const latest = new Map<string, Placed>();
  for (const snapshot of snapshots) {
    const { createdAt } = latest.get(snapshot.key) ?? snapshot;
    latest.set(snapshot.key, { ...snapshot, createdAt });
  }
  return [...latest.values()].map(({ content, isAside: _, ...entry }) => ({
    ...entry,
    type: content.type,
    folded: content.type === 'MESSAGE' ? fold(content.content) : null,
  }));
}
