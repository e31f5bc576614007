import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EventInput, eventContent } from '../../src/events/content.js';
import { parseFormat } from '../../src/ingest/formats.js';
import type { IgnoredCounts, IgnoredKind } from '../../src/ingest/ignored.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { DEFAULT_TITLES } from '../../src/ingest/titles.js';
import { hasShared, ownRecordings, type Recording, sharedRecordings } from './recordings.js';
import { byteByByte, framesOf, ingest, ofKind, SESSION, summary } from './streams.js';

const started = (title: string) => `activity STARTED "${title}"`;
const completed = (title: string) => `activity COMPLETED "${title}"`;
const failed = (title: string) => `activity FAILED "${title}"`;
const whole = (title: string) => [started(title), completed(title)];
const message = (characters: number, citations = 0, sources = 0, completion = 'COMPLETE') =>
  `agent_message ${completion}, ${characters} characters, ${citations} citations of ${sources} sources`;
const idle = 'session_idle';

/** What each recording comes to, reviewed against INGEST's table by hand: kinds, states, counts and lengths. */
const EXPECTED: ReadonlyMap<string, readonly [events: string[], ignored?: IgnoredCounts]> = new Map([
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

const recordings = [...ownRecordings(), ...sharedRecordings()];
const run = ({ bytes }: Recording) => ingest([bytes]);

test.skipIf(!hasShared)('every recording of others is in the table, and the other way round', () => {
  expect(recordings.map(({ name }) => name).sort()).toEqual([...EXPECTED.keys()].sort());
});

describe.each(recordings)('$name', (recording) => {
  test('comes to the events that were reviewed', () => {
    const { events, stream } = run(recording);
    expect(summary(events)).toEqual(EXPECTED.get(recording.name)?.[0]);
    expect(stream.counts.ignored).toEqual(EXPECTED.get(recording.name)?.[1] ?? {});
    expect(stream.fault).toBeUndefined();
  });

  test('gives events that pass the one door', () => {
    for (const event of run(recording).events) {
      expect(eventContent.safeParse(event).error).toBeUndefined();
    }
  });

  test('gives the same events again, each with an id of its own', () => {
    const { events } = run(recording);
    expect(run(recording).events).toEqual(events);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  });

  test('gives the same events byte by byte as whole', () => {
    const bytewise = ingest(byteByByte(recording.bytes));
    expect(bytewise.events).toEqual(run(recording).events);
    expect(bytewise.stream.counts).toEqual(run(recording).stream.counts);
  });

  test('gives the same events if its reducer is put down and taken up again between any two objects', () => {
    const format = parseFormat('anthropic-messages');
    const context = { sessionId: SESSION, run: '', titles: DEFAULT_TITLES, limits: DEFAULT_LIMITS };
    const output = { events: [] as EventInput[], ending: [] as EventInput[], ignored: [] as IgnoredKind[] };
    let saved: string | undefined;
    for (const frame of framesOf(recording.bytes)) {
      const reduction = format.open(context, saved);
      reduction.reduce(frame, output);
      saved = reduction.save();
    }
    format.open(context, saved).end('eof', output);
    const { pieces } = run(recording);
    expect(output.events).toEqual(pieces.flatMap(({ events }) => events));
    expect(summary(output.ending)).toEqual(summary(pieces.flatMap(({ ending }) => ending)));
  });

  test('ties every citation to a token of its text, and every token to a citation', () => {
    for (const { text, citations } of ofKind(run(recording).events, 'agent_message')) {
      const groups = [...text.matchAll(/<citations>([^<]*)<\/citations>/g)].map(([, tokens]) => tokens ?? '');
      expect(groups.flatMap((tokens) => tokens.split(','))).toEqual(
        citations.map(({ reference }) => reference),
      );
    }
  });
});

test('damaged recordings raise nothing, and what comes of them passes the one door', () => {
  const small = recordings.filter(({ bytes }) => bytes.length < 30_000);
  const damage = fc.record({
    recording: fc.constantFrom(...small),
    lines: fc.array(fc.tuple(fc.constantFrom('cut', 'double', 'swap', 'drop'), fc.nat(), fc.nat()), {
      maxLength: 6,
    }),
    bytes: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 20 }),
  });
  fc.assert(
    fc.property(damage, ({ recording, lines, bytes }) => {
      const damaged = flip(mangle(recording.bytes, lines), bytes);
      for (const event of ingest([damaged]).events) {
        expect(eventContent.safeParse(event).error).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
});

type LineDamage = readonly [kind: string, at: number, by: number];

function mangle(bytes: Uint8Array, damages: readonly LineDamage[]): Uint8Array {
  let lines = new TextDecoder().decode(bytes).split('\n');
  for (const [kind, at, by] of damages) {
    const one = at % lines.length;
    const other = by % lines.length;
    const line = lines[one] ?? '';
    if (kind === 'cut') lines[one] = line.slice(0, by % (line.length + 1));
    else if (kind === 'double') lines.splice(other, 0, line);
    else if (kind === 'drop') lines.splice(one, 1);
    else [lines[one], lines[other]] = [lines[other] ?? '', line];
    if (lines.length === 0) lines = [''];
  }
  return new TextEncoder().encode(lines.join('\n'));
}

function flip(bytes: Uint8Array, flips: readonly (readonly [at: number, to: number])[]): Uint8Array {
  const flipped = Uint8Array.from(bytes);
  for (const [at, to] of flips) if (flipped.length > 0) flipped[at % flipped.length] = to;
  return flipped;
}
