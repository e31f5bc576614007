/* The lines of Claude Code and the Agent SDK. */

const SESSION = 'upstream_session';

export const init = (session_id = SESSION) => ({
  type: 'system',
  subtype: 'init',
  session_id,
  cwd: '/private/repo',
});

export const assistant = (
  id: string | undefined,
  content: unknown,
  more: object = {},
  message: object = {},
) => ({
  type: 'assistant',
  message: {
    ...(id !== undefined && { id }),
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: null,
    ...message,
  },
  parent_tool_use_id: null,
  session_id: SESSION,
  ...more,
});

export const textOf = (text: string) => ({ type: 'text', text });
export const call = (id: string, name = 'private_tool', input: unknown = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: SESSION,
  ...more,
});

export const output = (
  tool_use_id: string,
  given: unknown = 'private',
  is_error = false,
  more: object = {},
) => user([{ type: 'tool_result', tool_use_id, content: given, is_error }], more);

export const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: SESSION,
  ...more,
});

export const system = (subtype: string, more: object = {}) => ({
  type: 'system',
  subtype,
  session_id: SESSION,
  ...more,
});

/** An event of the service's own stream, of the agent itself or of one that works for it. */
export const piece = (event: object, parent_tool_use_id: string | null = null) => ({
  type: 'stream_event',
  event,
  parent_tool_use_id,
  session_id: SESSION,
});

export const start = (id: string) => piece({ type: 'message_start', message: { id, content: [] } });
export const begin = (index: number, content_block: object = textOf('')) =>
  piece({ type: 'content_block_start', index, content_block });
export const delta = (index: number, text: string) =>
  piece({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
export const stop = (index: number) => piece({ type: 'content_block_stop', index });

/** A text as it comes with its pieces, and then whole. */
export const said = (id: string, pieces: readonly string[], index = 0) => [
  start(id),
  begin(index),
  ...pieces.map((text) => delta(index, text)),
  stop(index),
  assistant(id, [textOf(pieces.join(''))]),
];

/** A line of a transcript. */
export const kept = (line: object, at: string, more: object = {}) => ({
  ...line,
  parentUuid: null,
  isSidechain: false,
  sessionId: SESSION,
  timestamp: at,
  ...more,
});
