/* The objects of a stream of OpenAI responses. */

export const created = (id: string) => ({
  type: 'response.created',
  response: { id, status: 'in_progress', output: [] },
});
export const ending = (status: string, id = '', more: object = {}) => ({
  type: `response.${status}`,
  response: { id, status, output: [], ...more },
});
export const responseOf = (id: string, ...items: readonly unknown[]) => [
  created(id),
  ...items.flat(5),
  ending('completed', id),
];

export const itemAdded = (index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});
export const itemDone = (index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});

export const textDelta = (index: number, delta: string, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index: index,
  content_index,
  delta,
});
export const annotated = (index: number, annotation: object) => ({
  type: 'response.output_text.annotation.added',
  output_index: index,
  content_index: 0,
  annotation,
});
export const messageItem = (text: string, ...annotations: object[]) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations }],
});

/** A message item in deltas; the last three objects say it whole. */
export const said = (index: number, pieces: readonly string[], ...annotations: object[]) => {
  const text = pieces.join('');
  return [
    itemAdded(index, { type: 'message', role: 'assistant', content: [] }),
    ...pieces.map((piece) => textDelta(index, piece)),
    ...annotations.map((annotation) => annotated(index, annotation)),
    { type: 'response.output_text.done', output_index: index, content_index: 0, text },
    {
      type: 'response.content_part.done',
      output_index: index,
      content_index: 0,
      part: { type: 'output_text', text, annotations },
    },
    itemDone(index, messageItem(text, ...annotations)),
  ];
};

export const reasoning = (words: string, index: number) => [
  itemAdded(index, { type: 'reasoning', summary: [] }),
  { type: 'response.reasoning_summary_text.delta', output_index: index, summary_index: 0, delta: words },
  itemDone(index, { type: 'reasoning', summary: [{ type: 'summary_text', text: words }] }),
];

interface Call {
  readonly type: string;
  readonly name: string;
  readonly input: readonly string[];
  readonly more?: object;
}

export const call = (index: number, { type, name, input, more = {} }: Call) => [
  itemAdded(index, { type, name, arguments: '', ...more }),
  ...input.map((delta) => ({ type: `response.${type}_arguments.delta`, output_index: index, delta })),
  { type: `response.${type}_arguments.done`, output_index: index, arguments: input.join('') },
  itemDone(index, { type, name, arguments: input.join(''), ...more }),
];

export const searched = (index: number, ...queries: string[]) => [
  itemAdded(index, { type: 'web_search_call', status: 'in_progress' }),
  { type: 'response.web_search_call.searching', output_index: index },
  itemDone(index, { type: 'web_search_call', status: 'completed', action: { type: 'search', queries } }),
];
