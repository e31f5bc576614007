import type { SessionRow } from './store.js';

/** The key of a session's log of events, in the bus and in cursors. */
export const sessionLogKey = (sessionId: string): string => `session:${sessionId}`;

export const accountTopic = (accountId: string): string => `account:${accountId}`;
export const organizationTopic = (organizationId: string): string => `organization:${organizationId}`;

/** Whom a session's change concerns: what `sessionChanged` listens to, and what whoever commits a change publishes to. */
export const sessionTopics = ({ ownerId, organizationId }: Pick<SessionRow, 'ownerId' | 'organizationId'>) =>
  organizationId === null
    ? [accountTopic(ownerId)]
    : [accountTopic(ownerId), organizationTopic(organizationId)];
