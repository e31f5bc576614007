import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import { decodeCursor, decodeCursorWithin, encodeCursor, logTag } from '../../src/graphql/cursors.js';

const session = logTag('session:a');
const other = logTag('session:b');

const reasonOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return `${error.code} ${String(error.details.reason)}`;
    throw error;
  }
  return 'accepted';
};

describe('a cursor', () => {
  it('gives back its number', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (raw) => {
        const number = raw % 2 ** 48;
        expect(decodeCursor(session, encodeCursor(session, number))).toBe(number);
      }),
    );
  });

  it('is refused by another log', () => {
    expect(reasonOf(() => decodeCursor(other, encodeCursor(session, 7)))).toBe('INVALID_CURSOR WRONG_LOG');
  });

  it('is refused ahead of the head', () => {
    expect(reasonOf(() => decodeCursorWithin(session, encodeCursor(session, 8), 7))).toBe(
      'INVALID_CURSOR AHEAD',
    );
    expect(decodeCursorWithin(session, encodeCursor(session, 7), 7)).toBe(7);
  });

  it('is refused when it is none, whatever it is (case 54)', () => {
    const nonsense = [
      '',
      '💥',
      'AAAA',
      'x'.repeat(1_000_000),
      Buffer.from('nonsense').toString('base64'),
      '\u0000',
    ];
    for (const text of nonsense) {
      expect(reasonOf(() => decodeCursor(session, text))).toBe('INVALID_CURSOR MALFORMED');
    }
  });

  it('is refused with one character changed', () => {
    const cursor = encodeCursor(session, 123_456);
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.constantFrom(...'ABCabc019-_'), (at, character) => {
        fc.pre(cursor[at] !== character);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expect(reasonOf(() => decodeCursor(session, changed))).toBe('INVALID_CURSOR MALFORMED');
      }),
    );
  });
});
