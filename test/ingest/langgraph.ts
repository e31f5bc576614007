/* The objects of a LangGraph stream. */

/** Protocol v2. */
export const event = (method: string, data: unknown, namespace: readonly string[] = [], seq?: number) => ({
  type: 'event',
  ...(seq !== undefined && { seq }),
  method,
  params: { namespace, timestamp: 1_900_000_000_000, data },
});

export const NODE = ['model_request:1'];

export const lifecycle = (name: string, more: object = {}) => event('lifecycle', { event: name, ...more });
export const running = lifecycle('running');
export const ended = lifecycle('completed');

/** What a model says, as events of its message. */
export const said = (id: string, blocks: readonly unknown[], ending: object = {}, namespace = NODE) =>
  [
    { event: 'message-start', ...(id && { id }) },
    ...blocks.flat(5),
    { event: 'message-finish', ...ending },
  ].map((data) => event('messages', { run_id: `run_${id}`, ...Object(data) }, namespace));

export const textBlock = (pieces: readonly string[], index = 0, more: object = {}) => [
  { event: 'content-block-start', index, content: { type: 'text', text: '' } },
  ...pieces.map((text) => ({ event: 'content-block-delta', index, delta: { type: 'text-delta', text } })),
  { event: 'content-block-finish', index, content: { type: 'text', text: pieces.join(''), ...more } },
];

export const thought = (reasoning: string, index = 0) => [
  { event: 'content-block-start', index, content: { type: 'reasoning', reasoning: '' } },
  { event: 'content-block-delta', index, delta: { type: 'reasoning-delta', reasoning } },
  { event: 'content-block-finish', index, content: { type: 'reasoning', reasoning } },
];

export const callBlock = (id: string, name: string, pieces: readonly string[], index = 1) => [
  { event: 'content-block-start', index, content: { type: 'tool_call_chunk', id, name, args: '' } },
  ...pieces.flatMap((args) => [
    {
      event: 'content-block-delta',
      index,
      delta: { type: 'block-delta', fields: { type: 'input_json_delta', input: args } },
    },
    {
      event: 'content-block-delta',
      index,
      delta: { type: 'block-delta', fields: { type: 'tool_call_chunk', id, name, args } },
    },
  ]),
  {
    event: 'content-block-finish',
    index,
    content: { type: 'tool_call', id, name, args: JSON.parse(pieces.join('')) },
  },
];

export const tool = (
  name: string,
  id: string,
  more: object = {},
  namespace: readonly string[] = ['tools:1'],
) => event('tools', { event: name, tool_call_id: id, ...more }, namespace);

export const values = (...messages: readonly unknown[]) => event('values', { messages });
export const human = (id: string, content: unknown) => ({ type: 'human', id, content });
export const ai = (id: string, content: unknown, more: object = {}) => ({ type: 'ai', id, content, ...more });
export const toolResult = (call: string, more: object = {}) => ({
  type: 'tool',
  id: `result_${call}`,
  tool_call_id: call,
  content: 'private',
  ...more,
});
export const toolCall = (id: string, name = 'private_tool', args: object = {}) => ({
  id,
  name,
  args,
  type: 'tool_call',
});

/** Before protocol v2: events with a name. */
export const classic = (name: string, data: unknown) => ({ event: name, data });
export const metadata = (run_id: string) => classic('metadata', { run_id, attempt: 1 });
export const end = classic('end', null);

/** Each piece with all that came before it. */
export const partials = (id: string, pieces: readonly string[]) =>
  pieces.map((_, at) => classic('messages/partial', [ai(id, pieces.slice(0, at + 1).join(''))]));

export const chunk = (id: string, content: unknown, more: object = {}, about: object = {}) =>
  classic('messages', [{ type: 'AIMessageChunk', id, content, ...more }, about]);
