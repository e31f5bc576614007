import { describe, expect, test } from 'vitest';
import type { EventInput } from '../../src/events/content.js';
import {
  blockStart,
  blockStop,
  delta,
  finish,
  ingestObjects,
  messageStart,
  messageStop,
  ofKind,
  stopReason,
  summary,
  text,
  textDelta,
  thinking,
  webSearch,
} from './streams.js';

const run = (...objects: unknown[]) => ingestObjects(objects).events;
const ignoredOf = (...objects: unknown[]) => ingestObjects(objects).stream.counts.ignored;
const textOf = (events: readonly EventInput[]) => ofKind(events, 'agent_message').map((event) => event.text);
const SEARCHING = 'activity STARTED "Searching the web"';

describe('how a run ends', () => {
  const answer = [messageStart('m'), text(0, 'answer')];
  const message = (completion: string) =>
    `agent_message ${completion}, 6 characters, 0 citations of 0 sources`;

  test.each([
    ['end_turn', ['agent_message COMPLETE', 'session_idle']],
    ['stop_sequence', ['agent_message COMPLETE', 'session_idle']],
    ['a_new_reason', ['agent_message COMPLETE', 'session_idle']],
    ['max_tokens', ['agent_message TRUNCATED', 'session_idle']],
    ['model_context_window_exceeded', ['agent_message TRUNCATED', 'session_idle']],
    ['tool_use', ['agent_message COMPLETE']],
    ['pause_turn', ['agent_message COMPLETE', 'session_paused']],
    ['refusal', ['agent_message TRUNCATED', 'error AGENT_FAILED']],
  ])('%s', (reason, expected) => {
    expect(summary(run(answer, finish(reason))).map((line) => line.replace(/,.*/, ''))).toEqual(expected);
  });

  test('a refusal without text is an error alone', () => {
    expect(summary(run(messageStart('m'), finish('refusal')))).toEqual(['error AGENT_FAILED']);
  });

  test('a stream that breaks off keeps its text, cut, fails what is open and says so once', () => {
    for (const why of ['eof', 'cutoff'] as const) {
      const { events } = ingestObjects([answer, webSearch(1, 'q')], { why });
      expect(summary(events)).toEqual([
        SEARCHING,
        'activity FAILED "Searching the web"',
        message('TRUNCATED'),
        'error AGENT_FAILED retryable',
      ]);
    }
  });

  test('a message whose stop reason came is whole, even if the stream ends or the next message begins before its end', () => {
    const whole = [...answer, stopReason('end_turn')];
    expect(summary(run(whole))).toEqual([message('COMPLETE'), 'session_idle']);
    expect(summary(run(whole, messageStart('m2'), text(0, 'x'), finish())).slice(0, 2)).toEqual([
      message('COMPLETE'),
      'session_idle',
    ]);
  });

  test('a stream that ends between runs, or never began one, ends quietly', () => {
    expect(run()).toEqual([]);
    expect(run({ type: 'ping' }, { type: 'new' })).toEqual([]);
    const { events } = ingestObjects([answer, finish()], { why: 'cutoff' });
    expect(summary(events)).toEqual([message('COMPLETE'), 'session_idle']);
  });

  test('a silence is a time-out, a stop an abort', () => {
    const timedOut = ingestObjects(answer, { why: 'timeout' }).events;
    expect(summary(timedOut)).toEqual([message('TRUNCATED'), 'error AGENT_TIMED_OUT retryable']);
    const stopped = ingestObjects([answer, webSearch(1, 'q')], { why: 'stopped' }).events;
    expect(summary(stopped).slice(1)).toEqual([
      'activity FAILED "Searching the web"',
      message('ABORTED'),
      'session_stopped',
    ]);
    expect(summary(ingestObjects([answer, finish()], { why: 'stopped' }).events)).toHaveLength(2);
  });

  test.each([
    ['overloaded_error', 'AGENT_API_ERROR', true],
    ['rate_limit_error', 'AGENT_API_ERROR', true],
    ['api_error', 'AGENT_API_ERROR', true],
    ['a_new_error', 'AGENT_API_ERROR', true],
    ['timeout_error', 'AGENT_TIMED_OUT', true],
    ['authentication_error', 'AGENT_API_ERROR', false],
    ['billing_error', 'AGENT_API_ERROR', false],
    ['permission_error', 'AGENT_API_ERROR', false],
    ['invalid_request_error', 'AGENT_API_ERROR', false],
    ['request_too_large', 'AGENT_API_ERROR', false],
  ])('%s is %s, in our own words, once', (type, code, retryable) => {
    const error = { type: 'error', error: { type, message: 'at /srv/private, req_1' }, request_id: 'req_1' };
    const events = run(answer, error, error);
    expect(ofKind(events, 'error')).toMatchObject([{ code, retryable }]);
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toMatch(/private|req_1/);
    expect(ignoredOf(answer, error, error)).toEqual({ repeated_error: 1 });
    expect(ofKind(run(error), 'error')).toMatchObject([{ code, retryable }]);
  });

  test('after a failure the next message begins a run of its own', () => {
    const error = { type: 'error', error: { type: 'overloaded_error' } };
    const events = run(answer, error, messageStart('m2'), text(0, 'answer'), finish());
    expect(summary(events)).toEqual([
      message('TRUNCATED'),
      'error AGENT_API_ERROR retryable',
      message('COMPLETE'),
      'session_idle',
    ]);
  });
});

describe('what should not be there', () => {
  test('a message announced twice is announced once', () => {
    const objects = [messageStart('m'), messageStart('m'), text(0, 'x'), finish()];
    expect(textOf(run(objects))).toEqual(['x']);
    expect(ignoredOf(objects)).toEqual({ duplicate_message_start: 1 });
  });

  test('a second attempt in the middle of a message drops the first, and its calls fail', () => {
    const objects = [
      messageStart('m1'),
      thinking(0),
      text(1, 'first'),
      webSearch(2, 'q1'),
      messageStart('m2'),
      thinking(0),
      text(1, 'second'),
      finish(),
    ];
    expect(summary(run(objects))).toEqual([
      'activity STARTED "Thinking"',
      'activity COMPLETED "Thinking"',
      SEARCHING,
      'activity FAILED "Searching the web"',
      'agent_message COMPLETE, 6 characters, 0 citations of 0 sources',
      'session_idle',
    ]);
    expect(textOf(run(objects))).toEqual(['second']);
    expect(ignoredOf(objects)).toEqual({ dropped_message: 1 });
  });

  test('is ignored and counted, by kinds of our own', () => {
    const objects = [
      textDelta(0, 'before any message'),
      messageStart('m'),
      { type: 'new_event' },
      { no: 'type' },
      { ...textDelta(0, 'no index'), index: '0' },
      textDelta(0, 'never begun'),
      text(0, 'x'),
      textDelta(0, 'late'),
      [blockStart(1, { type: 'hologram' }), delta(1, { type: 'hologram_delta' }), blockStop(1)],
      [
        blockStart(2, { type: 'compaction' }),
        delta(2, { type: 'compaction_delta', content: 'c' }),
        blockStop(2),
      ],
      [blockStart(3, { type: 'thinking' }), textDelta(3, 'misplaced'), blockStop(3)],
      stopReason('a_new_reason'),
      messageStop,
      messageStop,
    ];
    expect(textOf(run(objects))).toEqual(['x']);
    expect(ignoredOf(objects)).toEqual({
      outside_message: 2,
      unknown_event: 1,
      not_an_event: 2,
      late_delta: 2,
      unknown_block: 1,
      unknown_delta: 1,
      misplaced_delta: 1,
      unknown_stop_reason: 1,
    });
  });
});
