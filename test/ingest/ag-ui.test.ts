import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../src/ingest/json.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { parseTitles } from '../../src/ingest/titles.js';
import {
  callChunk,
  called,
  callStart,
  content,
  interrupted,
  output,
  runEnd,
  runOf,
  runStart,
  snapshot,
  textChunk,
  textOf,
  textStart,
  thought,
} from './ag-ui.js';
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
import { sharedFile } from './recordings.js';
import type { Said } from './redaction.js';
import { ingest, ingestObjects, ofKind, type RunOptions, summary } from './streams.js';

const messageName = (id: string) => (id === '' ? '' : `message_${id}`);

const samples: Samples = {
  says: (id, pieces) => runOf(id, textOf(messageName(id), pieces)),
  fails: (id, pieces, text) => [
    runStart(id),
    ...textOf(messageName(id), pieces).slice(0, -1),
    { type: 'RUN_ERROR', message: text, code: 'overloaded_error' },
  ],
  thinks: (id, stretches) =>
    runOf(
      id,
      stretches.map((words, n) => thought(words, `r${n}`)),
      textOf(messageName(id), ['done']),
    ),
  // Of a result nothing says that it is a failure, but what the conversation says of it.
  uses: (id, { name, input, result, hasFailed }) =>
    runOf(
      id,
      called(`call_${id}`, name, input),
      hasFailed
        ? snapshot({ id: 'x', role: 'tool', toolCallId: `call_${id}`, content: result, error: result })
        : output(`call_${id}`, result),
      textOf(messageName(id), ['done']),
    ),
  calls: (id, pieces, { name, input }) =>
    runOf(id, textOf(messageName(id), pieces), called(`call_${id}`, name, input)),
  unknown: [
    { type: 'TELEPATHY', messageId: 'm' },
    { type: 'TEXT_MESSAGE_WHISPER', messageId: 'm', delta: 'x' },
  ],
};

const cutOff = 'error AGENT_FAILED retryable';

const REVIEWED: Reviewed = new Map([
  // Our own. The second run tells the call again that the first waited with, and ends in a form.
  [
    'ferry.json',
    [
      [
        message(29),
        started('Working'),
        'question',
        idle,
        completed('Working'),
        message(13),
        'question',
        idle,
      ],
      { repeated_event: 1 },
    ],
  ],
  // A step around two calls and a thought; of the snapshot nothing is new.
  [
    'orchard.sse',
    [
      [
        'user_message',
        started('Working'),
        ...whole('Thinking'),
        message(32),
        started('Working'),
        started('Searching the web'),
        completed('Working'),
        completed('Searching the web'),
        completed('Working'),
        message(47),
        'methods, 1 searches, 0 sources',
        idle,
      ],
      { unmapped_data: 1 },
    ],
  ],
  // A call whose result its caller owes, and a failure before and after the end of a run.
  [
    'rye-mill.jsonl',
    [
      [
        ...whole('Thinking'),
        ...whole('Working'),
        'user_message',
        message(17, 0, 0, 'TRUNCATED'),
        'error AGENT_FAILED',
        message(11),
        idle,
        'error AGENT_API_ERROR retryable',
      ],
      { repeated_error: 1, outside_message: 1 },
    ],
  ],
  // Real ones.
  ['Step01_GettingStarted.turn01.json', [[message(32), idle]]],
  ['Step02_BackendTools.turn01.json', [[...whole('Working'), message(273), idle]]],
  // Its caller asks the user, by a tool: no interrupt, and not idle.
  ['Step04_HumanInLoop.turn01.json', [[started('Working')]]],
  ['Step04_HumanInLoop.turn02.json', [[...whole('Working'), message(67), idle]]],
  ['Step07_ThinkingEvents.turn01.json', [[...whole('Thinking'), message(362), idle]]],
  ['Step10_InterruptsUserInput.turn01.json', [['question', idle]]],
  ['Step10_InterruptsUserInput.turn02.json', [[message(58), idle]]],
  // Lists of events, each by itself. What an application shows of its state is not told.
  ['compat-activity-events.json', [[]]],
  ['compat-custom-and-raw-events.json', [[], { unmapped_data: 2 }]],
  [
    'compat-forward-compatibility.json',
    [[message(5), started('Working'), failed('Working'), 'error AGENT_FAILED'], { unmapped_data: 1 }],
  ],
  ['compat-message-events.json', [[message(63), cutOff], { duplicate_message_start: 1, dropped_message: 1 }]],
  ['compat-run-events.json', [[idle, 'error AGENT_FAILED'], { repeated_error: 2, outside_message: 5 }]],
  ['compat-state-events.json', [[]]],
  // The result is of a call that was made elsewhere.
  [
    'compat-tool-call-events.json',
    [[started('Working'), completed('Working'), failed('Working'), cutOff], { late_delta: 2 }],
  ],
  ['events.json: simple_text_message', [[message(32), idle]]],
  ['events.json: tool_call_sequence', [[message(35), ...whole('Working'), message(81), idle]]],
  ['events.json: state_management', [[message(17), idle]]],
  ['events.json: messages_snapshot', [['user_message', message(31), 'user_message', message(42), idle]]],
  ['events.json: messages_snapshot_activity_reasoning', [['user_message', message(17), idle]]],
  ['events.json: multiple_runs', [[message(18), idle, message(19), idle]]],
  ['events.json: thinking_events', [[...whole('Thinking'), message(23), idle]]],
  ['events.json: step_events', [[...whole('Working'), ...whole('Working'), idle]]],
  ['events.json: error_handling', [[message(13), 'error AGENT_TIMED_OUT retryable'], { outside_message: 1 }]],
  ['events.json: custom_events', [[idle], { unmapped_data: 1 }]],
  ['events.json: concurrent_messages', [[message(13), idle]]],
  ['events.json: text_message_chunk', [[message(34), idle]]],
  ['events.json: activity_events', [[idle]]],
  ['events.json: reasoning_events', [[...whole('Thinking'), idle]]],
  ['events.json: thinking_text_message_legacy', [[...whole('Thinking'), idle]]],
  ['sse_streams.txt: Simple Text Message Stream', [[message(32), idle]]],
  ['sse_streams.txt: Tool Call Stream', [[started('Working')]]],
  ['sse_streams.txt: Heartbeat and Comments', [[message(4), idle]]],
  ['sse_streams.txt: Multi-line Data Fields', [[]]],
  ['sse_streams.txt: With Event IDs and Retry', [[message(15), cutOff]]],
  ['sse_streams.txt: Malformed Examples', [[cutOff], { noise: 1, truncated: 1, unknown_event: 1 }]],
  ['sse_streams.txt: Empty Lines and Spacing', [[idle]]],
  // Its last block has no blank line behind it.
  [
    'sse_streams.txt: Unicode and Special Characters',
    [[message(49, 0, 0, 'TRUNCATED'), cutOff], { cut_off: 1 }],
  ],
  // Synthetic ones.
  ['agui.chunks-only.jsonl', [[message(5), started('Working'), message(3), completed('Working'), idle]]],
  ['agui.snapshot-after-deltas.jsonl', [[message(5), 'user_message', idle]]],
  ['agui.state-delta-bad-patch.jsonl', [[idle]]],
  // The run within the run ends after it.
  ['agui.two-runs-interleaved-threads.jsonl', [[idle], { outside_message: 1 }]],
]);

/** Text by the kind of its events, whose messages interleave; what a snapshot says of user and agent; what an interrupt asks. */
function saidIn(objects: readonly JsonObject[]): Said {
  const secret = new Set(
    objects.filter(({ role }) => role === 'system' || role === 'developer').map(({ messageId }) => messageId),
  );
  const joined = (type: RegExp, isSecret = false) =>
    objects
      .filter((object) => type.test(String(object.type)) && secret.has(object.messageId) === isSecret)
      .map((object) => stringAt(object, 'delta') ?? '')
      .join('');
  const told = objects
    .flatMap((object) => [
      ...listAt(object, 'messages'),
      ...listAt(objectAt(object, 'input') ?? {}, 'messages'),
    ])
    .filter(isObject)
    .filter(({ role }) => role === 'user' || role === 'assistant');
  const asked = objects
    .flatMap((object) => listAt(objectAt(object, 'outcome') ?? {}, 'interrupts'))
    .filter(isObject)
    .filter(({ reason }) => reason !== 'tool_call');
  return {
    shown: [
      joined(/^TEXT_MESSAGE/),
      ...told.flatMap(({ content }) => textsIn(content)),
      ...asked.flatMap(({ message, responseSchema }) => [message, ...textsIn(responseSchema)]),
      // The one search.
      joined(/^TOOL_CALL_CHUNK/).match(/"query": "(.*?)"/)?.[1],
    ].filter((text) => typeof text === 'string'),
    hidden: [joined(/^(?:REASONING|THINKING)/), joined(/^TOOL_CALL/), joined(/^TEXT_MESSAGE/, true)],
  };
}

/** What a text, a list of parts or a schema shows. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return ['text', 'title', 'description', 'enum', 'properties', 'items', 'mimeType', 'source'].flatMap(
    (key) =>
      key === 'properties'
        ? Object.values(objectAt(value, key) ?? {}).flatMap(textsIn)
        : key === 'text' || typeof value[key] !== 'string' || /^(?:title|description|mimeType)$/.test(key)
          ? textsIn(value[key])
          : [],
  );
}

/** Parts of streams, each about one kind of event. */
const fragments = new Set(['compat-tool-call-events.json', 'sse_streams.txt: Malformed Examples']);

describeFormat({ format: 'ag-ui', samples, reviewed: REVIEWED, fragments, saidIn });

const run = (...objects: unknown[]) => runWith({}, ...objects);
const runWith = (options: RunOptions, ...objects: unknown[]) =>
  ingestObjects(objects, { format: 'ag-ui', ...options });
const eventsOf = (...objects: unknown[]) => run(...objects).events;
const answersOf = (...objects: unknown[]) => ofKind(eventsOf(...objects), 'agent_message');
const questionsOf = (...objects: unknown[]) => ofKind(eventsOf(...objects), 'question');

test.skipIf(sharedFile('ag-ui/events.json') === undefined).each(['events.json', 'sse_streams.txt'])(
  'the catalogue %s is no stream',
  (name) => {
    const { events } = ingest([sharedFile(`ag-ui/${name}`) ?? new Uint8Array()], { format: null });
    expect(events).toEqual([]);
  },
);

test.skipIf(sharedFile('ag-ui/events.json') === undefined)('nor is what a client asks', () => {
  const file = 'ag-ui/Step10_InterruptsUserInput.turn02.request.json';
  const { events } = ingest([sharedFile(file) ?? new Uint8Array()], { format: null });
  expect(events).toEqual([]);
});

describe('a run', () => {
  test('that goes on after an answer tells its call again, which was told', () => {
    const { events, stream } = run(
      runStart('r1'),
      called('a', 'web_search'),
      interrupted('r1', { id: 'i', reason: 'tool_call', toolCallId: 'a', message: 'private?' }),
      runOf('r2', called('a', 'web_search'), output('a'), textOf('m', ['x'])),
    );
    expect(summary(events)).toEqual([
      started('Searching the web'),
      'question',
      idle,
      completed('Searching the web'),
      message(1),
      idle,
    ]);
    expect(stream.counts.ignored).toEqual({ repeated_event: 1 });
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('whose caller answered a call tells that again too, by another name even', () => {
    const { events, stream } = run(
      runOf('r1', called('a', 'ask_user')),
      runOf('r2', called('a', 'web_search'), output('a'), output('a'), textOf('m', ['x'])),
    );
    expect(summary(events)).toEqual([...whole('Working'), message(1), idle]);
    expect(stream.counts.ignored).toEqual({ repeated_event: 3 });
  });

  test('in another stream calls by the same id', () => {
    const before = ofKind(eventsOf(runStart('r1'), called('a'), runEnd('r1')), 'activity');
    const after = ofKind(eventsOf(runOf('r2', called('a'), output('a'))), 'activity');
    expect(after.map(({ status }) => status)).toEqual(['STARTED', 'COMPLETED']);
    expect(after[0]).toEqual(before[0]);
    expect(summary(eventsOf(runOf('r2', output('a'))))).toEqual([completed('Working'), idle]);
  });

  test('that fails leaves its messages cut and its calls failed, and another may begin', () => {
    const { events, stream } = run(
      runStart('r1'),
      called('a'),
      textStart('m'),
      content('m', 'Half'),
      callStart('b'),
      { type: 'RUN_ERROR', message: 'private' },
      textOf('m', ['late']),
      runOf('r2', textOf('n', ['Whole'])),
    );
    expect(summary(events)).toEqual([
      started('Working'),
      failed('Working'),
      message(4, 0, 0, 'TRUNCATED'),
      'error AGENT_FAILED',
      message(5),
      idle,
    ]);
    expect(stream.counts.ignored).toEqual({ unfinished_tool_input: 1, outside_message: 3 });
  });

  test('may fail after its end, once, and before its beginning', () => {
    const error = { type: 'RUN_ERROR', message: 'private', code: 'TIMEOUT' };
    expect(summary(eventsOf(runOf('r', textOf('m', ['x'])), error, error))).toEqual([
      message(1),
      idle,
      'error AGENT_TIMED_OUT retryable',
    ]);
    expect(summary(eventsOf(error))).toEqual(['error AGENT_TIMED_OUT retryable']);
  });

  test.each<readonly [code: string | undefined, line: string]>([
    [undefined, 'error AGENT_FAILED'],
    ['STRANDS_ERROR', 'error AGENT_FAILED'],
    ['529', 'error AGENT_API_ERROR retryable'],
    ['RATE_LIMITED', 'error AGENT_API_ERROR retryable'],
    ['invalid_api_key', 'error AGENT_API_ERROR'],
    ['401', 'error AGENT_API_ERROR'],
    ['request timed out', 'error AGENT_TIMED_OUT retryable'],
  ])('that fails with the code %s', (code, line) => {
    expect(summary(eventsOf(runStart('r'), { type: 'RUN_ERROR', message: 'x', code }))).toEqual([line]);
  });

  test('that is sent again from its beginning tells nothing twice', () => {
    const events = [textOf('m', ['Once']), called('a'), output('a')];
    const { stream, ...again } = run(runStart('r'), events, runOf('r', events));
    expect(again.events).toEqual(eventsOf(runOf('r', events)));
    expect(stream.counts.ignored).toEqual({ duplicate_message_start: 1, repeated_event: 2 });
  });

  test('within a run ends nothing', () => {
    const within = [
      runStart('r2', { parentRunId: 'r1' }),
      [runStart('r3', { parentRunId: 'r2' }), textOf('n', ['y']), runEnd('r3')],
      runEnd('r2'),
    ];
    expect(summary(eventsOf(runStart('r1'), within, textOf('m', ['x']), runEnd('r1')))).toEqual([
      message(1),
      message(1),
      idle,
    ]);
  });

  test('takes the place of one whose end was lost', () => {
    const { events } = run(
      runStart('r1'),
      textStart('m'),
      content('m', 'Half'),
      runOf('r2', textOf('n', ['Whole'])),
    );
    expect(summary(events)).toEqual([message(4, 0, 0, 'TRUNCATED'), message(5), idle]);
  });

  test('needs no beginning, nor does its text, and ends what has no end', () => {
    expect(summary(eventsOf(content('m', 'Hello'), runEnd()))).toEqual([message(5), idle]);
    expect(summary(eventsOf(runOf('r', callStart('a'), textStart('m'), content('m', 'x'))))).toEqual([
      message(1),
      started('Working'),
    ]);
    expect(summary(eventsOf(runOf('r', textOf('m', ['x'])), textOf('n', ['yz'])))).toEqual([
      message(1),
      idle,
      message(2),
      cutOff,
    ]);
  });
});

describe('chunks', () => {
  test('begin and end what they are about, whatever lies between that is no event of the run', () => {
    const chunks = [
      textChunk('One', { messageId: 'a' }),
      { type: 'RAW', event: {} },
      textChunk(' more'),
      textChunk('Two', { messageId: 'b' }),
      callChunk('{"query": "mi', { toolCallId: 'c', toolCallName: 'web_search' }),
      { type: 'ACTIVITY_DELTA', messageId: 'x', activityType: 'PLAN', patch: [] },
      callChunk('lls"}'),
      callChunk('{}', { toolCallId: 'd', toolCallName: 'x' }),
      output('d'),
      textChunk('Three', { messageId: 'e' }),
    ];
    const { events, stream } = run(runOf('r', chunks));
    expect(answersOf(runOf('r', chunks)).map(({ text }) => text)).toEqual(['One more', 'Two', 'Three']);
    expect(summary(events)).toEqual([
      message(8),
      message(3),
      started('Searching the web'),
      ...whole('Working'),
      message(5),
      completed('Searching the web'),
      'methods, 1 searches, 0 sources',
      idle,
    ]);
    expect(stream.counts.ignored).toEqual({});
  });

  test('of thought end with what comes of it', () => {
    const chunk = { type: 'REASONING_MESSAGE_CHUNK', messageId: 'r', delta: 'private' };
    expect(summary(eventsOf(runOf('r', chunk, chunk, textChunk('x', { messageId: 'a' }), chunk)))).toEqual([
      ...whole('Thinking'),
      message(1),
      idle,
    ]);
  });

  test('are cut by a failure', () => {
    const error = { type: 'RUN_ERROR', message: 'private' };
    const { events, stream } = run(
      [runStart('r'), textChunk('Half', { messageId: 'a' }), error],
      [runStart('s'), callChunk('{}', { toolCallId: 'c', toolCallName: 'x' }), error],
    );
    expect(summary(events)).toEqual([
      message(4, 0, 0, 'TRUNCATED'),
      'error AGENT_FAILED',
      'error AGENT_FAILED',
    ]);
    expect(stream.counts.ignored).toEqual({ unfinished_tool_input: 1 });
  });

  test('that name nothing are about what has no name', () => {
    expect(summary(eventsOf(runOf('r', textChunk('x'), textChunk('y'))))).toEqual([message(2), idle]);
    const { events, stream } = run(runOf('r', callChunk('{}', { toolCallName: 'x' })));
    expect(summary(events)).toEqual([idle]);
    expect(stream.counts.ignored).toEqual({ not_an_event: 1 });
  });
});

describe('a message', () => {
  test('goes on under its name after its end, as a new snapshot of the same', () => {
    const answers = answersOf(
      runOf('r', textOf('m', ['One.']), called('a'), output('a'), textOf('m', [' Two.'])),
    );
    expect(answers.map(({ text }) => text)).toEqual(['One.', 'One. Two.']);
    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test('of the user is one, of a system or developer nobody hears', () => {
    const { events } = run(
      runOf(
        'r',
        textOf('u', ['Hello'], 'user'),
        textOf('s', ['private'], 'system'),
        textOf('d', ['private'], 'developer'),
      ),
    );
    expect(summary(events)).toEqual(['user_message', idle]);
    expect(ofKind(events, 'user_message')[0]?.text).toBe('Hello');
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('may interleave with others', () => {
    const texts = answersOf(
      runOf('r', textStart('a'), textStart('b'), content('a', 'A'), content('b', 'B'), content('a', 'A')),
    ).map(({ text }) => text);
    expect(texts).toEqual(['AA', 'B']);
  });

  test('late pieces of it are counted', () => {
    const { events, stream } = run(
      runOf('r', textOf('m', ['x']), content('m', 'y'), { type: 'TEXT_MESSAGE_END', messageId: 'm' }),
    );
    expect(summary(events)).toEqual([message(1), idle]);
    expect(stream.counts.ignored).toEqual({ late_delta: 2 });
  });
});

describe('the conversation as a whole', () => {
  const asked = { id: 'u', role: 'user', content: 'Hello' };
  const answered = { id: 'm', role: 'assistant', content: 'x' };

  test('tells what is unseen or has changed', () => {
    const { events } = run(
      runOf('r1', textOf('m', ['x']), snapshot(asked, answered)),
      runOf('r2', snapshot(asked, { ...answered, content: 'xy' }), snapshot(asked, answered)),
      snapshot(asked, answered),
    );
    expect(ofKind(events, 'user_message').length).toBe(1);
    expect(ofKind(events, 'agent_message').map(({ text }) => text)).toEqual(['x', 'xy', 'x']);
  });

  test('is what a message goes on from', () => {
    const said = runOf(
      'r',
      textOf('m', ['x']),
      snapshot({ ...answered, content: 'Other' }),
      textOf('m', [' words']),
    );
    expect(answersOf(said).map(({ text }) => text)).toEqual(['x', 'Other', 'Other words']);
  });

  test('has the ids of the messages that were streamed, in whatever stream', () => {
    const [streamed] = answersOf(runOf('r1', textOf('m', ['x'])));
    expect(answersOf(snapshot(asked, answered))).toEqual([streamed]);
  });

  test('comes with the beginning of a run, too', () => {
    const objects = runOf('r', textOf('m', ['x']));
    const input = { messages: [asked, { id: 's', role: 'system', content: 'private' }] };
    expect(summary(eventsOf({ ...runStart('r'), input }, objects.slice(1)))).toEqual([
      'user_message',
      message(1),
      idle,
    ]);
  });

  test('does not tell what still comes, nor thoughts, activities and what has no id', () => {
    const { events, stream } = run(
      runStart('r'),
      textStart('m'),
      content('m', 'x'),
      snapshot(
        { id: 'm', role: 'assistant', content: 'x' },
        { id: 'r', role: 'reasoning', content: 'private' },
        { id: 'a', role: 'activity', activityType: 'PLAN', content: { plan: 'private' } },
        { role: 'user', content: 'nameless' },
      ),
      content('m', 'y'),
      runEnd('r'),
    );
    expect(summary(events)).toEqual([message(2), idle]);
    expect(stream.counts.ignored).toEqual({ not_an_event: 1 });
  });

  test('brings files by what is known of them', () => {
    const image = { type: 'image', source: { type: 'data', value: 'AAECAw==', mimeType: 'image/png' } };
    const link = { type: 'document', source: { type: 'url', value: 'https://private.example/a' } };
    const old = { type: 'binary', mimeType: 'text/plain', filename: '/private/notes.txt', data: 'AAEC' };
    const [said] = ofKind(
      eventsOf(
        snapshot({ id: 'u', role: 'user', content: [{ type: 'text', text: 'See' }, image, link, old] }),
      ),
      'user_message',
    );
    expect(said).toMatchObject({
      text: 'See',
      files: [
        { filename: 'file-1', contentType: 'image/png', sizeBytes: 4 },
        { filename: 'file-2' },
        { filename: 'notes.txt', contentType: 'text/plain', sizeBytes: 3 },
      ],
    });
    expect(JSON.stringify(said)).not.toContain('private');
  });

  test('ends the calls whose results it has', () => {
    const result = { id: 'x', role: 'tool', toolCallId: 'a', content: 'private' };
    const ends = [result, { ...result, error: 'private' }].map((known) =>
      summary(eventsOf(runOf('r', called('a'), snapshot(known)))),
    );
    expect(ends).toEqual([
      [...whole('Working'), idle],
      [started('Working'), failed('Working'), idle],
    ]);
    expect(summary(eventsOf(runOf('r', snapshot(result))))).toEqual([idle]);
  });
});

describe('calls', () => {
  test.each(['', null, undefined])('may belong to the message %j', (parentMessageId) => {
    const calls = called('a', 'web_search', ['{}'], { parentMessageId });
    expect(summary(eventsOf(runOf('r', calls, output('a'))))).toEqual([...whole('Searching the web'), idle]);
  });

  test('may have a result whose message is called like the call', () => {
    const result = output('a', 'private', { messageId: 'a' });
    expect(summary(eventsOf(runOf('r', called('a'), result, textOf('a', ['x']))))).toEqual([
      ...whole('Working'),
      message(1),
      idle,
    ]);
  });

  test('after which the agent speaks are owed by nobody, unless the words are of their message', () => {
    const own = called('a', 'x', ['{}'], { parentMessageId: 'm' });
    expect(summary(eventsOf(runOf('r', own, textOf('n', ['x']))))).toEqual([
      started('Working'),
      message(1),
      completed('Working'),
      idle,
    ]);
    expect(summary(eventsOf(runOf('r', own, textOf('m', ['x']))))).toEqual([started('Working'), message(1)]);
  });

  test('are told when the stream says that their input is complete, whatever that is', () => {
    expect(summary(eventsOf(runOf('r', called('a', 'x', ['{"q']), output('a'))))).toEqual([
      ...whole('Working'),
      idle,
    ]);
    const { events, stream } = run(runOf('r', called('a', 'x', ['{"q']).slice(0, -1)));
    expect(summary(events)).toEqual([idle]);
    expect(stream.counts.ignored).toEqual({ unfinished_tool_input: 1 });
  });

  test('that nobody spoke of after their question were not permitted', () => {
    const ask = interrupted('r1', { id: 'i', reason: 'tool_call', toolCallId: 'a' });
    const next = runOf('r2', textOf('m', ['x']));
    expect(summary(eventsOf(runStart('r1'), called('a'), ask, next)).slice(3)).toEqual([
      message(1),
      failed('Working'),
      idle,
    ]);
  });
});

describe('an interrupt', () => {
  const ask = (given: object) =>
    questionsOf(runStart('r'), interrupted('r', { id: 'i', reason: 'x', ...given }));

  test('about a call asks for permission in our own words', () => {
    const given = { id: 'i', reason: 'tool_call', message: 'Send private?', toolCallId: 'a' };
    expect(questionsOf(runStart('r'), called('a', 'web_search'), interrupted('r', given))).toMatchObject([
      {
        text: 'The agent asks for permission to go on: Searching the web.',
        options: [{ optionId: 'approve' }, { optionId: 'reject' }],
      },
    ]);
  });

  test('asks what its message says, or how to go on', () => {
    expect(ask({ message: 'Which one?' })).toMatchObject([{ text: 'Which one?', responseFormat: 'TEXT' }]);
    expect(ask({ metadata: { private: 1 } })).toMatchObject([{ text: 'The agent asks how to go on.' }]);
  });

  test('is answered as its schema says', () => {
    const answers = (responseSchema: unknown) =>
      ask({ responseSchema }).map(({ responseFormat, options }) => [
        responseFormat,
        ...(options ?? []).map(({ label }) => label),
      ])[0];
    expect(answers({ type: 'string' })).toEqual(['TEXT']);
    expect(answers({ type: 'boolean' })).toEqual(['SINGLE_SELECT', 'Yes', 'No']);
    expect(answers({ enum: ['Q1', 2, null, ' '] })).toEqual(['SINGLE_SELECT', 'Q1', '2']);
    expect(answers({ oneOf: [{ const: 'a', title: 'An A' }, { const: 'b' }] })).toEqual([
      'SINGLE_SELECT',
      'An A',
      'b',
    ]);
    expect(answers({ type: 'array', items: { enum: ['x', 'y'] } })).toEqual(['MULTI_SELECT', 'x', 'y']);
    expect(answers({ type: 'object', properties: { only: { enum: ['x'] } } })).toEqual([
      'SINGLE_SELECT',
      'x',
    ]);
    expect(answers({ type: 'object', properties: 7 })).toEqual(['TEXT']);
    expect(ask({ reason: 'confirmation' })).toMatchObject([{ responseFormat: 'SINGLE_SELECT' }]);
  });

  test('that asks for several things is a form', () => {
    const properties = {
      quarter: { title: 'Which quarter?', enum: ['Q1', 'Q2'] },
      year: { type: 'integer' },
    };
    const [form] = ask({ message: 'Filing', responseSchema: { type: 'object', properties } });
    expect(form).toMatchObject({
      text: 'Filing',
      questions: [
        { text: 'Which quarter?', responseFormat: 'SINGLE_SELECT' },
        { text: 'year', responseFormat: 'TEXT' },
      ],
    });
  });

  test('in the older way is data before the end of the run, and told once where both come', () => {
    const old = (value: unknown) => ({ type: 'CUSTOM', name: 'on_interrupt', value });
    const texts = [
      'Go on?',
      JSON.stringify({ question: 'And now?' }),
      { message: 'Well?' },
      JSON.stringify({ private: 'x' }),
      null,
    ].flatMap((value) => questionsOf(runOf('r', old(value))).map(({ text }) => text));
    expect(texts).toEqual([
      'Go on?',
      'And now?',
      'Well?',
      'The agent asks how to go on.',
      'The agent asks how to go on.',
    ]);
    const both = [runStart('r'), old('Go on?'), interrupted('r', { id: 'i', message: 'Go on?' })];
    expect(summary(eventsOf(both))).toEqual(['question', idle]);
  });

  test('for actions asks for permission for each, by the title of its tool', () => {
    const requests = [
      { name: 'web_search', args: { private: 1 } },
      { name: 'private_tool', args: {} },
    ];
    const old = (value: unknown) => ({ type: 'CUSTOM', name: 'on_interrupt', value: JSON.stringify(value) });
    const asked = [{ action_requests: requests }, [{ action_request: { action: 'web_search' } }]].map(
      (value) => questionsOf(runOf('r', old(value))).map(({ text }) => text),
    );
    expect(asked).toEqual([
      [
        'The agent asks for permission to go on: Searching the web.',
        'The agent asks for permission to go on.',
      ],
      ['The agent asks for permission to go on: Searching the web.'],
    ]);
  });
});

describe('steps', () => {
  test('are told by the title of their name, each by itself, and end with their run', () => {
    const titles = new Map([['look', { title: 'Looking' }]]);
    const begin = { type: 'STEP_STARTED', stepName: 'look' };
    const end = { type: 'STEP_FINISHED', stepName: 'look' };
    const { events, stream } = runWith(
      { titles },
      runOf('r', begin, end, begin, begin, end, end, end, begin),
    );
    const lines = summary(events);
    expect(lines.filter((line) => line === started('Looking')).length).toBe(4);
    expect(lines.filter((line) => line === completed('Looking')).length).toBe(4);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
    expect(lines.at(-1)).toBe(idle);
    expect(stream.counts.ignored).toEqual({ late_delta: 1 });
  });

  test('that are open do not keep a run from waiting for its caller', () => {
    const begin = { type: 'STEP_STARTED', stepName: 'private' };
    expect(summary(eventsOf(runOf('r', begin, called('a'))))).toEqual([
      started('Working'),
      started('Working'),
      completed('Working'),
    ]);
  });
});

test('data of an application is counted, state and its patches are not read', () => {
  const { events, stream } = run(
    runOf(
      'r',
      { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/__proto__/polluted', value: true }] },
      { type: 'STATE_DELTA', delta: 'private' },
      { type: 'CUSTOM', name: '__proto__', value: { ['__proto__']: { polluted: true } } },
    ),
  );
  expect(summary(events)).toEqual([idle]);
  expect(stream.counts.ignored).toEqual({ unmapped_data: 1 });
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('data that the title map has is delivered as it comes', () => {
  const titles = parseTitles(
    '{"chart": {"delivers": {"kind": "FIGURE", "name": "head"}}, "report": {"delivers": {"kind": "AGENT_DELIVERED_FILE", "name": "path"}}}',
  );
  const custom = (name: string, value: unknown) => ({ type: 'CUSTOM', name, value });
  const data = [
    custom('chart', { head: 'Tides', private: 1 }),
    custom('report', { path: '/private/tides.pdf' }),
    custom('chart', 'private'),
  ];
  const { events } = runWith({ titles }, runStart('r'), data, textOf('m', ['x']), runEnd('r'));
  expect(summary(events)).toEqual([
    'delivered_outputs',
    'artifacts_delivered, 1',
    'delivered_outputs',
    message(1),
    idle,
  ]);
  expect(ofKind(events, 'delivered_outputs')[0]?.deliveredOutputs).toMatchObject([{ title: 'Tides' }]);
  expect(JSON.stringify(events)).not.toContain('private');
  const again = runWith({ titles }, runStart('r'), data, runOf('r', data)).events;
  expect(new Set(again.map(({ eventId }) => eventId)).size).toBe(4);
  const { stream } = runWith({ titles }, runOf('r'), data);
  expect(stream.counts.ignored).toEqual({ outside_message: 3 });
});

test('keys named like those of an object are names like others', () => {
  const named = [textOf('__proto__', ['x']), called('constructor'), output('constructor')];
  expect(summary(eventsOf(runOf('toString', named)))).toEqual([message(1), ...whole('Working'), idle]);
});

test.each<readonly [string, (n: number) => unknown]>([
  ['messages', (n: number) => textStart(`m${n}`)],
  ['inputs', (n: number) => callStart(`c${n}`)],
  ['calls', (n: number) => called(`c${n}`)],
  ['steps', (n: number) => ({ type: 'STEP_STARTED', stepName: `s${n}` })],
  ['interrupts', (n: number) => ({ type: 'CUSTOM', name: 'on_interrupt', value: n })],
  ['runs', (n: number) => runStart(`n${n}`, { parentRunId: 'r' })],
])('too many %s that are open end the stream', (_, part) => {
  const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
  const { stream } = runWith(
    { limits },
    runStart('r'),
    [0, 1, 2, 3].map((n) => part(n)),
  );
  expect(stream.fault?.details.limit).toBe('openBlocks');
});

test('interrupts that wait for the end of their run are held', () => {
  const limits = { ...DEFAULT_LIMITS, heldBytes: 1_000 };
  const old = { type: 'CUSTOM', name: 'on_interrupt', value: 'x'.repeat(400) };
  expect(runWith({ limits }, runStart('r'), old, old, old).stream.fault?.details.limit).toBe('heldBytes');
});

test('of very many messages the latest can go on', () => {
  const texts = Array.from({ length: 300 }, (_, n) => textOf(`m${n}`, ['x'.repeat(100)]));
  const limits = { ...DEFAULT_LIMITS, heldBytes: 60_000 };
  const { events, stream } = runWith(
    { limits },
    runOf('r', texts, textOf('m299', ['y']), textOf('m0', ['y'])),
  );
  expect(stream.fault).toBeUndefined();
  const answers = ofKind(events, 'agent_message');
  expect(answers.slice(300).map(({ text }) => text.length)).toEqual([101, 1]);
  expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(300);
});

test('what is not told, or was dropped, is not held', () => {
  const limits = { ...DEFAULT_LIMITS, heldBytes: 1_000 };
  const words = ['x'.repeat(400)];
  const unheard = Array.from({ length: 5 }, (_, n) => textOf(`s${n}`, words, 'system'));
  const again = [runStart('r'), textOf('m', words).slice(0, -1), callStart('c')];
  const snapshots = Array.from({ length: 5 }, () =>
    snapshot({ id: 'm', role: 'assistant', content: words[0] }),
  );
  expect(runWith({ limits }, runOf('r', unheard)).stream.fault).toBeUndefined();
  expect(runWith({ limits }, again, again, again, again).stream.fault).toBeUndefined();
  expect(runWith({ limits }, runOf('r', textOf('m', ['y']), snapshots)).stream.fault).toBeUndefined();
});
