/* The objects of an AG-UI stream. */

export const runStart = (runId?: string, more: object = {}) => ({
  type: 'RUN_STARTED',
  threadId: 'thread_1',
  runId: runId ?? '',
  ...more,
});
export const runEnd = (runId?: string, more: object = {}) => ({
  type: 'RUN_FINISHED',
  threadId: 'thread_1',
  runId: runId ?? '',
  ...more,
});

export const runOf = (id: string, ...events: readonly unknown[]) => [
  runStart(id),
  ...events.flat(5),
  runEnd(id),
];

export const content = (messageId: string, delta: string) => ({
  type: 'TEXT_MESSAGE_CONTENT',
  messageId,
  delta,
});

export const textStart = (messageId: string, role = 'assistant') => ({
  type: 'TEXT_MESSAGE_START',
  messageId,
  role,
});

export const textOf = (messageId: string, pieces: readonly string[], role = 'assistant') => [
  textStart(messageId, role),
  ...pieces.map((piece) => content(messageId, piece)),
  { type: 'TEXT_MESSAGE_END', messageId },
];

export const textChunk = (delta: string, more: object = {}) => ({
  type: 'TEXT_MESSAGE_CHUNK',
  delta,
  ...more,
});
export const callChunk = (delta: string, more: object = {}) => ({ type: 'TOOL_CALL_CHUNK', delta, ...more });

export const callStart = (toolCallId: string, toolCallName = 'private_tool', more: object = {}) => ({
  type: 'TOOL_CALL_START',
  toolCallId,
  toolCallName,
  ...more,
});

export const called = (
  toolCallId: string,
  toolCallName = 'private_tool',
  pieces: readonly string[] = ['{}'],
  more: object = {},
) => [
  callStart(toolCallId, toolCallName, more),
  ...pieces.map((delta) => ({ type: 'TOOL_CALL_ARGS', toolCallId, delta })),
  { type: 'TOOL_CALL_END', toolCallId },
];

export const output = (toolCallId: string, given = 'private', more: object = {}) => ({
  type: 'TOOL_CALL_RESULT',
  messageId: `result_${toolCallId}`,
  toolCallId,
  content: given,
  ...more,
});

export const snapshot = (...messages: readonly object[]) => ({ type: 'MESSAGES_SNAPSHOT', messages });

export const interrupted = (id: string, ...interrupts: readonly object[]) =>
  runEnd(id, { outcome: { type: 'interrupt', interrupts } });

export const thought = (words: string, messageId = 'thought') => [
  { type: 'REASONING_START', messageId },
  { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: words },
  { type: 'REASONING_MESSAGE_END', messageId },
  { type: 'REASONING_END', messageId },
];
