/* The objects of a UI message stream. */

export const start = (messageId?: string) => ({ type: 'start', ...(messageId && { messageId }) });
export const finish = (finishReason = 'stop') => ({ type: 'finish', finishReason });
export const textDelta = (delta: string, id = '0') => ({ type: 'text-delta', id, delta });

export const texts = (pieces: readonly string[], id = '0') => [
  { type: 'text-start', id },
  ...pieces.map((piece) => textDelta(piece, id)),
  { type: 'text-end', id },
];

export const stepOf = (...parts: readonly unknown[]) => [
  { type: 'start-step' },
  ...parts.flat(5),
  { type: 'finish-step' },
];

export const messageOf = (id: string, ...steps: readonly unknown[]) => [
  start(id),
  ...steps.flat(5),
  finish(),
];

export const thought = (words: string, id = 'reasoning') => [
  { type: 'reasoning-start', id },
  { type: 'reasoning-delta', id, delta: words },
  { type: 'reasoning-end', id },
];

export const typed = (toolCallId: string, toolName: string, pieces: readonly string[]) => [
  { type: 'tool-input-start', toolCallId, toolName },
  ...pieces.map((inputTextDelta) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta })),
];

export const called = (toolCallId: string, toolName = 'private_tool', input: unknown = {}) => ({
  type: 'tool-input-available',
  toolCallId,
  toolName,
  input,
});

export const output = (toolCallId: string, given: unknown = 'private', more: object = {}) => ({
  type: 'tool-output-available',
  toolCallId,
  output: given,
  ...more,
});

export const approval = (toolCallId: string, approvalId = `approve_${toolCallId}`) => ({
  type: 'tool-approval-request',
  approvalId,
  toolCallId,
});
