import { describe, expect, test } from 'vitest';
import { type EventInput, eventContent } from '../../src/events/content.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import {
  blockStart,
  cited,
  delta,
  finish,
  ingestObjects,
  messageStart,
  ofKind,
  result,
  summary,
  text,
  textDelta,
  thinking,
  toolUse,
  webCitation,
  webSearch,
} from './streams.js';

const run = (...objects: unknown[]) => ingestObjects(objects).events;

describe('identity', () => {
  const turn = (id: string) => [messageStart(id), thinking(0), text(1, 'same'), webSearch(2, 'q'), finish()];
  const idsOf = (events: readonly EventInput[]) => events.map(({ eventId }) => eventId);

  test('the same stream gives the same events; another session, others', () => {
    expect(run(turn('m'))).toEqual(run(turn('m')));
    const elsewhere = ingestObjects(turn('m'), { sessionId: 'another' }).events;
    const here = new Set(idsOf(run(turn('m'))));
    expect(idsOf(elsewhere).filter((eventId) => here.has(eventId))).toEqual([]);
    expect(new Set(JSON.stringify(elsewhere).match(/(?:msg|act|cit)_[\w-]{22}/g))).not.toContain(
      ofKind(run(turn('m')), 'agent_message')[0]?.messageId,
    );
  });

  test('two turns that say the same are two, by their upstream ids', () => {
    const search = (id: string) => [messageStart(id), text(0, 'same'), finish()];
    const events = [...run(search('m1')), ...run(search('m2'))];
    expect(new Set(idsOf(events)).size).toBe(events.length);
  });

  test('an upstream id that is used again within a stream names another message', () => {
    const once = [messageStart('m'), text(0, 'same'), finish()];
    const events = run(once, once);
    expect(events).toHaveLength(4);
    expect(new Set(idsOf(events)).size).toBe(4);
    expect(run(once)).toEqual(events.slice(0, 2));
  });

  test('a message that broke off and comes again whole is a new snapshot of the same message', () => {
    const half = ofKind(run(turn('m').flat().slice(0, 7)), 'agent_message')[0];
    const whole = ofKind(run(turn('m')), 'agent_message')[0];
    expect(half?.messageId).toBe(whole?.messageId);
    expect(half?.eventId).not.toBe(whole?.eventId);
  });

  test('no upstream id comes out', () => {
    const objects = [
      messageStart('msg_upstream'),
      toolUse(0, { id: 'toolu_upstream' }),
      text(1, 'x'),
      finish('tool_use'),
    ];
    expect(JSON.stringify(run(objects))).not.toContain('upstream');
  });
});

describe('limits', () => {
  test('open blocks: the stream ends with its text, an error and the reason', () => {
    const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
    const begin = (index: number) => blockStart(index, { type: 'text', text: 'x' });
    const objects = [messageStart('m'), begin(0), begin(1), begin(2), begin(3), finish()];
    const { events, stream } = ingestObjects(objects, { limits });
    expect(summary(events)).toEqual([
      'agent_message TRUNCATED, 3 characters, 0 citations of 0 sources',
      'error AGENT_FAILED',
    ]);
    expect(stream.fault).toMatchObject({ code: 'BAD_USER_INPUT', details: { limit: 'openBlocks', max: 3 } });
    const nothing = { events: [], ending: [], progress: [] };
    expect(stream.push(new Uint8Array(1))).toEqual(nothing);
    expect(stream.end()).toEqual(nothing);
  });

  test('open calls count as open blocks do', () => {
    const limits = { ...DEFAULT_LIMITS, openBlocks: 3 };
    const objects = [messageStart('m'), ...[0, 1, 2, 3].map((index) => toolUse(index))];
    const { events, stream } = ingestObjects(objects, { limits });
    expect(stream.fault?.details.limit).toBe('openBlocks');
    expect(ofKind(events, 'activity').map(({ status }) => status)).toEqual([
      ...Array(3).fill('STARTED'),
      ...Array(3).fill('FAILED'),
    ]);
  });

  test.each([
    ['text', (piece: string) => textDelta(0, piece)],
    ['tool input', (piece: string) => delta(1, { type: 'input_json_delta', partial_json: piece })],
    [
      'citations',
      (piece: string) => delta(0, { type: 'citations_delta', citation: webCitation('u', 't', piece) }),
    ],
    ['empty blocks', (_: string, index: number) => text(index + 2)],
  ])('bytes held open: %s', (_, piece) => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 10_000 };
    const begin = [
      blockStart(0, { type: 'text', text: '' }),
      blockStart(1, { type: 'tool_use', id: 't', name: 'n' }),
    ];
    const pieces = Array.from({ length: 200 }, (__, index) => piece('é'.repeat(50), index));
    const { stream } = ingestObjects([messageStart('m'), begin, pieces], { limits });
    expect(stream.fault).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { limit: 'heldBytes', max: 10_000 },
    });
  });

  test.each([
    ['ends', finish('tool_use'), 31],
    ['is dropped', [], 1],
  ])('what a message held is free when it %s', (_, ending, published) => {
    const limits = { ...DEFAULT_LIMITS, heldBytes: 10_000 };
    const begun = (n: number) => [messageStart(`m${n}`), text(0, 'x'.repeat(4_000))];
    const messages = Array.from({ length: 30 }, (_, n) => [begun(n), ending]);
    const { events, stream } = ingestObjects([messages, begun(30), finish()], { limits });
    expect(stream.fault).toBeUndefined();
    expect(ofKind(events, 'agent_message')).toHaveLength(published);
  });

  test('a fault between messages is an error event too', () => {
    const limits = { ...DEFAULT_LIMITS, lineBytes: 1_000 };
    const objects = [messageStart('m'), text(0, 'x'), finish(), { type: 'x', pad: 'x'.repeat(2_000) }];
    const { events, stream } = ingestObjects(objects, { limits });
    expect(summary(events).slice(-2)).toEqual(['session_idle', 'error AGENT_FAILED']);
    expect(stream.fault?.code).toBe('PAYLOAD_TOO_LARGE');
  });
});

test('every event of a stream that has everything passes the one door', () => {
  const long = 'x'.repeat(70_000);
  const events = run(
    messageStart('m'),
    thinking(0),
    webSearch(1, `\u0000${long}\ud800`),
    result(2, 'search_1', []),
    cited(
      3,
      `\u0000\ud800`,
      webCitation(`https://example.org/${long}`, long, long),
      webCitation('', '\u0000', '\ud800'),
    ),
    toolUse(4, { id: '' }),
    finish('end_turn'),
    { type: 'error' },
  );
  for (const event of events) expect(eventContent.safeParse(event).error).toBeUndefined();
  expect(ofKind(events, 'methods')).toEqual([]);
  expect(summary(events).at(-1)).toBe('error AGENT_API_ERROR retryable');
});
