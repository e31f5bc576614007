import { describe, expect, test } from 'vitest';
import { type JsonObject, objectAt, stringAt } from '../../src/ingest/json.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { parseTitles } from '../../src/ingest/titles.js';
import {
  approval,
  called,
  finish,
  messageOf,
  output,
  start,
  stepOf,
  textDelta,
  texts,
  thought,
  typed,
} from './ai-sdk.js';
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
import type { Said } from './redaction.js';
import { ingestObjects, ofKind, type RunOptions, summary } from './streams.js';

const samples: Samples = {
  says: (id, pieces) => messageOf(id, stepOf(texts(pieces))),
  fails: (id, pieces, errorText) => [
    start(id),
    { type: 'start-step' },
    ...texts(pieces).slice(0, -1),
    { type: 'error', errorText },
    finish('error'),
  ],
  thinks: (id, stretches) =>
    messageOf(
      id,
      stepOf(
        stretches.map((words, n) => thought(words, `r${n}`)),
        texts(['done']),
      ),
    ),
  uses: (id, { name, input, result, hasFailed }) =>
    messageOf(
      id,
      stepOf(
        typed(`call_${id}`, name, input),
        called(`call_${id}`, name, JSON.parse(input.join(''))),
        hasFailed
          ? { type: 'tool-output-error', toolCallId: `call_${id}`, errorText: result }
          : output(`call_${id}`, result),
      ),
      stepOf(texts(['done'])),
    ),
  calls: (id, pieces, { name, input }) => [
    start(id),
    ...stepOf(
      texts(pieces),
      typed(`call_${id}`, name, input),
      called(`call_${id}`, name, JSON.parse(input.join(''))),
    ),
    finish('tool-calls'),
  ],
  unknown: [
    { type: 'telepathy', id: '0' },
    { type: 'text-whisper', id: '0', delta: 'x' },
  ],
};

const REVIEWED: Reviewed = new Map([
  // Our own. What its application sends beside its words is of no public kind.
  [
    'lighthouse.sse',
    [
      [
        ...whole('Thinking'),
        started('Working'),
        ...whole('Searching the web'),
        completed('Working'),
        message(40, 1, 1),
        message(79, 2, 2),
        'artifacts_delivered, 1',
        'methods, 1 searches, 2 sources',
        idle,
      ],
      { unmapped_data: 1 },
    ],
  ],
  // Two streams in one file: the call waits for permission through the end of the first, and is told once.
  [
    'removal-van.json',
    [[started('Working'), message(46), 'question', idle, completed('Working'), message(35), idle]],
  ],
  [
    'kite-wind.jsonl',
    [
      [
        started('Working'),
        failed('Working'),
        message(46, 0, 0, 'TRUNCATED'),
        'error AGENT_API_ERROR retryable',
      ],
      { dropped_message: 1, repeated_error: 1 },
    ],
  ],
  // Real ones.
  ['langgraph-hitl-request-1.json', [[...whole('Thinking'), started('Working'), 'question', idle]]],
  // It tells the call again, which the first stream told.
  ['langgraph-hitl-request-2.json', [[...whole('Working'), message(124), idle]]],
  // No call is said to have its input: it has when its step is over.
  [
    'react-agent-tool-calling.json',
    [
      [
        ...whole('Thinking'),
        started('Working'),
        started('Working'),
        completed('Working'),
        completed('Working'),
        message(128),
        idle,
      ],
    ],
  ],
  // Synthetic ones.
  ['vercel.abort.sse', [[message(9, 0, 0, 'ABORTED'), 'session_stopped']]],
  [
    'vercel.error-then-finish.sse',
    [[started('Working'), failed('Working'), 'error AGENT_API_ERROR retryable'], { repeated_error: 1 }],
  ],
  ['vercel.reset-step-id-reuse.sse', [[message(5), message(6), idle], { dropped_message: 1 }]],
  ['vercel.sources-files.sse', [[message(7, 2, 2), 'artifacts_delivered, 1', idle]]],
]);

/** Text by its ids, which steps use again, and thoughts by theirs. */
function saidIn(objects: readonly JsonObject[]): Said {
  const joined = (type: string) =>
    objects
      .filter((object) => object.type === type || object.type === 'start-step')
      .map((object) => stringAt(object, 'delta') ?? '\n')
      .join('');
  const sources = objects.filter(({ type }) => /^source-/.test(String(type)));
  return {
    shown: [
      joined('text-delta'),
      ...sources.flatMap(({ url, title, filename }) => [url, title, filename]),
      ...objects
        .filter(({ toolName }) => toolName === 'web_search')
        .map((call) => objectAt(call, 'input')?.query),
      ...objects.filter(({ type }) => type === 'file').map(({ mediaType }) => mediaType),
    ].filter((text) => typeof text === 'string'),
    hidden: [joined('reasoning-delta'), joined('tool-input-delta')],
  };
}

describeFormat({ format: 'ai-sdk', samples, reviewed: REVIEWED, saidIn });

const run = (...objects: unknown[]) => runWith({}, ...objects);
const runWith = (options: RunOptions, ...objects: unknown[]) =>
  ingestObjects(objects, { format: 'ai-sdk', ...options });
const eventsOf = (...objects: unknown[]) => run(...objects).events;
const answersOf = (...objects: unknown[]) => ofKind(eventsOf(...objects), 'agent_message');

describe('a step', () => {
  test('is told when it is over, and the next object says whether it was cut', () => {
    const step = stepOf(texts(['Half an hour']));
    expect(summary(eventsOf(start('m'), step))).toEqual([message(12), 'error AGENT_FAILED retryable']);
    expect(summary(eventsOf(start('m'), step, finish('length')))).toEqual([
      message(12, 0, 0, 'TRUNCATED'),
      idle,
    ]);
    expect(summary(eventsOf(start('m'), step, finish('content-filter')))).toEqual([
      message(12, 0, 0, 'TRUNCATED'),
      'error AGENT_FAILED',
    ]);
    expect(summary(eventsOf(start('m'), step, stepOf(texts(['x'])), finish('length')))).toEqual([
      message(12),
      message(1, 0, 0, 'TRUNCATED'),
      idle,
    ]);
  });

  test('that is reset takes its text, sources, files and questions back, and its calls fail', () => {
    const first = [
      texts(['wrong']),
      { type: 'source-url', sourceId: 's', url: 'https://example.org' },
      { type: 'file', url: 'https://example.org/x', mediaType: 'text/plain' },
      called('a'),
      approval('a'),
    ];
    const { events, stream } = run(
      messageOf('m', { type: 'start-step' }, first, { type: 'reset-step' }, texts(['right']), {
        type: 'finish-step',
      }),
    );
    expect(summary(events)).toEqual([started('Working'), failed('Working'), message(5), idle]);
    expect(stream.counts.ignored).toEqual({ dropped_message: 1 });
  });

  test('has one text of all its stretches, apart where something lay between', () => {
    const parts = [
      texts(['One.'], 'a'),
      texts([' Two.'], 'b'),
      called('c'),
      output('c'),
      texts(['Three.'], 'a'),
    ];
    expect(answersOf(messageOf('m', stepOf(parts))).map(({ text }) => text)).toEqual(['One. Two.\n\nThree.']);
  });

  test('needs no beginning, nor does its text', () => {
    expect(summary(eventsOf(textDelta('Hello'), textDelta('!'), finish()))).toEqual([message(6), idle]);
    expect(
      answersOf(start('m'), textDelta('A', 'a'), textDelta('B', 'b'), textDelta('A', 'a'), finish()),
    ).toMatchObject([{ text: 'AAB' }]);
  });

  test('uses ids of texts again: the same words in two steps are two messages', () => {
    const answers = answersOf(messageOf('m', stepOf(texts(['same'])), stepOf(texts(['same']))));
    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test('that was over is no ending of a stream that breaks off behind it', () => {
    const { pieces } = run(start('m'), stepOf(texts(['One'])));
    expect(summary(pieces.flatMap(({ events }) => events))).toEqual([message(3)]);
    expect(summary(pieces.flatMap(({ ending }) => ending))).toEqual(['error AGENT_FAILED retryable']);
  });

  test('of another stream of the same message is another message, if its text begins in another way', () => {
    const streams = [['One', ' more'], ['Two'], ['One']].map((pieces) =>
      answersOf(messageOf('m', stepOf(texts(pieces)))),
    );
    const [one, two, cut] = streams.map(([answer]) => answer?.messageId);
    expect(two).not.toBe(one);
    expect(cut).toBe(one);
  });

  test('after the end of everything is outside, unless it begins', () => {
    const { events, stream } = run(
      messageOf('m', stepOf(texts(['x']))),
      output('a'),
      textDelta('y'),
      finish(),
    );
    expect(summary(events)).toEqual([message(1), idle]);
    expect(stream.counts.ignored).toEqual({ outside_message: 3 });
  });
});

describe('sources', () => {
  const page = (url: string, title = 'A page') => ({ type: 'source-url', sourceId: url, url, title });

  test('are cited by the text of their step, in no place of it, each work once', () => {
    const [answer] = answersOf(
      messageOf(
        'm',
        stepOf(page('https://example.org/a'), texts(['x']), page('https://example.org/a?utm_source=y')),
      ),
    );
    expect(answer?.text).toBe('x');
    expect(answer?.citations).toMatchObject([{ quote: '', source: { title: 'A page' } }]);
    expect(answer?.citations[0]).not.toHaveProperty('reference');
  });

  test('of a step without text are cited by the next, or counted', () => {
    const steps = [
      stepOf(page('https://example.org/a')),
      stepOf(texts(['x'])),
      stepOf(page('https://example.org/b')),
    ];
    const { events, stream } = run(messageOf('m', steps));
    expect(summary(events)).toEqual([message(1, 1, 1), idle]);
    expect(stream.counts.ignored).toEqual({ surplus: 1 });
  });

  test('that are documents go by their title, or by the name of their file', () => {
    const document = {
      type: 'source-document',
      sourceId: 's',
      mediaType: 'application/pdf',
      filename: 'a.pdf',
    };
    const [answer] = answersOf(
      messageOf('m', stepOf(texts(['x']), document, { ...document, title: 'Titled' })),
    );
    expect(answer?.citations.map(({ source }) => source.title)).toEqual(['a.pdf', 'Titled']);
  });
});

describe('calls', () => {
  test('that wait for permission are a question, and stay open while it is not answered', () => {
    const asked = [start(), stepOf(typed('a', 'web_search', ['{}']), approval('a')), finish('tool-calls')];
    const { events } = run(asked);
    expect(summary(events)).toEqual([started('Searching the web'), 'question', idle]);
    expect(ofKind(events, 'question')[0]?.text).toBe(
      'The agent asks for permission to go on: Searching the web.',
    );
    const permitted = [
      start(),
      called('a', 'web_search'),
      stepOf(output('a')),
      stepOf(texts(['x'])),
      finish(),
    ];
    const denied = [start(), { type: 'tool-output-denied', toolCallId: 'a' }, stepOf(texts(['x'])), finish()];
    const forgotten = messageOf('', stepOf(texts(['x'])));
    const ends = [permitted, denied, forgotten].map((next) => summary(eventsOf(asked, next)).slice(3));
    expect(ends).toEqual([
      [completed('Searching the web'), message(1), idle],
      [failed('Searching the web'), message(1), idle],
      [message(1), failed('Searching the web'), idle],
    ]);
  });

  test('keep their id from stream to stream', () => {
    const before = ofKind(eventsOf(start('m'), stepOf(called('a'), approval('a')), finish()), 'activity');
    const after = ofKind(eventsOf(start('m'), called('a'), output('a'), finish()), 'activity');
    expect(after.map(({ status }) => status)).toEqual(['STARTED', 'COMPLETED']);
    expect(after[0]).toEqual(before[0]);
  });

  test('may have results before their last one', () => {
    const objects = messageOf(
      'm',
      stepOf(called('a'), output('a', 1, { preliminary: true }), output('a', 2)),
    );
    expect(summary(eventsOf(objects))).toEqual([...whole('Working'), idle]);
  });

  test('whose input is refused fail', () => {
    const refused = {
      type: 'tool-input-error',
      toolCallId: 'a',
      toolName: 'x',
      input: '{"q',
      errorText: 'private',
    };
    expect(summary(eventsOf(messageOf('m', stepOf(typed('a', 'x', ['{"q']), refused))))).toEqual([
      started('Working'),
      failed('Working'),
      idle,
    ]);
  });

  test('that were cut inside their input were never made', () => {
    const { events, stream } = run(start('m'), stepOf(typed('a', 'x', ['{"q'])), finish('length'));
    expect(summary(events)).toEqual([idle]);
    expect(stream.counts.ignored).toEqual({ unfinished_tool_input: 1 });
  });

  test('that the service runs owe nobody a result', () => {
    const objects = [start('m'), stepOf({ ...called('a'), providerExecuted: true }), finish('tool-calls')];
    expect(summary(eventsOf(objects))).toEqual([...whole('Working'), idle]);
  });

  test('without an id are counted', () => {
    const { events, stream } = run(messageOf('m', stepOf({ type: 'tool-input-available', toolName: 'x' })));
    expect(summary(events)).toEqual([idle]);
    expect(stream.counts.ignored).toEqual({ not_an_event: 1 });
  });
});

describe('a message', () => {
  test('that is announced twice is one, and one that is sent again from its beginning too', () => {
    const objects = messageOf('m', stepOf(texts(['One'])), stepOf(texts(['Two'])));
    expect(eventsOf(start('m'), objects)).toEqual(eventsOf(objects));
    expect(eventsOf(start(), objects).length).toBe(3);
    const again = eventsOf(objects.slice(0, 8), objects);
    expect(new Set(again.map(({ eventId }) => eventId))).toEqual(
      new Set(eventsOf(objects).map(({ eventId }) => eventId)),
    );
  });

  test('that begins while another is open takes its place', () => {
    const { events, stream } = run(
      start('a'),
      stepOf(texts(['Said'])),
      { type: 'start-step' },
      called('c'),
      textDelta('lost'),
      messageOf('b', stepOf(texts(['Again']))),
    );
    expect(summary(events)).toEqual([message(4), started('Working'), failed('Working'), message(5), idle]);
    expect(stream.counts.ignored).toEqual({ dropped_message: 1 });
  });

  test('delivers files by what is known of them, never by where they lie', () => {
    const { events } = run(
      messageOf(
        'm',
        stepOf(
          { type: 'file', url: 'data:image/png;base64,AAECAw==', mediaType: 'image/png' },
          {
            type: 'file',
            url: 'https://private.example/a/b?key=1',
            mediaType: 'text/plain',
            filename: '/tmp/notes.txt',
          },
        ),
      ),
    );
    expect(ofKind(events, 'artifacts_delivered')[0]?.artifacts).toMatchObject([
      { filename: 'file-1.png', format: 'png', contentType: 'image/png', sizeBytes: 4 },
      { filename: 'notes.txt', format: 'txt', contentType: 'text/plain' },
    ]);
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('says nothing of the data of an application, which is counted where it is meant to stay', () => {
    const { events, stream } = run(
      start('m'),
      { type: 'data-secret', data: { a: 'private' } },
      { type: 'data-secret', data: 1, transient: true },
      stepOf(texts(['x'])),
      finish(),
    );
    expect(summary(events)).toEqual([message(1), idle]);
    expect(stream.counts.ignored).toEqual({ unmapped_data: 1 });
  });

  test('delivers data that the title map has with its step, and under its id again as it then is', () => {
    const titles = parseTitles(
      '{"data-table": {"delivers": {"kind": "TABLE", "name": "head.title", "caption": "note", "rows": "rows"}}}',
    );
    const table = (rows: unknown, more: object = {}) => ({
      type: 'data-table',
      data: { head: { title: 'Tides' }, note: 'High water', rows, path: '/private/tides' },
      ...more,
    });
    const told = (...objects: object[]) => {
      const { events } = runWith({ titles }, start('m'), stepOf(objects, texts(['x'])), finish());
      return ofKind(events, 'delivered_outputs').flatMap(({ deliveredOutputs }) => deliveredOutputs);
    };
    const output = { kind: 'TABLE', title: 'Tides', caption: 'High water', rowCount: 2 };
    expect(told(table([[1], [2]]))).toMatchObject([output]);
    expect(told(table(2, { transient: true }))).toEqual([]);
    expect(told(table(1, { id: 't' }), { type: 'reset-step' }, table(2, { id: 't' }))).toMatchObject([
      output,
    ]);
    const [first, second, third] = told(table(1, { id: 't' }), table(2, { id: 't' }), table(2, { id: 'u' }));
    expect([first, second, third]).toMatchObject([{ rowCount: 1 }, { rowCount: 2 }, { rowCount: 2 }]);
    expect(first?.artifactId).toBe(second?.artifactId);
    expect(third?.artifactId).not.toBe(second?.artifactId);
    expect(JSON.stringify([first, third])).not.toContain('private');
  });
});

test.each<readonly [string, (n: number) => object]>([
  ['texts', (n: number) => ({ type: 'text-start', id: `t${n}` })],
  ['inputs', (n: number) => ({ type: 'tool-input-start', toolCallId: `c${n}`, toolName: 'x' })],
  ['calls', (n: number) => called(`c${n}`)],
])('too many %s that are open end the stream', (_, part) => {
  const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
  const { stream } = runWith(
    { limits },
    start('m'),
    [0, 1, 2, 3].map((n) => part(n)),
  );
  expect(stream.fault?.details.limit).toBe('openBlocks');
});
