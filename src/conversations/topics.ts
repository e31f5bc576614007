/** The key of a conversation's list of entries, in cursors. */
export const entryListKey = (sessionId: string): string => `conversation:${sessionId}`;

/** The key of a conversation's log of changes, in the bus and in cursors. */
export const conversationLogKey = (sessionId: string): string => `conversation-changes:${sessionId}`;
