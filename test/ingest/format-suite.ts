import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EventInput, eventContent } from '../../src/events/content.js';
import { parseFormat } from '../../src/ingest/formats.js';
import type { IgnoredCounts, IgnoredKind } from '../../src/ingest/ignored.js';
import { isObject, type JsonObject } from '../../src/ingest/json.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { DEFAULT_TITLES, parseTitles } from '../../src/ingest/titles.js';
import { hasShared, ownRecordings, type Recording, sharedRecordings } from './recordings.js';
import { leaks, type Said, secretsOf } from './redaction.js';
import {
  byteByByte,
  bytesOf,
  framesOf,
  ingest,
  objectsOf,
  ofKind,
  type RunOptions,
  SESSION,
  summary,
} from './streams.js';

/*
 * What is true of every format, however it looks: run by the test file of each, over its recordings and over streams that it
 * makes for the rules. What only one format has is tested in its own file.
 */

/** A call of a tool, and what becomes of it. */
export interface ToolUse {
  readonly name: string;
  /** The input as JSON, in pieces. */
  readonly input: readonly string[];
  readonly result: string;
  readonly hasFailed: boolean;
}

/**
 * Streams of one format. Each function gives the objects of one run; `id` is what the stream calls it by. What a format cannot
 * say is absent.
 */
export interface Samples {
  /** The agent says this, piece by piece, and is done. */
  readonly says: (id: string, pieces: readonly string[]) => unknown[];
  /** It says this, and its service fails with a message that is nobody's business. */
  readonly fails: (id: string, pieces: readonly string[], message: string) => unknown[];
  /** It thinks this, in several stretches, then says `done`. */
  readonly thinks?: (id: string, stretches: readonly string[]) => unknown[];
  /** It uses a tool whose result comes in the stream, then says `done`. */
  readonly uses?: (id: string, tool: ToolUse) => unknown[];
  /** It says this, calls a tool of its caller, and waits for the result, which the stream does not show. */
  readonly calls?: (
    id: string,
    pieces: readonly string[],
    tool: Omit<ToolUse, 'result' | 'hasFailed'>,
  ) => unknown[];
  /** Objects that no version knows. */
  readonly unknown: readonly unknown[];
}

/** What a recording comes to, reviewed by hand: kinds, states, counts and lengths. */
export type Reviewed = ReadonlyMap<string, readonly [events: readonly string[], ignored?: IgnoredCounts]>;

export interface FormatUnderTest {
  readonly format: string;
  readonly samples: Samples;
  /** The same in other words that the format has, by what they are called. */
  readonly otherSamples?: ReadonlyMap<string, Samples>;
  readonly reviewed: Reviewed;
  /** Recordings that are cut out of a stream: what they begin with need tell nothing, and what they end may have begun before. */
  readonly fragments?: ReadonlySet<string>;
  /** What a recording says in public, and what else it says piece by piece. */
  readonly saidIn: (objects: readonly JsonObject[]) => Said;
}

/* The lines of a review. */

export const started = (title: string) => `activity STARTED "${title}"`;
export const completed = (title: string) => `activity COMPLETED "${title}"`;
export const failed = (title: string) => `activity FAILED "${title}"`;
export const whole = (title: string) => [started(title), completed(title)];
export const message = (characters: number, citations = 0, sources = 0, completion = 'COMPLETE') =>
  `agent_message ${completion}, ${characters} characters, ${citations} citations of ${sources} sources`;
export const idle = 'session_idle';

const lines = (objects: readonly unknown[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('');

export function describeFormat(given: FormatUnderTest): void {
  describe(given.format, () => {
    describeRecordings(given);
    describe('by the rules', () => describeRules(given));
    for (const [name, samples] of given.otherSamples ?? []) {
      describe(`by the rules, in ${name}`, () => describeRules({ ...given, samples }));
    }
  });
}

function describeRecordings({ format, reviewed, fragments = new Set(), saidIn }: FormatUnderTest): void {
  const recordings = [...ownRecordings(format), ...sharedRecordings(format)];
  const run = ({ bytes }: Recording, options?: RunOptions) => ingest([bytes], { format, ...options });

  test.skipIf(!hasShared)('every recording is in the table, and the other way round', () => {
    expect(recordings.map(({ name }) => name).sort()).toEqual([...reviewed.keys()].sort());
  });

  describe.each(recordings)('$name', (recording) => {
    test('comes to the events that were reviewed', () => {
      const { events, stream } = run(recording);
      expect(summary(events)).toEqual(reviewed.get(recording.name)?.[0]);
      expect(stream.counts.ignored).toEqual(reviewed.get(recording.name)?.[1] ?? {});
      expect(stream.fault).toBeUndefined();
    });

    const isFragment = fragments.has(recording.name);

    test.skipIf(isFragment)('is recognised by its first object', () => {
      expect(run(recording, { format: null }).events).toEqual(run(recording).events);
    });

    test('gives events that pass the one door', () => {
      for (const event of run(recording).events) expect(eventContent.safeParse(event).error).toBeUndefined();
    });

    test('gives the same events again, each with an id of its own', () => {
      const { events } = run(recording);
      expect(run(recording).events).toEqual(events);
      expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
    });

    test('gives the same events byte by byte as whole', () => {
      const bytewise = ingest(byteByByte(recording.bytes), { format });
      expect(bytewise.events).toEqual(run(recording).events);
      expect(bytewise.stream.counts).toEqual(run(recording).stream.counts);
    });

    test('gives the same events if its reducer is put down and taken up again between any two objects', () => {
      const context = { sessionId: SESSION, run: '', titles: DEFAULT_TITLES, limits: DEFAULT_LIMITS };
      const output = { events: [] as EventInput[], ending: [] as EventInput[], ignored: [] as IgnoredKind[] };
      let saved: string | undefined;
      for (const frame of framesOf(recording.bytes)) {
        const reduction = parseFormat(format).open(context, saved);
        reduction.reduce(frame, output);
        saved = reduction.save();
      }
      parseFormat(format).open(context, saved).end('eof', output);
      const { pieces } = run(recording);
      expect(output.events).toEqual(pieces.flatMap(({ events }) => events));
      expect(summary(output.ending)).toEqual(summary(pieces.flatMap(({ ending }) => ending)));
    });

    test('ties every citation with a token to its text, and every token to a citation', () => {
      for (const { text, citations } of ofKind(run(recording).events, 'agent_message')) {
        const groups = [...text.matchAll(/<citations>([^<]*)<\/citations>/g)].map(
          ([, tokens]) => tokens ?? '',
        );
        expect(groups.flatMap((tokens) => tokens.split(','))).toEqual(
          citations.flatMap(({ reference }) => reference ?? []),
        );
      }
    });

    test('ties methods to an answer, and the end of an activity to its start', () => {
      const { events } = run(recording);
      const answers = ofKind(events, 'agent_message').map(({ messageId }) => messageId);
      for (const { messageId } of ofKind(events, 'methods')) expect(answers).toContain(messageId);
      const begun = new Set<string>();
      for (const { activityId, status, title } of ofKind(events, 'activity')) {
        if (status === 'STARTED') begun.add(activityId + title);
        if (!isFragment) expect(begun).toContain(activityId + title);
      }
    });

    test('lets nothing out that is private', () => {
      const objects = objectsOf(recording.bytes);
      const said = saidIn(objects);
      expect(leaks(objects, said, run(recording).events)).toEqual([]);
      // Every recording has ids at least; a check of nothing would prove nothing.
      expect(secretsOf(objects, said).length).toBeGreaterThan(0);
    });
  });

  test('damaged, they raise nothing, and what comes of them passes the one door', () => {
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
        for (const event of ingest([damaged], { format }).events) {
          expect(eventContent.safeParse(event).error).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });
}

function describeRules({ format, samples }: FormatUnderTest): void {
  const run = (objects: readonly unknown[], options?: RunOptions) =>
    ingest([bytesOf(lines(objects))], { format, ...options });
  const { says, fails, thinks, uses, calls, unknown } = samples;
  const hello = says('run_upstream', ['Hello', ', ', 'world']);
  const texts = (objects: readonly unknown[]) =>
    ofKind(run(objects).events, 'agent_message').map(({ text }) => text);

  test('what the agent says is one message, and then it is idle', () => {
    expect(summary(run(hello).events)).toEqual([message(12), idle]);
    expect(texts(hello)).toEqual(['Hello, world']);
    expect(run(hello).stream.counts.ignored).toEqual({});
  });

  test.each<readonly [string, (objects: readonly unknown[]) => string]>([
    [
      'JSON lines with a byte order mark, CRLF, blank lines and noise',
      (objects) =>
        `\uFEFFagent starting\r\n\r\n${objects.map((object) => `${JSON.stringify(object)}\r\n[debug] ok\r\n`).join('')}`,
    ],
    ['a JSON array', (objects) => JSON.stringify(objects, null, 2)],
    [
      'server-sent events',
      (objects) =>
        `: hi\n\n${objects.map((object) => `data:${JSON.stringify(object)}\n\n`).join('')}data: [DONE]\n\n`,
    ],
    [
      'server-sent events that name their events',
      (objects) =>
        objects
          .map(
            (object) =>
              `event: ${isObject(object) ? object.type : ''}\r\ndata: ${JSON.stringify(object)}\r\n\r\n`,
          )
          .join(''),
    ],
  ])('comes as %s just the same, byte by byte too, and is recognised', (_, frame) => {
    const bytes = bytesOf(frame(hello));
    for (const chunks of [[bytes], byteByByte(bytes)]) {
      expect(ingest(chunks, { format: null }).events).toEqual(run(hello).events);
    }
  });

  test('surrogate pairs that were cut are joined, and halves without a partner become U+FFFD', () => {
    expect(texts(says('m', ['wave \ud83c', '\udf0a', ' over \ud83c', '!']))).toEqual([
      'wave 🌊 over \uFFFD!',
    ]);
  });

  test('tags that the model writes are not taken for citations', () => {
    const [text] = texts(says('m', ['Write <cita', 'tions>r1</citations> like this.']));
    expect(text).toBe('Write <\u2060citations>r1<\u2060/citations> like this.');
  });

  test('no text is no message', () => {
    expect(summary(run(says('m', [])).events)).toEqual([idle]);
    expect(summary(run(says('m', ['', ' \n'])).events)).toEqual([idle]);
  });

  test('the same again has the same ids, elsewhere others, and none is upstream', () => {
    const idsOf = (events: readonly EventInput[]) => events.map(({ eventId }) => eventId);
    const ids = idsOf(run(hello).events);
    expect(idsOf(run(hello).events)).toEqual(ids);
    const others = [
      run(hello, { sessionId: 'another' }),
      run(says('run_other', ['Hello', ', ', 'world'])),
    ].flatMap(({ events }) => idsOf(events));
    expect(others.filter((id) => ids.includes(id))).toEqual([]);
    const twice = run([...hello, ...hello]).events;
    expect(twice.slice(0, ids.length)).toEqual(run(hello).events);
    expect(new Set(idsOf(twice)).size).toBe(twice.length);
    expect(JSON.stringify(twice)).not.toContain('upstream');
  });

  test('what the stream does not name is told apart by its run, what it names is not', () => {
    const idsIn = (name: string, runName: string) =>
      run(says(name, ['Hello']), { run: runName }).events.map(({ eventId }) => eventId);
    expect(idsIn('', 'first')).toEqual(idsIn('', 'first'));
    expect(idsIn('', 'first').filter((id) => idsIn('', 'second').includes(id))).toEqual([]);
    expect(idsIn('named', 'first')).toEqual(idsIn('named', 'second'));
  });

  test('nothing that was told is taken back: the beginning of a stream tells the beginning of its events', () => {
    const { events } = run(hello);
    for (let count = 0; count <= hello.length; count++) {
      const stream = startOf(format, hello.slice(0, count));
      expect(stream).toEqual(events.slice(0, stream.length));
    }
  });

  describe('cut off', () => {
    const last = hello.findIndex((object) => JSON.stringify(object).includes('world'));
    const cuts = hello.slice(0, last + 1).map((_, at) => hello.slice(0, at + 1));

    test.each(['eof', 'cutoff'] as const)('by %s, it keeps its text and ends with an error', (why) => {
      for (const objects of cuts) {
        const { events } = run(objects, { why });
        const [text] = ofKind(events, 'agent_message');
        expect(summary(events)).toEqual([
          ...(text === undefined ? [] : [message(text.text.length, 0, 0, 'TRUNCATED')]),
          'error AGENT_FAILED retryable',
        ]);
        expect('Hello, world'.startsWith(text?.text ?? '')).toBe(true);
      }
      expect(run([], { why }).events).toEqual([]);
    });

    test('by a stop, it keeps its text as aborted', () => {
      const said = cuts.map((objects) => summary(run(objects, { why: 'stopped' }).events));
      expect(said.at(-1)).toEqual([message(12, 0, 0, 'ABORTED'), 'session_stopped']);
      expect(said[0]).toEqual(['session_stopped']);
    });

    test('by a silence, it timed out', () => {
      const { events } = run(cuts.at(-1) ?? [], { why: 'timeout' });
      expect(summary(events)).toEqual([message(12, 0, 0, 'TRUNCATED'), 'error AGENT_TIMED_OUT retryable']);
    });

    test('after its end, nothing is added', () => {
      for (const why of ['eof', 'cutoff', 'timeout', 'stopped'] as const) {
        expect(run(hello, { why }).events).toEqual(run(hello).events);
      }
    });
  });

  test('one failure is one error in our own words, after the text so far', () => {
    const objects = fails('m', ['Half an '], 'node 7 at /srv/models is on fire');
    const { events } = run(objects);
    expect(summary(events)).toEqual([message(8, 0, 0, 'TRUNCATED'), 'error AGENT_API_ERROR retryable']);
    expect(JSON.stringify(events)).not.toMatch(/node 7|srv|fire/);
    expect(summary(run(fails('m', [], 'x')).events)).toEqual(['error AGENT_API_ERROR retryable']);
  });

  test('what no version knows is counted, and changes nothing', () => {
    const strange = [
      ...unknown,
      { type: '__proto__', ['__proto__']: { polluted: true } },
      { type: 7 },
      {},
      { constructor: 'x' },
    ];
    const [first, ...others] = hello;
    const { events, stream } = run([first, ...others.flatMap((object) => [...strange, object])]);
    expect(events).toEqual(run(hello).events);
    const counted = Object.values(stream.counts.ignored).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(strange.length * others.length);
  });

  test('more text than may be held ends the stream with the text so far and the reason', () => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 10_000 };
    const { events, stream } = run(says('m', Array(300).fill('é'.repeat(50))), { limits });
    expect(stream.fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { limit: 'heldBytes' } });
    expect(summary(events).map((line) => line.replace(/\d+ characters/, 'n characters'))).toEqual([
      'agent_message TRUNCATED, n characters, 0 citations of 0 sources',
      'error AGENT_FAILED',
    ]);
  });

  test('what a run held is free when it is over', () => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 10_000 };
    const runs = Array.from({ length: 30 }, (_, n) => says(`m${n}`, ['x'.repeat(2_000)])).flat();
    const { events, stream } = run(runs, { limits });
    expect(stream.fault).toBeUndefined();
    expect(ofKind(events, 'agent_message')).toHaveLength(30);
  });

  if (thinks !== undefined) {
    test('that it thinks shows once, what it thinks never', () => {
      const { events } = run(thinks('m', ['a secret thought', 'another secret']));
      expect(summary(events)).toEqual([...whole('Thinking'), message(4), idle]);
      expect(JSON.stringify(events)).not.toMatch(/secret|thought/);
    });
  }

  if (uses !== undefined) describeUse(run, uses);
  if (calls !== undefined) describeCalls(run, calls, says);
}

type Run = (objects: readonly unknown[], options?: RunOptions) => ReturnType<typeof ingest>;

function describeUse(run: Run, uses: NonNullable<Samples['uses']>): void {
  const tool = {
    name: 'private_tool',
    input: ['{"private_pa', 'th": "\\ud83c', '\\udf0a \\', 'u0041"}'],
    result: 'private result',
    hasFailed: false,
  };
  const known = new Map([['private_tool', { title: 'Looking it up', searches: 'pubmed' }]]);

  test('a tool is an activity that says nothing of it', () => {
    const { events } = run(uses('m', tool));
    expect(summary(events)).toEqual([...whole('Working'), message(4), idle]);
    expect(JSON.stringify(events)).not.toContain('private');
  });

  test('its title comes from the map', () => {
    expect(summary(run(uses('m', tool), { titles: known }).events)).toContain(started('Looking it up'));
  });

  test('a tool that failed is an activity that failed', () => {
    expect(summary(run(uses('m', { ...tool, hasFailed: true })).events)).toEqual([
      started('Working'),
      failed('Working'),
      message(4),
      idle,
    ]);
  });

  test('what a search looked for is told, unless it failed', () => {
    const search = { ...tool, input: ['{"query": "tide ', 'mills \\ud83c', '\\udf0a"}'] };
    const methods = (hasFailed: boolean) =>
      ofKind(run(uses('m', { ...search, hasFailed }), { titles: known }).events, 'methods');
    expect(methods(false).map(({ searches }) => searches)).toEqual([
      [{ source: 'pubmed', query: 'tide mills 🌊' }],
    ]);
    expect(methods(true)).toEqual([]);
  });

  test('what the map says that it delivers is delivered when it ends well', () => {
    const input = ['{"private_place": {"path": "/private/folder/', 'tides.csv"}, "bytes": 12}'];
    const titles = parseTitles(
      '{"private_tool": {"title": "Writing", "delivers": {"kind": "AGENT_SAVED_FILE", "name": "private_place.path", "size": "bytes"}}}',
    );
    const delivered = (hasFailed: boolean) =>
      run(uses('m', { ...tool, input, hasFailed }), { titles }).events;
    expect(summary(delivered(false))).toEqual([
      started('Writing'),
      'artifacts_delivered, 1',
      completed('Writing'),
      message(4),
      idle,
    ]);
    expect(ofKind(delivered(false), 'artifacts_delivered')[0]?.artifacts).toEqual([
      {
        artifactId: expect.stringMatching(/^art_/),
        kind: 'AGENT_SAVED_FILE',
        filename: 'tides.csv',
        format: 'csv',
        sizeBytes: 12,
      },
    ]);
    expect(summary(delivered(true))).toEqual([started('Writing'), failed('Writing'), message(4), idle]);
    expect(JSON.stringify(delivered(false))).not.toContain('private');
  });

  test('it is told when its input is complete, and fails if the stream breaks off', () => {
    const objects = uses('m', tool);
    const told = objects.map((_, at) => summary(run(objects.slice(0, at + 1)).events));
    const states = told.map((said) => said.filter((line) => line.startsWith('activity')));
    expect(states[0]).toEqual([]);
    expect(states).toContainEqual([started('Working'), failed('Working')]);
    expect(states.at(-1)).toEqual(whole('Working'));
  });
}

function describeCalls(run: Run, calls: NonNullable<Samples['calls']>, says: Samples['says']): void {
  const tool = { name: 'private_tool', input: ['{"private"', ': 1}'] };
  const turn = calls('m1', ['Let me see.'], tool);

  test('while its caller owes a result it is not idle', () => {
    const { events } = run(turn);
    expect(summary(events).toSorted()).toEqual([started('Working'), message(11)].toSorted());
    expect(JSON.stringify(events)).not.toContain('private');
  });

  describe('one that asks the user', () => {
    const titles = parseTitles(
      '{"private_tool": {"title": "Asking", "asks": {"text": "private.q", "options": "c", "multiple": "many"}}}',
    );
    const asked = (given: object) => ({ name: 'private_tool', input: [JSON.stringify(given)] });
    const ask = (given: object) => run(calls('m1', ['Let me see.'], asked(given)), { titles }).events;

    test('asks after what it says, and is idle', () => {
      const given = { private: { q: 'Which coast?' }, c: ['West', { label: 'East' }, ''], many: true };
      const told = summary(ask(given));
      expect(told.slice(0, 2).toSorted()).toEqual([started('Asking'), message(11)].toSorted());
      expect(told.slice(2)).toEqual(['question', idle]);
      expect(ofKind(ask(given), 'question')).toMatchObject([
        {
          questionId: expect.stringMatching(/^que_/),
          text: 'Which coast?',
          responseFormat: 'MULTI_SELECT',
          options: [
            { optionId: 'option_1', label: 'West' },
            { optionId: 'option_2', label: 'East' },
          ],
        },
      ]);
      expect(JSON.stringify(ask(given))).not.toContain('private');
      expect(ofKind(ask({ private: { q: 'Why?' } }), 'question')).toMatchObject([{ responseFormat: 'TEXT' }]);
    });

    test('asks nothing without a question', () => {
      expect(ofKind(ask({ private: 'q' }), 'question')).toEqual([]);
      expect(summary(ask({ private: { q: ' ' } }))).not.toContain(idle);
    });

    test('is over when the agent goes on', () => {
      const objects = calls('m1', ['Let me see.'], asked({ private: { q: 'Why?' } }));
      const { events } = run([...objects, ...says('m2', ['done'])], { titles });
      expect(summary(events).slice(2)).toEqual(['question', idle, completed('Asking'), message(4), idle]);
    });
  });

  test('when it goes on, the call is over', () => {
    const { events } = run([...turn, ...says('m2', ['done'])]);
    expect(summary(events).slice(2)).toEqual([completed('Working'), message(4), idle]);
  });
}

/** What a stream tells before anything is known of its end. */
function startOf(format: string, objects: readonly unknown[]): readonly EventInput[] {
  const output = { events: [] as EventInput[], ending: [] as EventInput[], ignored: [] as IgnoredKind[] };
  const context = { sessionId: SESSION, run: '', titles: DEFAULT_TITLES, limits: DEFAULT_LIMITS };
  const reduction = parseFormat(format).open(context);
  for (const frame of framesOf(bytesOf(lines(objects)))) reduction.reduce(frame, output);
  return output.events;
}

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
