/** The key of a conversation's list of entries, in cursors. */
export const entryListKey = (sessionId: string): string => `conversation:${sessionId}`;

const CHANGES = 'conversation-changes:';

/** The key of a conversation's log of changes, in the bus and in cursors. */
export const conversationLogKey = (sessionId: string): string => `${CHANGES}${sessionId}`;

/** The session whose conversation's log a key names. */
export const sessionOfConversationLog = (key: string): string => key.slice(CHANGES.length);
