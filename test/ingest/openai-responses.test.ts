import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../src/ingest/json.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
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
  call,
  created,
  ending,
  itemAdded,
  itemDone,
  messageItem,
  reasoning,
  responseOf,
  said,
  textDelta,
} from './openai.js';
import type { Said } from './redaction.js';
import { ingestObjects, ofKind, summary } from './streams.js';

const samples: Samples = {
  says: (id, pieces) => responseOf(id, said(0, pieces)),
  fails: (id, pieces, text) => [
    created(id),
    ...said(0, pieces).slice(0, -3),
    { type: 'error', error: { type: 'server_error', code: 'server_error', message: text } },
    ending('failed', id, { error: { code: 'server_error', message: text } }),
  ],
  thinks: (id, stretches) => responseOf(id, stretches.map(reasoning), said(stretches.length, ['done'])),
  uses: (id, { name, input, result, hasFailed }) =>
    responseOf(
      id,
      call(0, { type: 'mcp_call', name, input, more: { output: result, error: hasFailed ? result : null } }),
      said(1, ['done']),
    ),
  calls: (id, pieces, { name, input }) =>
    responseOf(
      id,
      said(0, pieces),
      call(1, { type: 'function_call', name, input, more: { call_id: `call_${id}` } }),
    ),
  unknown: [
    { type: 'response.telepathy.delta', output_index: 0, delta: 'x' },
    { type: 'unheard.of', output_index: 0 },
  ],
};

/** Differences from the recordings' own words are explained; kinds, states, counts and lengths of all the others follow the rules. */
const REVIEWED: Reviewed = new Map([
  // Our own.
  [
    'tide-mills.jsonl',
    [
      [
        ...whole('Thinking'),
        message(64),
        ...whole('Searching the web'),
        ...whole('Looking through files'),
        message(297, 3, 3),
        'methods, 3 searches, 3 sources',
        idle,
      ],
    ],
  ],
  // Two responses: the first ends in a call of the caller's, the second in a question.
  [
    'seed-beds.sse',
    [
      [
        message(38),
        ...whole('Working'),
        ...whole('Running code'),
        started('Making a picture'),
        'artifacts_delivered, 1',
        completed('Making a picture'),
        message(103),
        'artifacts_delivered, 1',
        'question',
        idle,
      ],
    ],
  ],
  // The search failed before, the call of a tool with its response.
  [
    'lamp-oil.jsonl',
    [
      [
        started('Searching the web'),
        failed('Searching the web'),
        started('Working'),
        failed('Working'),
        message(37, 0, 0, 'TRUNCATED'),
        'error AGENT_API_ERROR retryable',
      ],
      { repeated_error: 1 },
    ],
  ],
  // Real ones.
  ['github-copilot-id-rotation.1.chunks.txt', [[...whole('Thinking'), message(138), idle]]],
  // The caller owes the result of a call: not idle.
  ['lmstudio-tool-call.1.chunks.txt', [[...whole('Thinking'), message(67), started('Working')]]],
  ['openai-apply-patch-tool.1.chunks.txt', [[started('Editing a file')]]],
  // 596 characters as sent; the place of the file in its sandbox gives way to its name, 18 characters shorter.
  [
    'openai-code-interpreter-tool.1.chunks.txt',
    [
      [
        ...whole('Thinking'),
        ...whole('Running code'),
        ...whole('Running code'),
        ...whole('Running code'),
        message(578),
        'artifacts_delivered, 1',
        idle,
      ],
    ],
  ],
  ['openai-custom-tool.1.chunks.txt', [[started('Working')]]],
  ['openai-error.1.chunks.txt', [['error AGENT_API_ERROR'], { repeated_error: 1 }]],
  [
    'openai-file-search-tool.1.chunks.txt',
    [
      [
        ...whole('Thinking'),
        ...whole('Looking through files'),
        message(433, 2, 1),
        'methods, 3 searches, 1 sources',
        idle,
      ],
    ],
  ],
  // Its message has no text: no message.
  [
    'openai-image-generation-tool.1.chunks.txt',
    [
      [
        ...whole('Thinking'),
        started('Making a picture'),
        'artifacts_delivered, 1',
        completed('Making a picture'),
        idle,
      ],
    ],
  ],
  ['openai-mcp-tool-approval.1.chunks.txt', [[...whole('Thinking'), 'question', idle]]],
  ['openai-mcp-tool-approval.2.chunks.txt', [[...whole('Thinking'), message(470), idle]]],
  ['openai-phase.1.chunks.txt', [[message(153), message(1485), idle]]],
  // Four responses, three of which end in a call.
  [
    'openai-reasoning-encrypted-content.1.chunks.txt',
    [
      [
        ...whole('Thinking'),
        ...whole('Working'),
        ...whole('Working'),
        ...whole('Working'),
        message(28),
        idle,
      ],
    ],
  ],
  ['openai-shell-container.1.chunks.txt', [[...whole('Running code'), message(190), idle]]],
  ['openai-tool-search.1.chunks.txt', [[...whole('Choosing how to go on'), started('Working')]]],
  // Four of six calls read pages: they are no searches.
  [
    'openai-web-search-tool.1.chunks.txt',
    [
      [
        ...whole('Thinking'),
        ...Array.from({ length: 6 }, () => whole('Searching the web')).flat(),
        message(2351, 12, 7),
        'methods, 2 searches, 7 sources',
        idle,
      ],
    ],
  ],
  // Its first and its last line are half lines: a response without an end broke off.
  [
    'parallel-tool-call-wrapper.1.chunks.txt',
    [[started('Working'), failed('Working'), 'error AGENT_FAILED retryable'], { truncated: 2 }],
  ],
  ['pydantic-background-starting-after.1.sse', [[message(15), idle]]],
  [
    'pydantic-file-search.1.sse',
    [[...whole('Looking through files'), message(56, 1, 1), 'methods, 1 searches, 1 sources', idle]],
  ],
  [
    'pydantic-raw-annotations.1.sse',
    [
      [
        ...whole('Searching the web'),
        ...whole('Searching the web'),
        message(102, 1, 1),
        'methods, 3 searches, 1 sources',
        idle,
      ],
    ],
  ],
  [
    'pydantic-raw-annotations.2.sse',
    [[...whole('Searching the web'), message(119, 1, 1), 'methods, 1 searches, 1 sources', idle]],
  ],
  // Its reasoning ends after its answer.
  ['pydantic-raw-cot-openrouter.1.sse', [[message(1), ...whole('Thinking'), idle]]],
  // Synthetic ones.
  ['openai.cancelled.jsonl', [[message(8, 0, 0, 'ABORTED'), 'session_stopped']]],
  ['openai.eof-no-terminal.jsonl', [[message(8, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED retryable']]],
  ['openai.error-flat.jsonl', [[message(8, 0, 0, 'TRUNCATED'), 'error AGENT_API_ERROR retryable']]],
  [
    'openai.error-nested-then-failed.jsonl',
    [[message(8, 0, 0, 'TRUNCATED'), 'error AGENT_API_ERROR retryable'], { repeated_error: 1 }],
  ],
  ['openai.incomplete-content-filter.jsonl', [[message(8, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED']]],
  ['openai.incomplete-max-tokens.jsonl', [[message(8, 0, 0, 'TRUNCATED'), idle]]],
  ['openai.refusal.jsonl', [[message(8, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED']]],
  // The done text is longer than its deltas.
  ['openai.resume-overlap.jsonl', [[message(13), idle], { repeated_event: 2 }]],
]);

/** What comes whole is enough: the deltas of a text, and of thoughts, add up to it. */
function saidIn(objects: readonly JsonObject[]): Said {
  const listed = objects.flatMap((object) => listAt(objectAt(object, 'response') ?? {}, 'output'));
  const items = [...objects.map(({ item }) => item), ...listed].filter(isObject);
  const deltas = objects
    .filter(({ type }) => type === 'response.output_text.delta')
    .map((object) => stringAt(object, 'delta') ?? '');
  const parts = items.filter(({ type }) => type === 'message').flatMap((item) => listAt(item, 'content'));
  const annotations = parts.filter(isObject).flatMap((part) => listAt(part, 'annotations'));
  return {
    shown: [
      deltas.join(''),
      ...objects.filter(({ type }) => type === 'response.output_text.done').map(({ text }) => text),
      ...parts.filter(isObject).map(({ text }) => text),
      ...annotations.filter(isObject).flatMap(({ url, title, filename }) => [url, title, filename]),
      ...items.flatMap(queriesOf),
    ]
      .filter((text) => typeof text === 'string')
      .map((text) => text.replace(SANDBOX, '')),
    hidden: [],
  };
}

/** Where a file lies is private, wherever it stands. */
const SANDBOX = /sandbox:\S*\//g;

const queriesOf = (item: JsonObject): unknown[] => {
  const from = item.type === 'web_search_call' ? (objectAt(item, 'action') ?? {}) : item;
  return /^(?:web|file)_search_call$/.test(stringAt(item, 'type') ?? '')
    ? [from.query, ...listAt(from, 'queries')]
    : [];
};

describeFormat({ format: 'openai-responses', samples, reviewed: REVIEWED, saidIn });

const run = (...objects: unknown[]) => ingestObjects(objects, { format: 'openai-responses' });
const eventsOf = (...objects: unknown[]) => run(...objects).events;
const messageOf = (...objects: unknown[]) => ofKind(eventsOf(...objects), 'agent_message')[0];

describe('citations', () => {
  const link = (text: string, url: string, words = url) => {
    const start = [...text.slice(0, text.indexOf(words))].length;
    return {
      type: 'url_citation',
      start_index: start,
      end_index: start + [...words].length,
      url,
      title: 'A page',
    };
  };
  const url = 'https://example.org/a_(b)';

  test.each([
    ['a link in parentheses', `Fact ([example.org](${url})).`, `([example.org](${url}))`, 'Fact <r1>.'],
    ['a link', `Fact [here](${url} "A page").`, `[here](${url} "A page")`, 'Fact <r1>.'],
    ['an address', `Fact ${url}`, url, 'Fact <r1>'],
    ['a reference mark', 'Fact【4:0†source】.', '【4:0†source】', 'Fact<r1>.'],
    [
      'the words that are cited',
      `Fact by [name](${url}) here.`,
      `Fact by [name](${url}) here`,
      `Fact by [name](${url}) here<r1>.`,
    ],
    [
      'words that are long',
      `Fact (${' '.repeat(3_000)}${url}).`,
      `(${' '.repeat(3_000)}${url})`,
      `Fact (${' '.repeat(3_000)}${url})<r1>.`,
    ],
    ['words without the address', 'Fact here.', 'Fact', 'Fact<r1> here.'],
  ])('%s', (_, text, words, shown) => {
    const answer = messageOf(responseOf('r', said(0, [text], link(text, url, words))));
    expect(answer?.text).toBe(shown.replace('<r1>', '<citations>r1</citations>'));
    expect(answer?.citations).toMatchObject([
      { reference: 'r1', quote: '', source: { title: 'A page', url } },
    ]);
  });

  test('their places are counted in code points, or as some services do in UTF-16 units', () => {
    const text = `🌊🌊 Fact (${url}) and more 🌊.`;
    const points = link(text, url, `(${url})`);
    const units = { ...points, start_index: points.start_index + 2, end_index: points.end_index + 2 };
    for (const annotation of [points, units]) {
      expect(messageOf(responseOf('r', said(0, [text], annotation)))?.text).toBe(
        '🌊🌊 Fact <citations>r1</citations> and more 🌊.',
      );
    }
  });

  test('of one place are one group, of one work one source', () => {
    const file = (file_id: string, index: number) => ({
      type: 'file_citation',
      file_id,
      filename: `${file_id}.pdf`,
      index,
    });
    const answer = messageOf(
      responseOf('r', said(0, ['One. Two.'], file('b', 4), file('a', 4), file('a', 9), file('a', 99))),
    );
    expect(answer?.text).toBe('One.<citations>r1,r2</citations> Two.<citations>r3,r4</citations>');
    expect(answer?.citations.map(({ source }) => source.title)).toEqual(['b.pdf', 'a.pdf', 'a.pdf', 'a.pdf']);
    expect(new Set(answer?.citations.map(({ source }) => source.sourceRef)).size).toBe(2);
  });

  test('that nobody knows are counted, and links that overlap lose no text', () => {
    const text = `Fact (${url}).`;
    const { events, stream } = run(
      responseOf('r', said(0, [text], { type: 'telepathy' }, link(text, url), link(text, url, `(${url})`))),
    );
    expect(ofKind(events, 'agent_message')[0]?.text).toBe('Fact <citations>r1,r2</citations>.');
    expect(stream.counts.ignored.unknown_citation).toBeGreaterThan(0);
  });
});

describe('text', () => {
  test('that is done beats its deltas, and a full item beats that', () => {
    const half = [created('r'), itemAdded(0, { type: 'message' }), textDelta(0, 'Ha')];
    const done = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Half' };
    const texts = [
      [half, done, ending('completed')],
      [half, done, itemDone(0, messageItem('Whole')), ending('completed')],
      [half, done, ending('completed', 'r', { output: [messageItem('Whole')] })],
      [ending('completed', 'r', { output: [messageItem('Whole')] })],
    ].map((objects) => messageOf(objects)?.text);
    expect(texts).toEqual(['Half', 'Whole', 'Whole', 'Whole']);
  });

  test('is not told twice where a response lists fewer items than came', () => {
    const listed = { output: [messageItem('One'), messageItem('Two')] };
    const objects = [created('r'), said(0, ['One']), said(2, ['Two']), ending('completed', 'r', listed)];
    expect(ofKind(eventsOf(objects), 'agent_message').map(({ text }) => text)).toEqual(['One', 'Two']);
  });

  test('of several parts is joined in their order, and interleaved items keep their own', () => {
    const objects = [
      created('r'),
      itemAdded(0, { type: 'message' }),
      itemAdded(1, { type: 'message' }),
      textDelta(1, 'two'),
      textDelta(0, ' B', 1),
      textDelta(0, 'A', 0),
      ending('completed'),
    ];
    expect(ofKind(eventsOf(objects), 'agent_message').map(({ text }) => text)).toEqual(['A B', 'two']);
  });

  test('whose beginning was lost is told all the same', () => {
    expect(summary(eventsOf(textDelta(3, 'Hello'), ending('completed')))).toEqual([message(5), idle]);
  });

  test('names files by their names, not by their place in a sandbox', () => {
    const text = 'See [it](sandbox:/mnt/data/deep/my-file.csv), or sandbox:/mnt/x.md.';
    expect(messageOf(responseOf('r', said(0, [text])))?.text).toBe('See [it](my-file.csv), or x.md.');
  });

  test('of a message that is incomplete is cut', () => {
    const objects = [created('r'), itemDone(0, { ...messageItem('Half'), status: 'incomplete' })];
    expect(summary(eventsOf(objects, ending('completed')))).toEqual([message(4, 0, 0, 'TRUNCATED'), idle]);
  });
});

describe('what comes again', () => {
  const numbered = (objects: readonly object[]) =>
    objects.map((object, sequence_number) => ({ ...object, sequence_number }));

  test('by its sequence number is counted, and changes nothing', () => {
    const objects = numbered([created('r'), ...said(0, ['Half an ', 'hour']), ending('completed', 'r')]);
    for (let at = 1; at < objects.length; at++) {
      const { events, stream } = run(objects.slice(0, at), objects);
      expect(events).toEqual(eventsOf(objects));
      expect(stream.counts.ignored).toEqual({ repeated_event: at });
    }
  });

  test('without one, restarts what is open, and what is over stays', () => {
    const beginning = [created('r'), ...said(0, ['One']), ...said(1, ['Tw', 'o']).slice(0, 2)];
    const objects = [...beginning, ...said(1, ['Tw', 'o']), ending('completed', 'r')];
    const { events } = run(beginning, objects);
    expect(events).toEqual(eventsOf(objects));
  });

  test('under ids that change with every event, is one response', () => {
    const objects = responseOf('r', said(0, ['One'])).map((object, n) =>
      Object.assign({ item_id: `id_${n}` }, object),
    );
    expect(summary(eventsOf(objects, ending('completed', 'other')))).toEqual([message(3), idle]);
  });
});

describe('a response', () => {
  test('that begins while another is open takes its place', () => {
    const { events, stream } = run(
      created('a'),
      said(0, ['Said']),
      call(1, { type: 'mcp_call', name: 'x', input: ['{}'] }).slice(0, -1),
      said(2, ['lost']).slice(0, 2),
      responseOf('b', said(0, ['Again'])),
    );
    expect(summary(events)).toEqual([message(4), started('Working'), failed('Working'), message(5), idle]);
    expect(stream.counts.ignored).toEqual({ dropped_message: 1 });
  });

  test.each([
    ['insufficient_quota', 'AGENT_API_ERROR'],
    ['invalid_prompt', 'AGENT_API_ERROR'],
    ['image_too_large', 'AGENT_API_ERROR'],
    ['image_content_policy_violation', 'AGENT_FAILED'],
    ['vector_store_timeout', 'AGENT_TIMED_OUT retryable'],
    ['rate_limit_exceeded', 'AGENT_API_ERROR retryable'],
    ['something_new', 'AGENT_API_ERROR retryable'],
  ])('that fails with %s is %s', (code, shown) => {
    const nested = { type: 'error', error: { code, message: 'private' } };
    const flat = { type: 'error', code, message: 'private' };
    const alone = ending('failed', 'r', { error: { code, message: 'private' } });
    for (const end of [[nested], [flat], [alone], [nested, alone], [flat, alone]]) {
      expect(summary(eventsOf(created('r'), end))).toEqual([`error ${shown}`]);
    }
  });

  test('that asks for an approval says of the tool its title at most, and is idle', () => {
    const request = { type: 'mcp_approval_request', name: 'web_search', arguments: '{"query":"private"}' };
    const { events } = run(
      responseOf('r', itemDone(0, request), itemDone(1, { ...request, name: 'private' })),
    );
    expect(summary(events)).toEqual(['question', 'question', idle]);
    expect(ofKind(events, 'question').map(({ text }) => text)).toEqual([
      'The agent asks for permission to go on: Searching the web.',
      'The agent asks for permission to go on.',
    ]);
    expect(new Set(ofKind(events, 'question').map(({ questionId }) => questionId)).size).toBe(2);
  });

  test('that was cut inside the input of a call never made it', () => {
    const half = call(0, { type: 'function_call', name: 'x', input: ['{"a'] });
    const cut = ending('incomplete', 'r', { incomplete_details: { reason: 'max_output_tokens' } });
    for (const objects of [
      half.slice(0, 2),
      [itemDone(0, { type: 'function_call', status: 'incomplete' })],
    ]) {
      const { events, stream } = run(created('r'), objects, cut);
      expect(summary(events)).toEqual([idle]);
      expect(stream.counts.ignored).toEqual({ unfinished_tool_input: 1 });
    }
  });
});

test.each<readonly [string, (n: number) => object]>([
  ['items', (n) => itemAdded(n, { type: 'message' })],
  ['parts of a text', (n) => textDelta(0, 'x', n)],
  ['calls', (n) => itemDone(n, { type: 'function_call', call_id: `c${n}` })],
])('too many %s that are open end the stream', (_, part) => {
  const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
  const objects = [created('r'), ...[0, 1, 2, 3].map((n) => part(n))];
  const { stream } = ingestObjects(objects, { format: 'openai-responses', limits });
  expect(stream.fault?.details.limit).toBe('openBlocks');
});

describe('calls', () => {
  test('of the caller are those whose result the stream cannot show', () => {
    const states = [
      'function_call',
      'custom_tool_call',
      'computer_call',
      'local_shell_call',
      'apply_patch_call',
      'shell_call',
    ]
      .map((type) => responseOf('r', itemDone(0, { type, call_id: 'c', status: 'completed' })))
      .map((objects) => ofKind(eventsOf(objects), 'activity').map(({ status }) => status));
    expect(states).toEqual(Array(6).fill(['STARTED']));
  });

  test('whose result is an item of its own end with it, by the id of the call', () => {
    const environment = { type: 'container_reference' };
    const shell = (id: string) => ({ type: 'shell_call', call_id: id, environment, status: 'completed' });
    const output = (id: string, status: string) => ({ type: 'shell_call_output', call_id: id, status });
    const { events } = run(
      responseOf(
        'r',
        itemDone(0, shell('a')),
        itemDone(1, shell('b')),
        itemDone(2, output('b', 'completed')),
        itemDone(3, output('a', 'failed')),
      ),
    );
    expect(summary(events)).toEqual([
      started('Running code'),
      started('Running code'),
      completed('Running code'),
      failed('Running code'),
      idle,
    ]);
  });

  test('of one service are told with arguments that only come when they are done', () => {
    const objects = call(0, { type: 'function_call', name: 'find', input: [] });
    const done = {
      type: 'response.function_call_arguments.done',
      output_index: 0,
      arguments: '{"query":"q"}',
    };
    const titles = new Map([['find', { title: 'Finding', searches: 'pubmed' }]]);
    const { events } = ingestObjects(
      [
        created('r'),
        objects[0],
        done,
        itemDone(0, { type: 'function_call', name: 'find' }),
        said(1, ['x']),
        ending('completed', 'r'),
        responseOf('r2', said(0, ['y'])),
      ],
      { format: 'openai-responses', titles },
    );
    expect(ofKind(events, 'methods').map(({ searches }) => searches)).toEqual([
      [{ source: 'pubmed', query: 'q' }],
    ]);
  });

  test('of pictures deliver them, by type and size alone', () => {
    const picture = {
      type: 'image_generation_call',
      status: 'completed',
      result: 'AAECAw==',
      output_format: 'webp',
    };
    const { events } = run(responseOf('r', itemDone(0, picture)));
    expect(ofKind(events, 'artifacts_delivered')[0]?.artifacts).toEqual([
      {
        artifactId: expect.stringMatching(/^art_/),
        kind: 'AGENT_DELIVERED_FILE',
        filename: 'image-1.webp',
        format: 'webp',
        contentType: 'image/webp',
        sizeBytes: 4,
      },
    ]);
  });

  test('that nest too deep are told without being read', () => {
    const input = ['['.repeat(300)];
    const { events, stream } = run(
      responseOf('r', call(0, { type: 'function_call', name: 'web_search', input })),
    );
    expect(summary(events)).toEqual([started('Searching the web')]);
    expect(stream.counts.ignored).toEqual({ deep_tool_input: 1 });
  });
});
