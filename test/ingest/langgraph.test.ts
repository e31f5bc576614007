import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../src/ingest/json.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { parseTitles } from '../../src/ingest/titles.js';
import {
  completed,
  describeFormat,
  failed,
  idle,
  message,
  type Reviewed,
  type Samples,
  started,
  whole,
} from './format-suite.js';
import {
  ai,
  callBlock,
  chunk,
  classic,
  end,
  ended,
  event,
  human,
  lifecycle,
  metadata,
  NODE,
  partials,
  running,
  said,
  textBlock,
  thought,
  tool,
  toolCall,
  toolResult,
  values,
} from './langgraph.js';
import type { Said } from './redaction.js';
import { bytesOf, ingest, ingestObjects, ofKind, type RunOptions, summary } from './streams.js';

const samples: Samples = {
  says: (id, pieces) => [running, ...said(id, textBlock(pieces)), ended],
  fails: (id, pieces, text) => [
    running,
    ...said(id, textBlock(pieces).slice(0, -1)).slice(0, -1),
    lifecycle('failed', { error: `APIConnectionError: ${text}` }),
  ],
  thinks: (id, stretches) => [
    running,
    ...said(id, [...stretches.map(thought), textBlock(['done'], stretches.length)]),
    ended,
  ],
  uses: (id, { name, input, result, hasFailed }) => [
    running,
    ...said(`${id}_1`, callBlock(`call_${id}`, name, input)),
    tool('tool-started', `call_${id}`, { tool_name: name, input: input.join('') }),
    hasFailed
      ? tool('tool-error', `call_${id}`, { message: result })
      : tool('tool-finished', `call_${id}`, { output: { status: 'success', content: result } }),
    ...said(`${id}_2`, textBlock(['done'])),
    ended,
  ],
  calls: (id, pieces, { name, input }) => [
    running,
    ...said(id, [textBlock(pieces), callBlock(`call_${id}`, name, input)]),
    ended,
  ],
  unknown: [
    event('telepathy', {}),
    event('messages', { event: 'content-block-whisper', index: 0 }, NODE),
    event('tools', { event: 'tool-lost', tool_call_id: 'x' }),
  ],
};

const classicSamples: Samples = {
  says: (id, pieces) => [
    metadata(id),
    ...partials(id, pieces),
    classic('messages/complete', [ai(id, pieces.join(''))]),
    end,
  ],
  fails: (id, pieces, text) => [
    metadata(id),
    ...partials(id, pieces),
    classic('error', { error: 'InternalServerError', message: text }),
  ],
  thinks: (id, stretches) => [
    metadata(id),
    ...stretches.map((reasoning) => chunk(id, [{ type: 'reasoning', reasoning }])),
    chunk(id, 'done'),
    end,
  ],
  uses: (id, { name, input, result, hasFailed }) => [
    metadata(id),
    ...input.map((args, at) =>
      chunk(`${id}_1`, '', {
        tool_call_chunks: [{ index: 0, args, ...(at === 0 && { id: `call_${id}`, name }) }],
        ...(at === input.length - 1 && { chunk_position: 'last' }),
      }),
    ),
    classic('updates', {
      tools: {
        messages: [toolResult(`call_${id}`, { content: result, status: hasFailed ? 'error' : 'success' })],
      },
    }),
    chunk(`${id}_2`, 'done'),
    end,
  ],
  calls: (id, pieces, { name, input }) => [
    metadata(id),
    ...partials(id, pieces),
    classic('updates', {
      agent: {
        messages: [
          ai(id, pieces.join(''), { tool_calls: [toolCall(`c_${id}`, name, JSON.parse(input.join('')))] }),
        ],
      },
    }),
    end,
  ],
  unknown: [classic('telepathy', {}), classic('messages', 'x'), classic('messages', ['x'])],
};

const REVIEWED: Reviewed = new Map([
  // Our own. What the archivist, a graph within the graph, says is told in no message; its search is an activity all the same. The
  // answer comes three times.
  [
    'bell-tower.sse',
    [
      [
        'user_message',
        ...whole('Thinking'),
        message(25),
        started('Working'),
        ...whole('Searching the web'),
        completed('Working'),
        message(84, 1, 1),
        'methods, 1 searches, 1 sources',
        idle,
      ],
      { repeated_event: 1, unmapped_data: 1 },
    ],
  ],
  // A call that is asked for, then refused in the run that goes on; the second run's end is that of the stream.
  [
    'boat-sale.sse',
    [
      [
        'user_message',
        message(31),
        started('Working'),
        'question',
        idle,
        failed('Working'),
        message(29),
        idle,
      ],
      { unmapped_data: 1 },
    ],
  ],
  // It begins with what was said before; of that no call is told.
  [
    'soup.jsonl',
    [
      [
        'user_message',
        message(13),
        'user_message',
        message(17, 0, 0, 'TRUNCATED'),
        'error AGENT_API_ERROR retryable',
      ],
    ],
  ],
  // The real one. The call is told with the message that makes it, before its tool starts.
  ['react-agent-tool-result-events.sse', [['user_message', ...whole('Working'), message(882), idle]]],
  // Synthetic ones.
  ['langgraph.classic-modes.sse', [[message(5), 'question', idle]]],
  ['langgraph.error.sse', [[message(3, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED']]],
]);

/** What an event says, whichever way. */
const dataOf = (object: JsonObject): unknown =>
  objectAt(object, 'params')?.data ?? object.list ?? ('event' in object ? object.data : object);

/** What is in a value, at any depth, under a key. */
const within = (value: unknown, key: string): unknown[] => {
  if (Array.isArray(value)) return value.flatMap((inner) => within(inner, key));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...within(inner, key),
  ]);
};

const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value)
    ? value.flatMap(objectsIn)
    : isObject(value)
      ? [value, ...Object.values(value).flatMap(objectsIn)]
      : [];

/** Text of the graph itself, piece by piece and as its state has it; what an interrupt asks; the search. */
function saidIn(objects: readonly JsonObject[]): Said {
  const own = objects.filter(
    ({ params, event }) =>
      listAt(isObject(params) ? params : {}, 'namespace').length <= 1 && !String(event).includes('|'),
  );
  const data = own.map(dataOf);
  const streamed = data.filter(isObject);
  const tools = new Set(streamed.filter(({ role }) => role === 'tool').map(({ run_id }) => run_id));
  const joined = (key: string) =>
    streamed
      .filter(({ run_id }) => !tools.has(run_id))
      .map((said) => stringAt(objectAt(said, 'delta') ?? {}, key) ?? '')
      .join('');
  const spoken = objectsIn(data).filter(({ type }) => /^(?:human|ai|AIMessageChunk)$/.test(String(type)));
  const texts = spoken.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : within(content, 'text'),
  );
  return {
    shown: [
      joined('text'),
      ...texts,
      texts.join(''),
      ...within(data, 'annotations').flatMap((cited) =>
        ['url', 'title', 'cited_text'].flatMap((key) => within(cited, key)),
      ),
      ...within(within(data, '__interrupt__'), 'question'),
      ...streamed
        .filter(({ tool_name }) => tool_name === 'web_search')
        .map(({ input }) => within(input, 'query')[0]),
    ].filter((text) => typeof text === 'string'),
    hidden: [joined('reasoning')],
  };
}

describeFormat({
  format: 'langgraph',
  samples,
  otherSamples: new Map([['events with a name', classicSamples]]),
  reviewed: REVIEWED,
  saidIn,
});

const run = (...objects: unknown[]) => runWith({}, ...objects);
const runWith = (options: RunOptions, ...objects: unknown[]) =>
  ingestObjects(objects, { format: 'langgraph', ...options });
const eventsOf = (...objects: unknown[]) => run(...objects).events;
const answersOf = (...objects: unknown[]) => ofKind(eventsOf(...objects), 'agent_message');
const questionsOf = (...objects: unknown[]) => ofKind(eventsOf(...objects), 'question');
const textsOf = (...objects: unknown[]) => answersOf(...objects).map(({ text }) => text);
const cutOff = 'error AGENT_FAILED retryable';

describe('a message of protocol v2', () => {
  test('may think and speak under one index', () => {
    const blocks = [
      { event: 'content-block-start', index: 0, content: { type: 'reasoning', reasoning: '' } },
      { event: 'content-block-start', index: 0, content: { type: 'text', text: '' } },
      { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'Hel' } },
      { event: 'content-block-delta', index: 0, delta: { type: 'reasoning-delta', reasoning: 'private' } },
      { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'lo' } },
      { event: 'content-block-finish', index: 0, content: { type: 'reasoning', reasoning: 'private' } },
    ];
    expect(summary(eventsOf(running, said('m', blocks), ended))).toEqual([
      ...whole('Thinking'),
      message(5),
      idle,
    ]);
  });

  test('is what its blocks are as a whole, in the order of their indexes', () => {
    const blocks = [
      textBlock(['Three'], 2).slice(0, -1),
      textBlock(['Hel', 'lo'], 0).slice(0, -1),
      textBlock(['So'], 1).slice(0, -1),
      { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'Hello. ' } },
      {
        event: 'content-block-delta',
        index: 2,
        delta: { type: 'block-delta', fields: { type: 'text', text: ' it is.' } },
      },
    ];
    const objects = [running, said('m', blocks), values(ai('m', ['Hello. ', 'So', ' it is.'])), ended];
    expect(textsOf(objects)).toEqual(['Hello. So it is.']);
  });

  test('makes its call once, though every piece of it comes in two forms', () => {
    const name = 'web_search';
    const finish = { type: 'input_json_delta', id: 'a', name, input: '"}', args: '{"query": "mills"}' };
    const blocks = [
      callBlock('a', name, ['{"que', 'ry": "mills"}'], 0).slice(0, -1),
      { event: 'content-block-finish', index: 0, content: finish },
    ];
    const { events, stream } = run(
      running,
      said('m', blocks),
      tool('tool-started', 'a', { tool_name: name, input: '{"query": "mills"}' }),
      tool('tool-finished', 'a', { output: 'private' }),
      said('n', textBlock(['x'])),
      ended,
    );
    expect(summary(events)).toEqual([
      ...whole('Searching the web'),
      message(1),
      'methods, 1 searches, 0 sources',
      idle,
    ]);
    expect(stream.counts.ignored).toEqual({});
  });

  test('that comes again thinks and calls once', () => {
    const again = said('m', [thought('private'), textBlock(['x'], 1), callBlock('a', 'x', ['{}'], 2)]);
    const { events, stream } = run(running, again, again, tool('tool-finished', 'a', {}), again, ended);
    expect(summary(events)).toEqual([...whole('Thinking'), message(1), ...whole('Working'), idle]);
    expect(stream.counts.ignored).toEqual({});
  });

  test('of a tool is no message, and ends its call', () => {
    const start = { event: 'message-start', role: 'tool', id: 't', tool_call_id: 'a' };
    const result = [start, ...textBlock(['private']), { event: 'message-finish' }].map((data) =>
      event('messages', data, ['tools:1']),
    );
    const { events } = run(
      running,
      said('m', callBlock('a', 'x', ['{}'])),
      result,
      said('n', textBlock(['y'])),
      ended,
    );
    expect(summary(events)).toEqual([...whole('Working'), message(1), idle]);
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('of a user is one of the user, of a system nobody hears', () => {
    const replayed = ['human', 'system'].flatMap((role) =>
      [
        { event: 'message-start', role, id: role },
        ...textBlock([`by ${role}`]),
        { event: 'message-finish' },
      ].map((data) => event('messages', data, NODE)),
    );
    const { events } = run(running, replayed, ended);
    expect(summary(events)).toEqual(['user_message', idle]);
    expect(ofKind(events, 'user_message')[0]?.text).toBe('by human');
  });

  test('may stream while others do, each by its run', () => {
    const [one, two] = ['a', 'b'].map((id) => said(id, textBlock([id, id])));
    const mixed = (one ?? []).flatMap((object, at) => [object, two?.[at]]);
    expect(textsOf(running, mixed, ended)).toEqual(['aa', 'bb']);
  });

  test('without a name or an end is one all the same', () => {
    const cut = said('', textBlock(['Half'])).slice(0, -2);
    expect(summary(eventsOf(running, cut, cut, ended))).toEqual([
      message(4, 0, 0, 'TRUNCATED'),
      message(4),
      idle,
    ]);
  });

  test.each([{ reason: 'length' }, { metadata: { finish_reason: 'max_tokens' } }])(
    'that its model cut is truncated: %j',
    (ending) => {
      const blocks = [textBlock(['Half']), callBlock('a', 'x', ['{}'])];
      const { events, stream } = run(running, said('m', blocks, ending), ended);
      expect(summary(events)).toEqual([message(4, 0, 0, 'TRUNCATED'), idle]);
      expect(stream.counts.ignored).toEqual({ unfinished_tool_input: 1 });
    },
  );

  test('whose model failed keeps its text, and the graph may try again', () => {
    const broken = said('m', textBlock(['Half'])).slice(0, -2);
    const error = event('messages', { event: 'error', message: 'private', run_id: 'run_m' }, NODE);
    expect(summary(eventsOf(running, broken, error, said('n', textBlock(['Whole'])), ended))).toEqual([
      message(4, 0, 0, 'TRUNCATED'),
      message(5),
      idle,
    ]);
  });

  test('cites its sources where it says them', () => {
    const annotations = [
      { type: 'citation', url: 'https://example.org/a', title: 'A', cited_text: 'quoted', end_index: 4 },
      { type: 'citation', title: 'B', start_index: 5, end_index: 900 },
      { type: 'non_standard_annotation', value: {} },
    ];
    const [answer] = answersOf(running, said('m', textBlock(['🌊 is wet'], 0, { annotations })), ended);
    expect(answer?.text).toBe('🌊 is<citations>r1</citations> wet<citations>r2</citations>');
    expect(answer?.citations).toMatchObject([
      { quote: 'quoted', source: { title: 'A', url: 'https://example.org/a' } },
      { quote: '', source: { title: 'B' } },
    ]);
  });

  test('has calls that the model’s service runs, and blocks that say nothing', () => {
    const blocks = [
      {
        event: 'content-block-start',
        index: 0,
        content: { type: 'server_tool_call', id: 's', name: 'web_search' },
      },
      {
        event: 'content-block-finish',
        index: 0,
        content: { type: 'server_tool_call', id: 's', name: 'web_search', args: { query: 'mills' } },
      },
      {
        event: 'content-block-finish',
        index: 1,
        content: { type: 'server_tool_result', tool_call_id: 's', status: 'success', output: 'private' },
      },
      { event: 'content-block-start', index: 2, content: { type: 'hologram' } },
      { event: 'content-block-delta', index: 2, delta: { type: 'hologram-delta' } },
      { event: 'content-block-delta', index: 2, delta: { type: 'data-delta', data: 'AAEC' } },
      textBlock(['x'], 3),
    ];
    const { events, stream } = run(running, said('m', blocks), ended);
    expect(summary(events)).toEqual([
      ...whole('Searching the web'),
      message(1),
      'methods, 1 searches, 0 sources',
      idle,
    ]);
    expect(stream.counts.ignored).toEqual({ unknown_block: 1, unknown_delta: 1 });
  });
});

describe('a graph within the graph', () => {
  const deep = ['tools:1', 'agent:2'];

  test('speaks in its own name only where the graph repeats it', () => {
    const within = said('w', textBlock(['private']), {}, deep);
    expect(summary(eventsOf(running, within, said('m', textBlock(['x'])), ended))).toEqual([
      message(1),
      idle,
    ]);
    expect(textsOf(running, within, values(ai('w', 'Not private')), ended)).toEqual(['Not private']);
    const early = [...within.slice(0, -1), values(ai('w', 'Said')), ...within.slice(-1)];
    expect(textsOf(running, early, ended)).toEqual(['Said']);
  });

  test('uses tools, ends nothing and has a state of its own', () => {
    const { events } = run(
      running,
      event('lifecycle', { event: 'started' }, deep),
      tool('tool-started', 'a', { tool_name: 'web_search', input: {} }, deep),
      tool('tool-finished', 'a', { output: { status: 'error' } }, deep),
      event('values', { messages: [ai('v', 'private')] }, deep),
      event('updates', { node: 'n', values: { messages: [ai('u', 'private')] } }, deep),
      event('lifecycle', { event: 'failed', error: 'x' }, deep),
      ended,
    );
    expect(summary(events)).toEqual([started('Searching the web'), failed('Searching the web'), idle]);
  });
});

describe('the state', () => {
  const hello = human('h', 'Hello');

  test('tells what is new in it or has changed, whatever repeats it', () => {
    const { events } = run(
      running,
      values(hello),
      said('m', textBlock(['x'])),
      event('updates', { node: 'n', values: { messages: [ai('m', [{ type: 'text', text: 'x' }])] } }),
      values(hello, ai('m', 'x')),
      said('m', textBlock(['x']), {}, []),
      values(human('h', 'Hello!'), ai('m', 'xy')),
      ended,
      values(hello, ai('m', 'xy')),
    );
    expect(ofKind(events, 'agent_message').map(({ text }) => text)).toEqual(['x', 'xy']);
    expect(ofKind(events, 'user_message').map(({ text }) => text)).toEqual(['Hello', 'Hello!']);
  });

  test('has the ids of the messages that were streamed, in whatever stream', () => {
    const [streamed] = answersOf(running, said('m', textBlock(['x'])), ended);
    const repeated = [
      [metadata('r'), classic('values', { messages: [hello, ai('m', 'x')] })],
      [running, values(ai('m', ['x']), { role: 'system', id: 's', content: 'private' }), ended],
    ];
    expect(repeated.flatMap((objects) => answersOf(objects))).toEqual([streamed, streamed]);
  });

  test('tells no call of earlier runs, an update those of this one', () => {
    const call = ai('m', '', { tool_calls: [toolCall('a')] });
    expect(summary(eventsOf(running, values(call, toolResult('a')), ended))).toEqual([idle]);
    const updates = [call, toolResult('a', { status: 'error' })].map((given) =>
      event('updates', { node: 'n', values: { messages: given } }),
    );
    expect(summary(eventsOf(running, updates, ended))).toEqual([started('Working'), failed('Working'), idle]);
  });

  test('may be of any shape', () => {
    const odd = [
      null,
      'x',
      7,
      [],
      {},
      { messages: 'x' },
      { messages: [null, 1, { type: 'ai' }] },
      { messages: {} },
    ];
    const { events } = run(
      running,
      odd.flatMap((data) => [
        event('values', data),
        event('updates', data),
        event('updates', { values: data }),
      ]),
      ended,
    );
    expect(summary(events)).toEqual([idle]);
  });

  test('may call its messages by their classes, and brings files by what is known of them', () => {
    const image = { type: 'image', mime_type: 'image/png', data: 'AAECAw==' };
    const { events } = run(
      running,
      values(
        { type: 'HumanMessage', id: 'h', content: [{ type: 'text', text: 'See' }, image] },
        { role: 'assistant', id: 'm', content: 'I see' },
      ),
      ended,
    );
    expect(summary(events)).toEqual(['user_message', message(5), idle]);
    expect(ofKind(events, 'user_message')[0]?.files).toMatchObject([
      { filename: 'file-1', contentType: 'image/png', sizeBytes: 4 },
    ]);
  });
});

describe('a run', () => {
  test('that comes again with its numbers is read on from where it was, holes or not', () => {
    const objects = [running, ...said('m', textBlock(['One', ' more'])), ended].map((object, at) => ({
      ...object,
      seq: 3 * at,
    }));
    const [, first, second] = objects;
    const { events, stream } = run(objects.slice(0, 4), first, second, objects.slice(3));
    expect(events).toEqual(eventsOf(objects));
    expect(stream.counts.ignored).toEqual({ repeated_event: 3 });
    const again = run(objects.slice(0, 4), objects);
    expect(again.events).toEqual(eventsOf(objects));
    expect(again.stream.counts.ignored).toEqual({ duplicate_message_start: 1 });
  });

  test('may be told as running more than once', () => {
    const objects = [lifecycle('started'), running, said('m', textBlock(['x'])), running, ended];
    expect(summary(eventsOf(objects))).toEqual([message(1), idle]);
  });

  test.each<readonly [error: string | undefined, line: string]>([
    ['GraphRecursionError', 'error AGENT_FAILED'],
    [undefined, 'error AGENT_FAILED'],
    ['RateLimitError: private', 'error AGENT_API_ERROR retryable'],
    ['429 private', 'error AGENT_API_ERROR retryable'],
    ['AuthenticationError', 'error AGENT_API_ERROR'],
    ['TimeoutError', 'error AGENT_TIMED_OUT retryable'],
    ['CancelledError', 'session_stopped'],
    ['UserInterrupt', 'session_stopped'],
    ['AbortError: private', 'session_stopped'],
  ])('that fails by %s', (error, line) => {
    expect(summary(eventsOf(running, lifecycle('failed', { error })))).toEqual([line]);
    expect(summary(eventsOf(metadata('r'), classic('error', { error, message: 'private' })))).toEqual([line]);
  });

  test('fails once', () => {
    const failure = lifecycle('failed', { error: 'x' });
    const { events, stream } = run(
      running,
      failure,
      failure,
      said('m', textBlock(['x'])),
      ended,
      running,
      ended,
    );
    expect(summary(events)).toEqual(['error AGENT_FAILED', idle]);
    expect(stream.counts.ignored).toEqual({ repeated_error: 1, outside_message: 6 });
  });

  test('that is interrupted in the middle of a word was stopped, else it waits', () => {
    const open = said('m', textBlock(['Half'])).slice(0, -2);
    expect(summary(eventsOf(running, open, lifecycle('interrupted')))).toEqual([
      message(4, 0, 0, 'ABORTED'),
      'session_stopped',
    ]);
    const calls = said('m', callBlock('a', 'x', ['{}']));
    expect(summary(eventsOf(running, calls, lifecycle('interrupted')))).toEqual([started('Working'), idle]);
  });

  test('whose end was lost gives way to another', () => {
    const objects = [metadata('a'), partials('m', ['Half']), metadata('b'), partials('n', ['Whole']), end];
    expect(summary(eventsOf(objects))).toEqual([message(4, 0, 0, 'TRUNCATED'), message(5), idle]);
  });

  test('lets go of what it dropped, and of what is not told', () => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 1_000 };
    const words = ['x'.repeat(400)];
    const again = [metadata('a'), partials('m', words)];
    const within = [0, 1, 2, 3].map((n) => said(`w${n}`, textBlock(words), {}, ['tools:1', 'agent:2']));
    const messages = [0, 1, 2, 3].map((n) => said(`m${n}`, textBlock(words)));
    expect(runWith({ limits }, again, again, again, again).stream.fault).toBeUndefined();
    expect(runWith({ limits }, running, within, messages, ended).stream.fault).toBeUndefined();
  });

  test('that its server tries again begins anew', () => {
    const objects = [metadata('a'), partials('m', ['Half']), metadata('a'), partials('n', ['Whole']), end];
    const { events, stream } = run(objects);
    expect(summary(events)).toEqual([message(5), idle]);
    expect(stream.counts.ignored).toEqual({ duplicate_message_start: 1 });
  });

  test('needs no beginning', () => {
    expect(summary(eventsOf(said('m', textBlock(['x'])), ended))).toEqual([message(1), idle]);
    expect(summary(eventsOf(ended))).toEqual([idle]);
    expect(summary(eventsOf(running, ended, said('m', textBlock(['x'])), ended))).toEqual([
      idle,
      message(1),
      idle,
    ]);
  });

  test('of the older protocol is over with its stream, if all is said', () => {
    const answered = [metadata('r'), classic('values', { messages: [human('h', 'Hi'), ai('m', 'x')] })];
    const { pieces } = run(answered);
    expect(summary(pieces.flatMap(({ events }) => events))).toEqual(['user_message', message(1)]);
    expect(summary(pieces.flatMap(({ ending }) => ending))).toEqual([idle]);
    const unsaid = [
      [metadata('r')],
      [metadata('r'), classic('values', { messages: [human('h', 'Hi')] })],
      [
        metadata('r'),
        classic('updates', { n: { messages: [ai('m', 'x', { tool_calls: [toolCall('a')] })] } }),
      ],
      [...answered, partials('n', ['Half'])],
    ];
    for (const objects of unsaid) expect(summary(eventsOf(objects)).at(-1)).toBe(cutOff);
    expect(summary(run(answered).events.slice(0, 2))).toEqual(summary(eventsOf(answered).slice(0, 2)));
    expect(summary(runWith({ why: 'cutoff' }, answered).events).at(-1)).toBe(cutOff);
  });
});

describe('the older protocol', () => {
  test('is server-sent events whose data may be lists or nothing', () => {
    const sse = [
      'event: metadata\ndata: {"run_id": "r"}',
      'event: messages/partial\ndata: [{"id": "m", "type": "ai", "content": "Hel"}]',
      'event: messages/partial\ndata: [{"id": "m", "type": "ai", "content": "Hello"}]',
      'event: end\ndata: null',
    ];
    const { events, stream } = ingest([bytesOf(`${sse.join('\n\n')}\n\n`)], { format: null });
    expect(summary(events)).toEqual([message(5), idle]);
    expect(stream.counts.ignored).toEqual({});
  });

  test('has messages that are cumulative, and as a whole beat what came before', () => {
    const objects = [
      metadata('r'),
      partials('m', ['Hel', 'lo']),
      classic('messages/complete', [ai('m', 'Hello!')]),
      end,
    ];
    expect(textsOf(objects)).toEqual(['Hello!']);
  });

  test('has pieces that add up, until a later step of the graph or an update', () => {
    const objects = [
      metadata('r'),
      chunk('m', 'One', {}, { langgraph_step: 1 }),
      chunk('n', [{ type: 'text', text: 'Two', index: 1 }], {}, { langgraph_step: 1 }),
      chunk('m', ' more', {}, { langgraph_step: 1 }),
      classic('updates', { agent: { messages: [ai('n', 'Two!')] }, other: null }),
      chunk('o', 'Three', {}, { langgraph_step: 2 }),
      end,
    ];
    expect(textsOf(objects)).toEqual(['Two!', 'One more', 'Three']);
  });

  test('says by its steps that a message is over, and makes its calls', () => {
    const piece = { tool_call_chunks: [{ index: 0, id: 'a', name: 'x', args: '{}' }] };
    const objects = [
      metadata('r'),
      chunk('m', 'One', piece, { langgraph_step: 1 }),
      classic('messages', [toolResult('a'), { langgraph_step: 2 }]),
      chunk('n', 'Two', {}, { langgraph_step: 3 }),
      end,
    ];
    expect(summary(eventsOf(objects))).toEqual([message(3), ...whole('Working'), message(3), idle]);
  });

  test('has calls in pieces, and tools by other names', () => {
    const call = (args: string, more: object = {}) =>
      chunk('m', '', { tool_call_chunks: [{ index: 0, args, ...more }] });
    const objects = [
      metadata('r'),
      call('{"query": "mi', { id: 'a', name: 'web_search' }),
      call('lls"}'),
      classic('updates', { agent: { messages: [] } }),
      chunk('m', '', { chunk_position: 'last' }),
      classic('tools', { event: 'on_tool_start', toolCallId: 'a', name: 'web_search', input: {} }),
      classic('tools', { event: 'on_tool_event', toolCallId: 'a', data: 'private' }),
      classic('tools', { event: 'on_tool_end', toolCallId: 'a', output: 'private' }),
      classic('tools', { event: 'on_tool_start', toolCallId: 'b', name: 'x', input: '{}' }),
      classic('tools', { event: 'on_tool_error', toolCallId: 'b', error: 'private' }),
      classic('tools', { event: 'on_tool_start' }),
      chunk('n', 'x'),
      end,
    ];
    const { events, stream } = run(objects);
    expect(summary(events)).toEqual([
      ...whole('Searching the web'),
      started('Working'),
      failed('Working'),
      message(1),
      'methods, 1 searches, 0 sources',
      idle,
    ]);
    expect(stream.counts.ignored).toEqual({ not_an_event: 1 });
  });

  test('says of what lies within the graph where it is', () => {
    const about = { langgraph_checkpoint_ns: 'a:1|b:2' };
    const objects = [
      metadata('r'),
      classic('messages|sub:1', [{ type: 'AIMessageChunk', id: 'w', content: 'private' }, {}]),
      classic('messages/partial|sub:1', [ai('p', 'private')]),
      classic('messages/complete|sub:1', [ai('p', 'private'), ai('q', 'private')]),
      classic('values|sub:1', { messages: [ai('v', 'private')] }),
      classic('updates|sub:1', { n: { messages: [ai('u', 'private')] } }),
      classic('error|sub:1', { error: 'private' }),
      chunk('x', 'private', {}, about),
      classic('messages', [ai('y', 'private'), about]),
      end,
    ];
    expect(summary(eventsOf(objects))).toEqual([idle]);
  });

  test('says much that is not told', () => {
    const names = ['messages/metadata', 'debug', 'tasks', 'checkpoints', 'events', 'feedback'];
    const { events, stream } = run(
      metadata('r'),
      names.map((name) => classic(name, { private: 'private' })),
      end,
    );
    expect(summary(events)).toEqual([idle]);
    expect(stream.counts.ignored).toEqual({});
  });
});

describe('an interrupt', () => {
  const ask = (value: unknown, id = 'i') => [
    metadata('r'),
    classic('updates', { __interrupt__: [{ value, id }] }),
    end,
  ];

  test('is a question, by what it has for the user', () => {
    const texts = [
      'Go on?',
      { question: 'Go on?' },
      { message: 'Go on?', secret: 'x' },
      { secret: 'x' },
      null,
      7,
    ].map((value) => questionsOf(ask(value)).map(({ text }) => text));
    const [go, how] = [['Go on?'], ['The agent asks how to go on.']];
    expect(texts).toEqual([go, go, go, how, how, how]);
    expect(summary(eventsOf(ask('Go on?')))).toEqual(['question', idle]);
  });

  test('comes in state, update and request, and is asked once', () => {
    const interrupt = { id: 'i', value: 'Go on?' };
    const { events } = run(
      running,
      event('updates', { node: '__interrupt__', values: [interrupt] }, ['sub:1']),
      event('input.requested', { interrupt_id: 'i', payload: 'Go on?' }),
      event('input.requested', { interrupt_id: 'j', payload: { question: 'And on?' } }),
      event('values', { messages: [], __interrupt__: [interrupt, null] }),
      lifecycle('interrupted'),
    );
    expect(summary(events)).toEqual(['question', 'question', idle]);
    expect(ofKind(events, 'question').map(({ text }) => text)).toEqual(['Go on?', 'And on?']);
    expect(questionsOf(ask('Go on?'))[0]?.questionId).toBe(ofKind(events, 'question')[0]?.questionId);
  });

  test('that has no name is told apart by its run', () => {
    const ids = ['one', 'two'].flatMap((name) =>
      questionsOf(
        metadata(name),
        classic('updates', { __interrupt__: [{ value: 'x' }, { value: 'x' }] }),
        end,
      ).map(({ questionId }) => questionId),
    );
    expect(new Set(ids).size).toBe(4);
  });

  test('about calls asks for permission for each, and they go on in the next run', () => {
    const calls = said('m', [
      callBlock('a', 'web_search', ['{}'], 0),
      callBlock('b', 'private_tool', ['{}'], 1),
    ]);
    const action_requests = [
      { name: 'web_search', args: { private: 1 }, description: 'private' },
      { name: 'private_tool' },
    ];
    const asked = [
      running,
      calls,
      event('input.requested', { interrupt_id: 'i', payload: { action_requests } }),
      lifecycle('interrupted'),
    ];
    const { events } = run(
      asked,
      running,
      event('input.answered', { interrupt_ids: ['i'] }),
      tool('tool-started', 'a', { tool_name: 'web_search' }),
      tool('tool-finished', 'a', { output: 'private' }),
      values(toolResult('b', { status: 'error' })),
      said('n', textBlock(['x'])),
      ended,
    );
    expect(summary(events)).toEqual([
      started('Searching the web'),
      started('Working'),
      'question',
      'question',
      idle,
      completed('Searching the web'),
      failed('Working'),
      message(1),
      idle,
    ]);
    expect(ofKind(events, 'question').map(({ text }) => text)).toEqual([
      'The agent asks for permission to go on: Searching the web.',
      'The agent asks for permission to go on.',
    ]);
    expect(JSON.stringify(events)).not.toContain('private');
    expect(summary(eventsOf(asked, running, said('n', textBlock(['x'])), ended)).slice(5)).toEqual([
      message(1),
      failed('Searching the web'),
      failed('Working'),
      idle,
    ]);
  });
});

test('data that the title map has is delivered as it comes, by its channel, its name or its type', () => {
  const titles = parseTitles('{"chart": {"delivers": {"kind": "FIGURE", "name": "head"}}}');
  const data = [
    event('custom:chart', { head: 'By channel', private: 1 }),
    event('custom', { name: 'chart', payload: { head: 'By name' } }, ['n:1']),
    event('custom', { payload: { type: 'chart', head: 'By type' } }),
    classic('custom', { type: 'chart', head: 'By type, too' }),
    event('custom', { payload: 'private' }),
  ];
  const { events, stream } = runWith({ titles }, running, data, ended);
  expect(
    ofKind(events, 'delivered_outputs').flatMap(({ deliveredOutputs }) => deliveredOutputs),
  ).toMatchObject([
    { title: 'By channel' },
    { title: 'By name' },
    { title: 'By type' },
    { title: 'By type, too' },
  ]);
  expect(JSON.stringify(events)).not.toContain('private');
  expect(stream.counts.ignored).toEqual({ unmapped_data: 1 });
});

test('keys named like those of an object are names like others', () => {
  const objects = [
    running,
    said('__proto__', [textBlock(['x']), callBlock('constructor', 'toString', ['{}'])]),
    tool('tool-finished', 'constructor', { output: {} }),
    event(
      'updates',
      JSON.parse('{"node": "__proto__", "values": {"__proto__": {"messages": [{"polluted": 1}]}}}'),
    ),
    ended,
  ];
  expect(summary(eventsOf(objects))).toEqual([message(1), ...whole('Working'), idle]);
  expect(Object.hasOwn(Object.prototype, 'messages')).toBe(false);
});

test.each<readonly [string, (n: number) => unknown]>([
  ['messages', (n: number) => said(`m${n}`, []).slice(0, 1)],
  ['calls', (n: number) => said(`m${n}`, callBlock(`c${n}`, 'x', ['{}']))],
  [
    'calls of a message',
    (n: number) => chunk('m', '', { tool_call_chunks: [{ index: n, id: `c${n}`, args: '' }] }),
  ],
  ['blocks', (n: number) => chunk('m', [{ type: 'text', text: 'x', index: n }])],
  ['interrupts', (n: number) => event('input.requested', { interrupt_id: `i${n}` })],
  ['tools', (n: number) => tool('tool-started', `c${n}`, { tool_name: 'x' })],
])('too many %s that are open end the stream', (_, part) => {
  const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
  const { stream } = runWith(
    { limits },
    running,
    [0, 1, 2, 3].map((n) => part(n)),
  );
  expect(stream.fault?.details.limit).toBe('openBlocks');
});

test.each<readonly [string, (n: number) => unknown]>([
  [
    'interrupts',
    (n: number) => event('input.requested', { interrupt_id: `i${n}`, payload: 'x'.repeat(400) }),
  ],
  ['pieces of calls', () => chunk('m', '', { tool_call_chunks: [{ index: 0, args: 'x'.repeat(400) }] })],
  ['whole messages', (n: number) => partials(`m${n}`, ['x'.repeat(400)])],
])('%s that wait are held', (_, part) => {
  const limits = { ...DEFAULT_LIMITS, heldBytes: 1_000 };
  const { stream } = runWith({ limits }, running, [0, 1, 2].map(part));
  expect(stream.fault?.details.limit).toBe('heldBytes');
});
