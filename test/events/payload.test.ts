import { describe, expect, it } from 'vitest';
import { prepareEvent } from '../../src/events/append.js';
import { KNOWN_KINDS } from '../../src/events/content.js';
import {
  bytesBeside,
  bytesToShowBeside,
  contentAsRead,
  readPayload,
  storedFields,
} from '../../src/events/payload.js';
import { EVERY_KIND } from './every-kind.js';

/** As the database gives it back. */
const stored = (index: number) => {
  const input = EVERY_KIND[index];
  if (input === undefined) throw new Error(`No event ${index}.`);
  return storedFields(prepareEvent(input).content);
};

describe('a stored payload', () => {
  it.each(EVERY_KIND.map(({ kind }, index) => [kind, index] as const))(
    'of %s reads back as it was sent',
    (kind, index) => {
      const fields = stored(index);
      const { eventId, createdAt, historical, citations, ...own } = {
        citations: [],
        ...EVERY_KIND[index],
      } as Record<string, unknown>;
      expect(readPayload(fields.kind, JSON.parse(fields.payload))).toEqual(
        kind === 'unknown' ? own : { ...defaultsOf(kind), ...own },
      );
    },
  );

  it.each(EVERY_KIND.map(({ kind }, index) => [kind, index] as const))(
    'of %s is known before it is written as it will be read',
    (_, index) => {
      const { content } = prepareEvent(EVERY_KIND[index] ?? { kind: 'session_idle', eventId: 'none' });
      const fields = storedFields(content);
      const read = readPayload(fields.kind, JSON.parse(fields.payload));
      expect(contentAsRead(content, fields.payload)).toEqual(read);
      expect(bytesToShowBeside(content)).toBe(bytesBeside(fields.kind, JSON.parse(fields.payload)));
    },
  );

  it('has a case for every kind', () => {
    expect(new Set(EVERY_KIND.map(({ kind }) => kind))).toEqual(new Set([...KNOWN_KINDS, 'unknown']));
  });

  it('keeps no citations, which are rows of their own', () => {
    const message = stored(EVERY_KIND.findIndex(({ kind }) => kind === 'agent_message'));
    expect(JSON.parse(message.payload)).not.toHaveProperty('citations');
  });

  it.each([
    ['nothing', null],
    ['a text', 'oops'],
    ['a list', []],
    ['a message without its text', { messageId: 'm', suggestedFollowUps: [], completion: 'COMPLETE' }],
    [
      'a completion that this version does not know',
      { messageId: 'm', text: '', suggestedFollowUps: [], completion: 'PONDERING' },
    ],
  ])('that cannot be read, %s, is an unknown event of its kind without payload (case 79)', (_, payload) => {
    expect(readPayload('agent_message', payload)).toEqual({
      kind: 'unknown',
      rawKind: 'agent_message',
      payload: null,
    });
  });

  it('of a kind that this version does not know is shown as it is (case 80)', () => {
    expect(readPayload('table_reviewed', { rows: 3 })).toEqual({
      kind: 'unknown',
      rawKind: 'table_reviewed',
      payload: { rows: 3 },
    });
  });

  it('of a kind that is named like a property of every object is no known kind', () => {
    for (const kind of ['constructor', '__proto__', 'toString']) {
      expect(readPayload(kind, 1)).toEqual({ kind: 'unknown', rawKind: kind, payload: 1 });
    }
  });

  it('may have fields that a later version added', () => {
    const payload = { code: 'AGENT_FAILED', message: 'Broken.', retryable: true, hint: 'Try again.' };
    expect(readPayload('error', payload)).toMatchObject({ kind: 'error', message: 'Broken.' });
  });
});

const defaultsOf = (kind: string): object =>
  kind === 'user_message'
    ? { isInitial: false, files: [] }
    : kind === 'agent_message'
      ? { completion: 'COMPLETE' }
      : {};
