import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/conversations/folding.js';

/** The rule, word for word. */
const byCodePoint = (text: string): string =>
  [...text.normalize('NFKC')]
    .map((character) => (character === 'ς' ? 'σ' : character.toLowerCase()))
    .join('');

/** What case and composition make difficult, among everything else. */
const character = fc.oneof(
  fc.constantFrom(
    'Σ',
    'ς',
    'σ',
    'İ',
    'I',
    'ı',
    'ß',
    'ẞ',
    'ﬁ',
    'Å',
    'e',
    '\u0301',
    '\u0307',
    '\u0345',
    'ǅ',
    'Ꭰ',
    '💥',
    ' ',
    '.',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

describe('folding', () => {
  it('is NFKC, then each code point lower-cased by itself, ς as σ', () => {
    fc.assert(
      fc.property(fc.array(character), (characters) => {
        const text = characters.join('');
        expect(fold(text)).toBe(byCodePoint(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('makes equal what reads alike, and keeps apart what does not (case 69)', () => {
    expect(fold('ΟΔΟΣΑ')).toContain(fold('ΔΟΣ'));
    expect(fold('ΟΔΟΣ')).toContain(fold('δος'));
    expect(fold('Cafe\u0301')).toBe(fold('CAFÉ'));
    expect(fold('ﬁne')).toBe('fine');
    expect(fold('İSTANBUL')).not.toContain(fold('istanbul'));
    expect(fold('Straße')).not.toContain(fold('strasse'));
  });
});
