import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepareEvent } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';

const hashOf = (input: EventInput): string => prepareEvent(input).hash.toString('hex');

const message = (fields: object = {}): EventInput => ({
  kind: 'agent_message',
  eventId: 'e1',
  messageId: 'm1',
  text: 'Yes.',
  citations: [],
  suggestedFollowUps: [],
  ...fields,
});

describe('two events have the same content (P3)', () => {
  it('when one leaves out or nulls what the other leaves to its default', () => {
    const said = { completion: 'COMPLETE', historical: false, createdAt: null };
    expect(hashOf(message(said))).toBe(hashOf(message()));
    const user: EventInput = { kind: 'user_message', eventId: 'e1', messageId: 'm1', text: 'Why?' };
    expect(hashOf({ ...user, isInitial: false, files: [] })).toBe(hashOf(user));
    expect(hashOf({ ...user, files: null })).toBe(hashOf(user));
  });

  it('also when one was stored by a version that knew fewer defaults: nothing is filled in', () => {
    const sent =
      '["agent_message",{"citations":[],"eventId":"e1","messageId":"m1","suggestedFollowUps":[],"text":"Yes."},null]';
    expect(hashOf(message())).toBe(createHash('sha256').update(sent).digest('hex'));
  });

  it('whatever the order of their keys, at any depth', () => {
    const source = { sourceRef: 's1', authors: [], studyTypeTags: [], title: 'A', year: 2020 };
    const shuffled = { year: 2020, title: 'A', studyTypeTags: [], authors: [], sourceRef: 's1' };
    const citing = (of: object) => message({ citations: [{ citationId: 'c1', quote: 'q', source: of }] });
    expect(hashOf(citing(shuffled))).toBe(hashOf(citing(source)));
    const unknown = (payload: unknown): EventInput => ({
      kind: 'unknown',
      eventId: 'e1',
      rawKind: 'x',
      payload,
    });
    expect(hashOf(unknown({ a: 1, b: { c: 2, d: 3 } }))).toBe(hashOf(unknown({ b: { d: 3, c: 2 }, a: 1 })));
  });

  it('when nested nulls stand for what is absent', () => {
    const question = (fields: object): EventInput => ({
      kind: 'question',
      eventId: 'e1',
      questionId: 'q1',
      text: 'Which?',
      responseFormat: 'TEXT',
      ...fields,
    });
    expect(hashOf(question({ options: null, prefilledText: null }))).toBe(hashOf(question({})));
  });

  it('when a lone surrogate of one is what it is stored as in the other', () => {
    expect(hashOf(message({ text: 'a\ud800b' }))).toBe(hashOf(message({ text: 'a\ufffdb' })));
  });
});

describe('two events have different content (P3)', () => {
  it.each([
    ['text', { text: 'No.' }],
    ['completion', { completion: 'TRUNCATED' }],
    ['whether it is historical', { historical: true }],
    ['a time that was sent', { createdAt: new Date('2026-01-01T00:00:00Z') }],
    ['follow-ups', { suggestedFollowUps: ['Why?'] }],
  ])('by their %s', (_, fields) => {
    expect(hashOf(message(fields))).not.toBe(hashOf(message()));
  });

  it('by their kind alone', () => {
    const hashes = ['session_idle', 'session_paused', 'stop_requested'].map((kind) =>
      hashOf({ kind, eventId: 'e1' } as EventInput),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it('by a null within the payload of an unknown kind, which is data', () => {
    const unknown = (payload: unknown) => hashOf({ kind: 'unknown', eventId: 'e1', rawKind: 'x', payload });
    expect(unknown({ a: null })).not.toBe(unknown({}));
    expect(unknown(null)).not.toBe(unknown({}));
  });

  it('by the order of a list', () => {
    const follow = (...suggestedFollowUps: string[]) => hashOf(message({ suggestedFollowUps }));
    expect(follow('a', 'b')).not.toBe(follow('b', 'a'));
  });
});
