import { expect, test } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../src/ingest/json.js';
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
import { ownRecordings } from './recordings.js';
import { type Said, secretsOf } from './redaction.js';
import { blockStart, blockStop, delta, finish, framesOf, messageStart, text, thinking } from './streams.js';

const used = (index: number, type: string, { name, input }: { name: string; input: readonly string[] }) => [
  blockStart(index, { type, id: 'tool_upstream', name, input: {} }),
  ...input.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })),
  blockStop(index),
];

const samples: Samples = {
  says: (id, pieces) => [messageStart(id), ...text(0, ...pieces), ...finish()],
  fails: (id, pieces, words) => [
    messageStart(id),
    ...text(0, ...pieces).slice(0, -1),
    { type: 'error', error: { type: 'overloaded_error', message: words } },
  ],
  thinks: (id, stretches) => [
    messageStart(id),
    ...stretches.flatMap((words, index) => thinking(index, words)),
    ...text(stretches.length, 'done'),
    ...finish(),
  ],
  uses: (id, tool) => [
    messageStart(id),
    ...used(0, 'mcp_tool_use', tool),
    blockStart(1, {
      type: 'mcp_tool_result',
      tool_use_id: 'tool_upstream',
      is_error: tool.hasFailed,
      content: [{ type: 'text', text: tool.result }],
    }),
    blockStop(1),
    ...text(2, 'done'),
    ...finish(),
  ],
  calls: (id, pieces, tool) => [
    messageStart(id),
    ...text(0, ...pieces),
    ...used(1, 'tool_use', tool),
    ...finish('tool_use'),
  ],
  unknown: [{ type: 'telepathy', index: 0 }, { type: 'message_whisper' }],
};

const REVIEWED: Reviewed = new Map([
  // Our own.
  [
    'heat-pumps.jsonl',
    [
      [
        ...whole('Thinking'),
        ...whole('Searching the web'),
        ...whole('Reading a page'),
        ...whole('Searching the web'),
        message(1198, 6, 4),
        'methods, 2 searches, 4 sources',
        idle,
      ],
    ],
  ],
  [
    'street-trees.jsonl',
    [
      [
        ...whole('Thinking'),
        started('Working'),
        message(84),
        completed('Working'),
        ...whole('Searching the web'),
        started('Running code'),
        'artifacts_delivered, 1',
        completed('Running code'),
        message(878, 4, 3),
        'methods, 1 searches, 3 sources',
        idle,
      ],
    ],
  ],
  [
    'coral-reefs.jsonl',
    [
      [
        ...whole('Thinking'),
        ...whole('Searching the web'),
        started('Searching the web'),
        failed('Searching the web'),
        ...whole('Searching the web'),
        message(715, 4, 2, 'TRUNCATED'),
        'error AGENT_API_ERROR retryable',
      ],
    ],
  ],
  // Real ones.
  [
    'anthropic-advisor-stop-reasons.chunks.txt',
    [[...whole('Asking for advice'), ...whole('Asking for advice'), idle]],
  ],
  ['anthropic-clear-thinking.1.chunks.txt', [[...whole('Thinking'), message(13), idle]]],
  [
    'anthropic-code-execution-20250825.1.chunks.txt',
    [[...whole('Writing code'), ...whole('Running code'), message(799), idle]],
  ],
  ['anthropic-compaction.1.chunks.txt', [[message(8518), idle]]],
  ['anthropic-fallback.chunks.txt', [[message(66), idle]]],
  ['anthropic-json-tool.2.chunks.txt', [[started('Working'), message(35)]]],
  ['anthropic-mcp.1.chunks.txt', [[...whole('Working'), message(112), idle]]],
  ['anthropic-message-delta-input-tokens.chunks.txt', [[message(4), idle]]],
  ['anthropic-refusal.chunks.txt', [['error AGENT_FAILED']]],
  ['anthropic-text.chunks.txt', [[message(108), idle]]],
  ['anthropic-tool-no-args.chunks.txt', [[started('Working'), message(35)]]],
  // Three messages; the result of the service's own tool comes in the second.
  [
    'anthropic-tool-search-deferred-bm25.chunks.txt',
    [
      [
        started('Working'),
        started('Choosing how to go on'),
        message(156),
        completed('Working'),
        completed('Choosing how to go on'),
        started('Working'),
        message(225),
        completed('Working'),
        message(353),
        idle,
      ],
    ],
  ],
  ['anthropic-web-fetch-tool.1.chunks.txt', [[...whole('Reading a page'), message(1666), idle]]],
  [
    'anthropic-web-search-tool.1.chunks.txt',
    [[...whole('Searching the web'), message(2647, 14, 4), 'methods, 1 searches, 4 sources', idle]],
  ],
  ['basic_response.txt', [[message(12), idle]]],
  // The last event has no blank line: dropped, but the message had said that it was finished.
  ['compaction_response.txt', [[message(12), idle], { cut_off: 1 }]],
  ['duplicate-message-start.chunks.txt', [[message(13), idle], { duplicate_message_start: 1 }]],
  [
    'incomplete_partial_json_response.txt',
    [[message(135, 0, 0, 'TRUNCATED'), idle], { unfinished_tool_input: 1 }],
  ],
  ['pydantic-redacted-thinking.1.sse', [[...whole('Thinking'), message(359), idle]]],
  ['refusal_response.txt', [['error AGENT_FAILED'], { cut_off: 1 }]],
  ['spliced-message-start.chunks.txt', [[...whole('Thinking'), started('Working')], { dropped_message: 1 }]],
  ['stream-a-refusal.sse', [[...whole('Thinking'), message(2, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED']]],
  ['stream-b-fallback.sse', [[message(1312), idle]]],
  ['tool_use_response.txt', [[started('Working'), message(48)]]],
  // Synthetic ones.
  ['anthropic.bom-comments-nospace.sse', [[message(11), idle]]],
  ['anthropic.citations-all-kinds.jsonl', [[message(52, 5, 5), idle]]],
  ['anthropic.crlf.sse', [[message(11), idle]]],
  [
    'anthropic.cutoff-no-stop.sse',
    [[message(14, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED retryable'], { cut_off: 1 }],
  ],
  ['anthropic.delta-after-stop.jsonl', [[message(1), idle], { late_delta: 2, outside_message: 1 }]],
  ['anthropic.error-midstream.sse', [[message(11, 0, 0, 'TRUNCATED'), 'error AGENT_API_ERROR retryable']]],
  ['anthropic.interleaved-blocks.jsonl', [[started('Working'), started('Working'), message(5)]]],
  ['anthropic.lone-surrogate-final.jsonl', [[message(9), idle]]],
  ['anthropic.multiline-data.sse', [[message(11), idle]]],
  [
    'anthropic.unknown-events.jsonl',
    [[message(2), idle], { unknown_event: 1, unknown_block: 1, unknown_delta: 1, unknown_stop_reason: 1 }],
  ],
  ['huge-line.jsonl', [[message(200000), idle]]],
  // What nests too deep is a tool's input, which nobody has to read.
  ['deep-json.jsonl', [[started('Working')], { deep_tool_input: 1 }]],
]);

const CITED_FIELDS = ['cited_text', 'title', 'url', 'source', 'document_title'];

/** Blocks come in pieces: what each adds up to, by kind of delta. */
function joinedBlocks(objects: readonly JsonObject[]): { block: JsonObject; texts: Map<string, string> }[] {
  const blocks: { block: JsonObject; texts: Map<string, string> }[] = [];
  const open = new Map<unknown, Map<string, string>>();
  for (const object of objects) {
    const block = objectAt(object, 'content_block');
    if (block !== undefined) {
      const texts = new Map<string, string>();
      open.set(object.index, texts);
      blocks.push({ block, texts });
    }
    const given = objectAt(object, 'delta');
    const texts = open.get(object.index);
    if (object.type !== 'content_block_delta' || given === undefined || texts === undefined) continue;
    for (const [key, piece] of Object.entries(given)) {
      if (key !== 'type' && typeof piece === 'string') texts.set(key, (texts.get(key) ?? '') + piece);
    }
  }
  return blocks;
}

function saidIn(objects: readonly JsonObject[]): Said {
  const blocks = joinedBlocks(objects);
  const deltas = blocks.flatMap(({ texts }) => [...texts]);
  const citations = objects
    .map((object) => objectAt(objectAt(object, 'delta') ?? {}, 'citation'))
    .filter(isObject);
  return {
    shown: [
      ...deltas.filter(([kind]) => kind === 'text').map(([, words]) => words),
      ...blocks.flatMap(({ block }) => stringAt(block, 'text') ?? []),
      ...citations.flatMap((citation) => CITED_FIELDS.flatMap((field) => stringAt(citation, field) ?? [])),
      ...blocks
        .filter(({ block }) => block.name === 'web_search')
        .flatMap(({ texts }) => queriesOf(texts.get('partial_json'))),
      ...blocks
        .filter(({ block }) => block.type === 'bash_code_execution_tool_result')
        .flatMap(({ block }) => fileFields(objectAt(block, 'content') ?? {})),
    ],
    hidden: deltas.filter(([kind]) => kind !== 'text').map(([, words]) => words),
  };
}

function queriesOf(json = '{}'): string[] {
  const input: unknown = JSON.parse(json);
  return isObject(input) ? [stringAt(input, 'query') ?? ''] : [];
}

/** A file's name and type. */
const fileFields = (content: JsonObject): string[] =>
  listAt(content, 'content')
    .filter(isObject)
    .flatMap((file) => [
      stringAt(file, 'filename')?.split('/').at(-1) ?? '',
      stringAt(file, 'mime_type') ?? '',
    ]);

describeFormat({ format: 'anthropic-messages', samples, reviewed: REVIEWED, saidIn });

test('of our own recordings names, arguments, results, paths, thinking and errors are looked for', () => {
  const secrets = ownRecordings().flatMap(({ bytes }) => {
    const objects = framesOf(bytes).map(({ value }) => value);
    return secretsOf(objects, saidIn(objects));
  });
  expect(secrets).toEqual(
    expect.arrayContaining([
      'search_reading_list',
      'web_fetch',
      '/tmp/workspace/tabulate.py',
      '/tmp/outputs/cooling-by-canopy.csv',
      'read 48 rows from /tmp/inputs/canopy.json',
      'Overloaded (node 7, /srv/models/pool-3)',
      expect.stringContaining('I want measured winters'),
      expect.stringContaining('An invented page'),
    ]),
  );
});
