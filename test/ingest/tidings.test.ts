import { describe, expect, test } from 'vitest';
import type { EventInput } from '../../src/events/content.js';
import { bytesOf, ingest, ingestObjects, type RunOptions } from './streams.js';

const EVENTS = [
  {
    userMessage: {
      eventId: 'e1',
      messageId: 'm1',
      text: 'Why?',
      createdAt: '2024-02-03T04:05:06.789Z',
      isInitial: true,
    },
  },
  {
    agentMessage: {
      eventId: 'e2',
      messageId: 'm2',
      text: 'So.<citations>a</citations>',
      citations: [
        { citationId: 'c1', reference: 'a', quote: '', source: { sourceRef: 's1', title: 'Why so' } },
      ],
      suggestedFollowUps: ['And?'],
      historical: true,
    },
  },
  { unknown: { eventId: 'e3', rawKind: 'telepathy', payload: { __proto__: null, a: [1, null] } } },
  { sessionIdle: { eventId: 'e4' } },
];

const run = (objects: readonly unknown[], options?: RunOptions) =>
  ingestObjects(objects, { format: 'tidings', ...options });
const idsOf = (events: readonly EventInput[]) => events.map(({ eventId }) => eventId);

test('events are what they say, and are recognised', () => {
  const { events, stream } = run(EVENTS, { format: null });
  expect(events).toEqual([
    { kind: 'user_message', ...EVENTS[0]?.userMessage },
    { kind: 'agent_message', ...EVENTS[1]?.agentMessage },
    { kind: 'unknown', ...EVENTS[2]?.unknown },
    { kind: 'session_idle', eventId: 'e4' },
  ]);
  expect(stream.fault).toBeUndefined();
});

test('nothing is made up, however they end', () => {
  for (const why of ['eof', 'cutoff', 'timeout', 'stopped', 'limit'] as const) {
    const { pieces } = run(EVENTS, { why });
    expect(pieces.flatMap(({ ending, progress }) => [...ending, ...progress])).toEqual([]);
  }
});

test('comes as events, as an array and as objects just the same', () => {
  const texts = [
    EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    JSON.stringify(EVENTS),
    EVENTS.map((event) => JSON.stringify(event, null, 2)).join('\n'),
  ];
  for (const text of texts)
    expect(ingest([bytesOf(text)], { format: null }).events).toEqual(run(EVENTS).events);
});

describe('what is no event', () => {
  const [first, second] = EVENTS.map((event) => JSON.stringify(event));
  test.each<readonly [string, string, RegExp]>([
    ['a line of noise', 'starting …', /^line 4: expected one whole JSON object/],
    ['half a line', '{"sessionIdle": {"eventId"', /^line 4: expected one whole JSON object/],
    ['no kind', '{}', /^line 4: expected an object with one kind of event, which is one of userMessage, /],
    [
      'two kinds',
      '{"sessionIdle":{"eventId":"a"},"sessionPaused":{"eventId":"b"}}',
      /^line 4: expected an object with one/,
    ],
    ['a kind that is none', '{"telepathy":{"eventId":"a"}}', /^line 4: expected an object with one kind/],
    [
      'a kind that is inherited',
      '{"constructor":{"eventId":"a"}}',
      /^line 4: expected an object with one kind/,
    ],
    ['a kind without fields', '{"sessionIdle":null}', /^line 4: expected an object with one kind/],
    ['an event without its id', '{"sessionIdle":{}}', /^line 4\.sessionIdle\.eventId: /],
    ['a field too many', '{"sessionIdle":{"eventId":"a","colour":"red"}}', /^line 4\.sessionIdle: /],
    [
      'a kind said twice',
      '{"sessionIdle":{"eventId":"a","kind":"error"}}',
      /^line 4\.sessionIdle: expected no field "kind"/,
    ],
    [
      'a text that is too long',
      `{"activity":{"eventId":"a","activityId":"b","status":"STARTED","title":"${'x'.repeat(5_000)}"}}`,
      /^line 4\.activity\.title: expected at most 4,096/,
    ],
    [
      'a date that is none',
      '{"sessionIdle":{"eventId":"a","createdAt":"yesterday"}}',
      /^line 4\.sessionIdle\.createdAt: expected an RFC 3339/,
    ],
    [
      'an unknown kind that is known',
      '{"unknown":{"eventId":"a","rawKind":"error","payload":1}}',
      /^line 4\.unknown\.rawKind: /,
    ],
    [
      'a payload that is lost',
      '{"unknown":{"eventId":"a","rawKind":"x","payload":1e999}}',
      /^line 4\.unknown: JSON: expected numbers/,
    ],
  ])('ends the stream, with its place, after what was before it: %s', (_, line, reason) => {
    const text = `${first}\n\n${second}\n${line}\n{"sessionIdle":{"eventId":"late"}}\n`;
    const { events, stream } = ingest([bytesOf(text)], { format: 'tidings' });
    expect(idsOf(events)).toEqual(['e1', 'e2']);
    expect(stream.fault).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(stream.fault?.message).toMatch(reason);
  });

  test.each([
    ['event 2', `data: ${first}\n\ndata: noise\n\n`],
    ['event 2', `data: ${first}\n\ndata: ${second}\n`],
    ['element 2', `[${first}, 7]`],
    ['element 2', `[${first}, `],
    ['object 2', `${JSON.stringify(EVENTS[0], null, 2)}\n{"x`],
    ['line 1', `noise\n${first}\n`],
  ])('is told as %s in %j', (place, text) => {
    for (const format of ['tidings', null]) {
      const { stream } = ingest([bytesOf(text)], { format });
      expect(stream.fault?.message).toMatch(new RegExp(`^${place}: `));
    }
  });
});
