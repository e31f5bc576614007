import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../src/ingest/json.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import {
  assistant,
  begin,
  call,
  delta,
  init,
  kept,
  output,
  piece,
  result,
  said,
  start,
  stop,
  system,
  textOf,
  user,
} from './claude-code.js';
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
  says: (id, pieces) => [init(), ...said(id, pieces), result({ result: pieces.join('') })],
  fails: (id, pieces, error) => [
    init(),
    ...said(id, pieces).slice(0, -2),
    assistant('error', [textOf(error)], { error: 'server_error' }, { model: '<synthetic>' }),
    result({ is_error: true, result: error }),
  ],
  thinks: (id, stretches) => [
    init(),
    ...stretches.map((thinking) => assistant(id, [{ type: 'thinking', thinking, signature: 'x' }])),
    assistant(id, [textOf('done')]),
    result(),
  ],
  uses: (id, { name, input, result: given, hasFailed }) => [
    init(),
    assistant(`${id}1`, [call(`call_${id}`, name, JSON.parse(input.join('')))]),
    output(`call_${id}`, given, hasFailed),
    assistant(`${id}2`, [textOf('done')]),
    result({ result: 'done' }),
  ],
  unknown: [{ type: 'telepathy', session_id: 'x' }, system('telepathy')],
};

const CUT_OFF = 'error AGENT_FAILED retryable';

const REVIEWED: Reviewed = new Map([
  // Our own. The agent's helper says nothing of its own, but what it calls shows.
  [
    'harbour-tides.jsonl',
    [
      [
        ...whole('Thinking'),
        message(58),
        started('Searching the web'),
        started('Working on a part'),
        completed('Searching the web'),
        started('Reading a file'),
        failed('Reading a file'),
        completed('Working on a part'),
        message(70),
        'methods, 1 searches, 0 sources',
        idle,
      ],
    ],
  ],
  // Two runs of one process, the second of which its user stopped. What a call asks is one question.
  [
    'night-train.jsonl',
    [
      [
        'user_message',
        started('Asking you'),
        'question',
        completed('Asking you'),
        'session_paused',
        'session_resumed',
        message(42),
        idle,
        'user_message',
        message(17, 0, 0, 'ABORTED'),
        'session_stopped',
      ],
    ],
  ],
  // A transcript. What the program wrote in the user's place, and what the helper said, is not told.
  [
    'allotment.transcript.jsonl',
    [['user_message', ...whole('Working on a part'), message(21), idle, 'user_message', message(32), idle]],
  ],
  // All that `--output-format json` writes.
  ['kettle.json', [[message(34), idle]]],
  // Real ones. Of the table they differ in one thing: a transcript has no results, so its user's next message, or its end, tells `idle`.
  ['basic_query.ndjson', [[message(1), idle]]],
  [
    'sample-turns.json',
    [
      [
        message(104),
        ...whole('Reading a file'),
        message(98),
        ...whole('Editing a file'),
        message(145),
        ...whole('Working'),
        message(301),
        idle,
      ],
    ],
  ],
  // The result of one call is misspelled, another call has none: it broke off. Three lines are no objects, two no message, one no type.
  [
    'edge_cases.jsonl',
    [
      [
        'user_message',
        message(497),
        idle,
        'user_message',
        started('Working'),
        failed('Working'),
        message(145),
        started('Editing a file'),
        'user_message',
        started('Planning'),
        failed('Editing a file'),
        failed('Planning'),
        CUT_OFF,
      ],
      { noise: 3, not_an_event: 3, unknown_block: 1 },
    ],
  ],
  [
    'representative_messages.jsonl',
    [
      [
        'user_message',
        message(570),
        idle,
        'user_message',
        ...whole('Editing a file'),
        message(629),
        idle,
        'user_message',
        ...whole('Running code'),
        message(611),
        idle,
        'user_message',
        idle,
      ],
    ],
  ],
  [
    'todowrite_examples.jsonl',
    [
      [
        'user_message',
        message(115),
        ...whole('Planning'),
        message(77),
        ...whole('Planning'),
        idle,
        'user_message',
        message(92),
        ...whole('Planning'),
        idle,
      ],
    ],
  ],
  // Single lines, over several lines of text each: without a result a run broke off.
  ['assistant_message.json', [[started('Running code'), failed('Running code'), CUT_OFF]]],
  ['assistant_partial_empty.json', [[CUT_OFF]]],
  ['assistant_partial_false.json', [[message(18), CUT_OFF]]],
  ['assistant_partial_true.json', [[message(14, 0, 0, 'TRUNCATED'), CUT_OFF]]],
  ['assistant_unknown_block.json', [[message(24), CUT_OFF], { unknown_block: 1 }]],
  // One message, which goes on after its first call: it is told before that, and then anew as far as it has come.
  [
    'nested_content_blocks.json',
    [
      [
        message(48),
        started('Running code'),
        message(80),
        started('Running code'),
        failed('Running code'),
        failed('Running code'),
        CUT_OFF,
      ],
    ],
  ],
  ['permission_denial.json', [[], { not_an_event: 1 }]],
  ['result_error.json', [[CUT_OFF]]],
  ['result_success.json', [[message(44), idle]]],
  ['system_message.json', [[CUT_OFF]]],
  ['system_message_minimal.json', [[], { not_an_event: 1 }]],
  ['text_block_missing_text.json', [[CUT_OFF]]],
  ['tool_use_block_missing_id.json', [[started('Working'), failed('Working'), CUT_OFF]]],
  ['unknown_content_block.json', [[CUT_OFF], { unknown_block: 1 }]],
  ['unknown_message_type.json', [[], { unknown_event: 1 }]],
  // The result of a call that is not there.
  ['user_message.json', [[], { outside_message: 1 }]],
  // Synthetic ones. A call that asks shows as an activity too; its result is an answer, and no message of the user's.
  ['claude.api-error.jsonl', [['error AGENT_API_ERROR retryable']]],
  [
    'claude.ask-user-question.jsonl',
    [[started('Asking you'), 'question', completed('Asking you'), message(4), idle]],
  ],
  ['claude.dirty-lines.jsonl', [[message(2), idle], { noise: 1, truncated: 1 }]],
  ['claude.interrupted-no-result-key.jsonl', [[message(3, 0, 0, 'ABORTED'), 'session_stopped']]],
  ['claude.max-turns.jsonl', [[message(6, 0, 0, 'TRUNCATED'), 'error AGENT_FAILED']]],
  ['claude.partial-plus-final-subagent.jsonl', [[message(9), ...whole('Working on a part'), idle]]],
]);

/** What the agent and the user say, and when, what a search looks for, and what a question asks. */
function saidIn(objects: readonly JsonObject[]): Said {
  const own = objects.filter(
    (line) => !line.parent_tool_use_id && line.isSidechain !== true && line.error === undefined,
  );
  const blocks = own.flatMap((line) => contentOf(line).filter(isObject));
  const texts = blocks.filter(({ type }) => type === 'text').map((block) => stringAt(block, 'text') ?? '');
  const inputs = blocks
    .filter(({ name }) => name === 'AskUserQuestion' || name === 'WebSearch')
    .map((block) => objectAt(block, 'input') ?? {});
  const questions = inputs.flatMap((input) => listAt(input, 'questions').filter(isObject));
  return {
    shown: [
      ...texts.filter((text) => !/^[<[]|^Caveat/.test(text)),
      ...inputs.map((input) => stringAt(input, 'query') ?? ''),
      ...questions.map((question) => stringAt(question, 'question') ?? ''),
      ...questions.flatMap((question) => listAt(question, 'options').filter(isObject)).map(labelOf),
      ...objects.filter(({ is_error }) => is_error !== true).map((line) => stringAt(line, 'result') ?? ''),
      ...objects.map((line) => stringAt(line, 'timestamp') ?? ''),
      'image/png',
    ],
    hidden: [],
  };
}

const labelOf = (option: JsonObject) => stringAt(option, 'label') ?? '';

function contentOf(line: JsonObject): readonly unknown[] {
  const content = objectAt(line, 'message')?.content;
  if (typeof content === 'string') return line.isMeta || line.isCompactSummary ? [] : [textOf(content)];
  return Array.isArray(content) ? content : [];
}

describeFormat({ format: 'claude-code', samples, reviewed: REVIEWED, saidIn });

const runWith = (options: RunOptions, ...objects: unknown[]) =>
  ingestObjects(objects, { format: 'claude-code', ...options });
const run = (...objects: unknown[]) => runWith({}, ...objects);
const toldOf = (...objects: unknown[]) => summary(run(...objects).events);
const answersOf = (...objects: unknown[]) => ofKind(run(...objects).events, 'agent_message');

describe('a message', () => {
  test('that comes as pieces, as a line and as a result is one', () => {
    const { events, stream } = run(init(), said('m', ['One ', 'text']), result({ result: 'One text' }));
    expect(summary(events)).toEqual([message(8), idle]);
    expect(stream.counts.ignored).toEqual({});
  });

  test('is what its line says, where its pieces say less', () => {
    const lossy = said('m', ['One text']).with(2, delta(0, 'One te'));
    expect(answersOf(init(), lossy, result()).map(({ text }) => text)).toEqual(['One text']);
  });

  test('of several lines is put together, whatever ids the lines have and however little the result repeats', () => {
    const lines = [
      assistant('m', [textOf('One ')], { uuid: 'a' }),
      assistant('m', [textOf('two ')], { uuid: 'b' }),
      assistant('m', [textOf('three')], { uuid: 'a' }),
    ];
    expect(answersOf(init(), lines, result({ result: 'One ' })).map(({ text }) => text)).toEqual([
      'One two three',
    ]);
  });

  test('whose line comes again says nothing new', () => {
    const line = assistant('m', [textOf('One')]);
    const { events, stream } = run(init(), line, line, result());
    expect(summary(events)).toEqual([message(3), idle]);
    expect(stream.counts.ignored).toEqual({ repeated_event: 1 });
  });

  test('is told by its pieces alone, and by its result alone', () => {
    const pieces = said('m', ['One ', 'text']).slice(0, -1);
    expect(toldOf(init(), pieces, result({ result: 'One text' }))).toEqual([message(8), idle]);
    expect(toldOf(init(), result({ result: 'One text' }))).toEqual([message(8), idle]);
  });

  test('is told before the calls in it, and anew where it goes on after them', () => {
    const answers = [assistant('m', [textOf('First.')]), assistant('m', [call('c')]), output('c')];
    const { events } = run(init(), answers, assistant('m', [textOf('Then.')]), result());
    expect(summary(events)).toEqual([message(6), ...whole('Working'), message(13), idle]);
    const [first, then] = ofKind(events, 'agent_message');
    expect(then?.messageId).toBe(first?.messageId);
    expect(then?.text).toBe('First.\n\nThen.');
  });

  test('that was left in pieces when its service was asked again is dropped', () => {
    const half = said('a', ['Half a ']).slice(0, 3);
    const { events, stream } = run(init(), half, said('b', ['Whole']), result());
    expect(summary(events)).toEqual([message(5), idle]);
    expect(stream.counts.ignored).toEqual({ dropped_message: 1 });
  });

  test('that was cut by the model is truncated, and no failure', () => {
    const line = assistant('m', [textOf('Half a')], {}, { stop_reason: 'max_tokens' });
    expect(toldOf(init(), line, result())).toEqual([message(6, 0, 0, 'TRUNCATED'), idle]);
    const tells = assistant('e', [textOf('private')], { error: 'max_output_tokens' });
    expect(toldOf(init(), said('m', ['Half a']), tells, result({ is_error: true }))).toEqual([
      message(6, 0, 0, 'TRUNCATED'),
      idle,
    ]);
  });

  test('that is shown as it grows is what its last line says', () => {
    const growing = ['On', 'One te'].map((text) => assistant('m', [textOf(text)], { is_partial: true }));
    expect(
      answersOf(init(), growing, assistant('m', [textOf('One text')]), result()).map(({ text }) => text),
    ).toEqual(['One text']);
    expect(toldOf(init(), growing)).toEqual([message(6, 0, 0, 'TRUNCATED'), CUT_OFF]);
  });

  test('keeps what it cites', () => {
    const cited = {
      ...textOf('It floods.'),
      citations: [
        {
          type: 'web_search_result_location',
          url: 'https://a.example/x',
          title: 'Floods',
          cited_text: 'It did.',
        },
        { type: 'telepathy' },
      ],
    };
    const { events, stream } = run(init(), assistant('m', [cited]), result());
    expect(summary(events)).toEqual([message(35, 1, 1), idle]);
    expect(stream.counts.ignored).toEqual({ unknown_citation: 1 });
  });

  test('of the program itself, in the place of the model, is none', () => {
    const own = assistant('x', [textOf('No response requested.')], {}, { model: '<synthetic>' });
    expect(toldOf(init(), own, result())).toEqual([idle]);
  });

  test('whose content is one text is read too', () => {
    expect(toldOf(init(), assistant('m', 'One text'), result())).toEqual([message(8), idle]);
  });
});

describe('the user', () => {
  test('is heard in text, in blocks and with files, and not where the program speaks in the same place', () => {
    const { events } = run(
      init(),
      user('First', { uuid: '1' }),
      user([textOf('<system-reminder>private</system-reminder>'), textOf('Second'), textOf('part')], {
        uuid: '2',
      }),
      user([
        {
          type: 'document',
          title: '/private/plan.pdf',
          source: { type: 'base64', media_type: 'application/pdf', data: 'AAECAw==' },
        },
      ]),
      user('private', { isSynthetic: true }),
      user('private', { isMeta: true }),
      user('private', { origin: { kind: 'task-notification' } }),
      user('<local-command-stdout>private</local-command-stdout>'),
      result(),
    );
    expect(ofKind(events, 'user_message').map(({ text, files }) => [text, files])).toEqual([
      ['First', []],
      ['Second\n\npart', []],
      ['', [{ filename: 'plan.pdf', contentType: 'application/pdf', sizeBytes: 4 }]],
    ]);
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('who says the same twice has said it twice, unless it is one line', () => {
    const twice = run(init(), user('Go on'), assistant('m', [textOf('Yes')]), result(), user('Go on'));
    expect(new Set(ofKind(twice.events, 'user_message').map(({ messageId }) => messageId)).size).toBe(2);
    const line = user('Go on', { uuid: 'u' });
    const { events, stream } = run(init(), line, line);
    expect(ofKind(events, 'user_message')).toHaveLength(1);
    expect(stream.counts.ignored).toEqual({ repeated_event: 1 });
  });

  test('who interrupts says nothing, and stops the run; its result adds nothing', () => {
    for (const end of [result({ subtype: 'error_during_execution', is_error: true }), result()]) {
      const told = toldOf(
        init(),
        said('m', ['Half']),
        user([textOf('[Request interrupted by user for tool use]')]),
        end,
      );
      expect(told).toEqual([message(4, 0, 0, 'ABORTED'), 'session_stopped']);
    }
    expect(toldOf(init(), said('m', ['Half']), result({ terminal_reason: 'aborted_streaming' }))).toEqual([
      message(4, 0, 0, 'ABORTED'),
      'session_stopped',
    ]);
  });
});

describe('a call', () => {
  test('is over with its result, a text or a list, and failed if that says so', () => {
    const told = (given: unknown, hasFailed = false) =>
      toldOf(init(), assistant('m', [call('c')]), output('c', given, hasFailed), result());
    expect(told('text')).toEqual([...whole('Working'), idle]);
    expect(told([{ type: 'text', text: 'x' }])).toEqual([...whole('Working'), idle]);
    expect(told(undefined, true)).toEqual([started('Working'), failed('Working'), idle]);
  });

  test('that comes in pieces is told when they are complete, and its line tells it no second time', () => {
    const json = (partial_json: string) =>
      piece({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } });
    const pieces = [
      start('m'),
      begin(0, call('c', 'WebSearch')),
      json('{"query": "ti'),
      json('des"}'),
      stop(0),
    ];
    expect(toldOf(init(), pieces)[0]).toBe(started('Searching the web'));
    const { events } = run(
      init(),
      pieces,
      assistant('m', [call('c', 'WebSearch', { query: 'tides' })]),
      output('c'),
      assistant('n', [textOf('Yes')]),
      result(),
    );
    expect(summary(events)).toEqual([
      ...whole('Searching the web'),
      message(3),
      'methods, 1 searches, 0 sources',
      idle,
    ]);
  });

  test('whose line comes again after its result is told once', () => {
    const line = assistant('m', [call('c')]);
    expect(toldOf(init(), line, output('c'), line, result())).toEqual([...whole('Working'), idle]);
  });

  test('of an agent that works for this one shows; what that says, thinks and is told does not', () => {
    const helper = { parent_tool_use_id: 'task' };
    const { events } = run(
      init(),
      assistant('m', [call('task', 'Agent')]),
      user('private prompt', helper),
      piece({ type: 'message_start', message: { id: 's' } }, 'task'),
      piece({ type: 'content_block_start', index: 0, content_block: textOf('private') }, 'task'),
      assistant(
        's',
        [{ type: 'thinking', thinking: 'private' }, textOf('private'), call('inner', 'Read')],
        helper,
      ),
      output('inner', 'private', false, helper),
      assistant('s', [textOf('private')], { ...helper, error: 'server_error' }),
      output('task'),
      assistant('n', [textOf('Done')]),
      result(),
    );
    expect(summary(events)).toEqual([
      started('Working on a part'),
      ...whole('Reading a file'),
      completed('Working on a part'),
      message(4),
      idle,
    ]);
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('that needs permission is a question, unless it is one itself', () => {
    const asks = (tool_name: string) => ({
      type: 'control_request',
      request_id: 'r',
      request: { subtype: 'can_use_tool', tool_name, input: { command: 'private' } },
    });
    const { events } = run(init(), assistant('m', [call('c', 'Bash')]), asks('Bash'), output('c'), result());
    expect(summary(events)).toEqual([started('Running code'), 'question', completed('Running code'), idle]);
    expect(ofKind(events, 'question')[0]?.text).toBe('The agent asks for permission to go on: Running code.');
    expect(toldOf(init(), asks('AskUserQuestion'), result())).toEqual([idle]);
  });

  test('that ended the run, to be permitted, is a question and did not succeed', () => {
    const deferred_tool_use = { id: 'c', name: 'Bash', input: {} };
    expect(toldOf(init(), assistant('m', [call('c', 'Bash')]), result({ deferred_tool_use }))).toEqual([
      started('Running code'),
      failed('Running code'),
      'question',
      idle,
    ]);
  });

  test('that asks several things asks them as one question, while the run goes on', () => {
    const questions = [
      { question: 'Which coast?', multiSelect: true, options: [{ label: 'West' }, { label: 'East' }] },
      { question: 'Why?', options: [] },
    ];
    const asking = assistant('m', [call('c', 'AskUserQuestion', { questions })]);
    const { events } = run(init(), asking);
    expect(summary(events).slice(0, 2)).toEqual([started('Asking you'), 'question']);
    const [form] = ofKind(events, 'question');
    expect(form?.questions).toMatchObject([
      {
        text: 'Which coast?',
        responseFormat: 'MULTI_SELECT',
        options: [{ label: 'West' }, { label: 'East' }],
      },
      { text: 'Why?', responseFormat: 'TEXT' },
    ]);
    const ids = [form, ...(form?.questions ?? [])].map((question) => question?.questionId);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a task', () => {
  const background = assistant('m', [call('c', 'Agent', { run_in_background: true })]);
  const task = (subtype: string, more: object = {}) => system(subtype, { task_id: 't', ...more });

  test('of a call is that call', () => {
    const told = toldOf(
      init(),
      assistant('m', [call('c', 'Agent')]),
      task('task_started', { tool_use_id: 'c' }),
      task('task_notification', { status: 'completed' }),
      output('c'),
      result(),
    );
    expect(told).toEqual([...whole('Working on a part'), idle]);
  });

  test('in the background outlasts the result of its call and the run, and one update may be all that ends it', () => {
    const begun = [
      init(),
      background,
      task('task_started', { tool_use_id: 'c' }),
      output('c', 'launched'),
      result(),
    ];
    const told = (...ends: unknown[]) => toldOf(begun, ends).slice(2);
    const patch = (status: string) => task('task_updated', { patch: { status } });
    expect(told(patch('running'), patch('completed'))).toEqual([completed('Working on a part')]);
    // Each of them says so by itself, before the process ends.
    for (const end of [patch('killed'), patch('failed'), task('task_notification', { status: 'stopped' })]) {
      const next = [init(), assistant('n', [textOf('More')]), result()];
      expect(told(end, next)).toEqual([failed('Working on a part'), message(4), idle]);
    }
    expect(told(patch('killed'), task('task_notification', { status: 'stopped' }))).toEqual([
      failed('Working on a part'),
    ]);
    expect(told()).toEqual([failed('Working on a part')]);
  });

  test('without a call is an activity of its own', () => {
    const begun = [
      init(),
      task('task_started'),
      task('task_started'),
      assistant('m', [textOf('Yes')]),
      result(),
    ];
    expect(toldOf(begun, task('task_notification', { status: 'failed' }))).toEqual([
      started('Working on a part'),
      message(3),
      idle,
      failed('Working on a part'),
    ]);
  });

  test('that nobody knows changes nothing', () => {
    expect(toldOf(init(), task('task_updated', { patch: { status: 'killed' } }), result())).toEqual([idle]);
  });
});

describe('a run', () => {
  test.each<readonly [object, string]>([
    [{ subtype: 'error_max_turns', is_error: true }, 'error AGENT_FAILED'],
    [{ subtype: 'error_max_budget_usd', is_error: true }, 'error AGENT_FAILED'],
    [{ subtype: 'error_during_execution', is_error: true, errors: ['private'] }, CUT_OFF],
    [{ subtype: 'error_of_tomorrow' }, CUT_OFF],
    [{ is_error: true, result: 'private' }, 'error AGENT_API_ERROR retryable'],
    [{ is_error: true, api_error_status: 529 }, 'error AGENT_API_ERROR retryable'],
    [{ is_error: true, api_error_status: 401 }, 'error AGENT_API_ERROR'],
    [{ is_error: true, api_error_status: 504 }, 'error AGENT_TIMED_OUT retryable'],
    [{ stop_reason: 'refusal' }, 'error AGENT_FAILED'],
  ])('with the result %j fails', (given, error) => {
    const { events } = run(init(), said('m', ['Half a']), result(given));
    expect(summary(events)).toEqual([message(6, 0, 0, 'TRUNCATED'), error]);
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test.each([
    ['authentication_failed', 'error AGENT_API_ERROR'],
    ['billing_error', 'error AGENT_API_ERROR'],
    ['rate_limit', 'error AGENT_API_ERROR retryable'],
    ['error_of_tomorrow', 'error AGENT_API_ERROR retryable'],
  ])('whose service failed with %s fails once', (error, told) => {
    const line = assistant('e', [textOf('private')], { error });
    const { events } = run(init(), line, line, result({ is_error: true }));
    expect(summary(events)).toEqual([told]);
  });

  test('without a result is cut off, one without a result key is over', () => {
    expect(toldOf(init(), assistant('m', [textOf('One')]))).toEqual([message(3, 0, 0, 'TRUNCATED'), CUT_OFF]);
    expect(toldOf(init(), assistant('m', [textOf('One')]), result())).toEqual([message(3), idle]);
  });

  test('is followed by another in the same process', () => {
    const { events } = run(init(), said('a', ['One']), result(), init(), said('b', ['Two']), result());
    expect(summary(events)).toEqual([message(3), idle, message(3), idle]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(4);
  });

  test('that fails without a word fails anew in the next', () => {
    const fails = (uuid: string) => [init(), result({ is_error: true, uuid })];
    const { events } = run(fails('a'), fails('b'));
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(2);
  });

  test('is cut off where another session begins, and goes on where its own does', () => {
    const two = [init('one'), said('a', ['One']), init('two'), said('b', ['Two']), result()];
    expect(toldOf(two)).toEqual([message(3, 0, 0, 'TRUNCATED'), CUT_OFF, message(3), idle]);
    expect(toldOf(init('one'), said('a', ['One']), init('one'), result())).toEqual([message(3), idle]);
  });

  test('pauses at a limit, and goes on with the next line; not where going on is paid for', () => {
    const limit = (info: object) => ({ type: 'rate_limit_event', rate_limit_info: info, session_id: 's' });
    const rejected = limit({ status: 'rejected' });
    const around = (given: object) => toldOf(init(), given, given, assistant('m', [textOf('Yes')]), result());
    expect(around(rejected)).toEqual(['session_paused', 'session_resumed', message(3), idle]);
    expect(around(limit({ status: 'rejected', overageStatus: 'allowed' }))).toEqual([message(3), idle]);
    expect(around(limit({ status: 'allowed_warning' }))).toEqual([message(3), idle]);
    expect(toldOf(init(), rejected)).toEqual(['session_paused', CUT_OFF]);
    const refused = assistant('e', [], { error: 'rate_limit' });
    expect(toldOf(init(), rejected, refused, result({ is_error: true }))).toEqual([
      'session_paused',
      'error AGENT_API_ERROR retryable',
    ]);
  });
});

describe('a transcript', () => {
  const at = (second: number) => `2026-03-01T08:00:0${second}.000Z`;
  const asked = kept(user('Why?', { uuid: 'u' }), at(1));

  test('says when each thing happened', () => {
    const { events } = run(asked, kept(assistant('m', [textOf('So.')]), at(2)));
    expect(events.map(({ kind, createdAt }) => [kind, createdAt])).toEqual([
      ['user_message', at(1)],
      ['agent_message', at(2)],
      ['session_idle', at(2)],
    ]);
  });

  test('takes no date from what is none', () => {
    const { events } = run(kept(user('Why?'), 'yesterday'));
    expect(events.map(({ createdAt }) => createdAt)).toEqual([undefined, undefined]);
  });

  test('tells that a run is over by the next message, unless a call is still open', () => {
    const again = kept(user('And?', { uuid: 'v' }), at(5));
    const called = kept(assistant('m', [call('c')]), at(2));
    expect(toldOf(asked, kept(assistant('m', [textOf('So.')]), at(2)), again)).toEqual([
      'user_message',
      message(3),
      idle,
      'user_message',
      idle,
    ]);
    expect(toldOf(asked, called, again, kept(output('c'), at(6)))).toEqual([
      'user_message',
      started('Working'),
      'user_message',
      completed('Working'),
      idle,
    ]);
  });

  test('that ends in a call broke off', () => {
    expect(toldOf(asked, kept(assistant('m', [call('c')]), at(2)))).toEqual([
      'user_message',
      started('Working'),
      failed('Working'),
      CUT_OFF,
    ]);
  });

  test('is a tree, of which every branch happened; side chains are another agent’s', () => {
    const branch = (id: string, more: object = {}) => kept(assistant(id, [textOf(id)]), at(3), more);
    expect(
      toldOf(
        asked,
        branch('one', { parentUuid: 'u' }),
        branch('side', { isSidechain: true }),
        branch('two', { parentUuid: 'u' }),
      ),
    ).toEqual(['user_message', message(3), message(3), idle]);
  });

  test('tells an error of the service once, and by no text of it', () => {
    const error = kept(assistant('e', [textOf('API Error: private')], { isApiErrorMessage: true }), at(2));
    expect(toldOf(asked, error)).toEqual(['user_message', 'error AGENT_API_ERROR retryable']);
  });
});

test.each<readonly [string, (n: number) => unknown]>([
  ['blocks', (n: number) => begin(n)],
  ['calls', (n: number) => assistant('m', [call(`c${n}`)])],
])('too many %s that are open end the stream', (_, line) => {
  const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
  const { stream } = runWith({ limits }, init(), start('m'), [0, 1, 2, 3].map(line));
  expect(stream.fault?.details.limit).toBe('openBlocks');
});
