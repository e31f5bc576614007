import type { Operation } from '../accounts/operation.js';
import type { Viewer } from '../accounts/viewer.js';
import { type SessionRange, visibleRanges } from './access.js';
import type { SessionRow } from './store.js';

const LOG = 'session:';

/** The key of a session's log of events, in the bus and in cursors. */
export const sessionLogKey = (sessionId: string): string => `${LOG}${sessionId}`;

/** The session whose log a key names; undefined for other logs. */
export const sessionOfLogKey = (key: string): string | undefined =>
  key.startsWith(LOG) ? key.slice(LOG.length) : undefined;

const topicOf = (range: SessionRange): string =>
  'ownerId' in range ? `account:${range.ownerId}` : `organization:${range.organizationId}`;

/** Whom a session's change concerns, beside those who follow its log: its owner's and its organisation's lists. */
const sessionTopics = ({
  ownerId,
  organizationId,
}: Pick<SessionRow, 'ownerId' | 'organizationId'>): string[] =>
  organizationId === null ? [topicOf({ ownerId })] : [topicOf({ ownerId }), topicOf({ organizationId })];

/** The topics on which a viewer hears of every session that it may read. */
export const topicsOf = (viewer: Viewer): string[] => visibleRanges(viewer).map(topicOf);

/** Tells whoever follows the session or lists it that it has changed: a hint, after the commit (P4). */
export function announce({ bus }: Pick<Operation, 'bus'>, session: SessionRow): void {
  bus.publish({ log: sessionLogKey(session.id), head: session.eventHead, topics: sessionTopics(session) });
}
