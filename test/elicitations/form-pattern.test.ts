import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import {
  FormPattern,
  MAX_PATTERN_SIZE,
  refusalOf,
  sizeOfPattern,
} from '../../src/elicitations/form-pattern.js';

/** Pieces of patterns, and characters of texts, that two engines could read differently. */
const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    '1',
    ' ',
    '.',
    '\\s',
    '\\S',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\b',
    '\\B',
    '^',
    '$',
    '\\/',
    '\\.',
    '-',
  ],
  ...[
    '[ab]',
    '[^a]',
    '[\\s1]',
    '[\\S]',
    '[^\\s]',
    '[^\\S]',
    '[[:alpha:]',
    '[b]',
    '[(?:)*{2}]',
    '[a\\]b]',
    '[]',
  ],
  ...[
    '[^]',
    '\\u0061',
    '\\u{1f600}',
    '\\ud83d\\ude00',
    '\\x61',
    '\\cJ',
    '\\n',
    '\\0',
    '💥',
    'é',
    '\\p{L}',
    '\\P{L}',
  ],
  ...[
    '\\p{Script=Greek}',
    '[\\p{N}-]',
    '[\\u{1f600}-\\u{1f64f}]',
    '[\\ud83d\\ude00]',
    '[\\ud83d\\ude00-\\ud83d\\ude4f]',
    '[^\\uD83D\\uDE00a]',
    '[^\\n]',
    '/',
    '"',
    "'",
    '`',
    '\\$\\{',
    '\u2028',
  ],
);
const quantified = fc
  .tuple(
    atom,
    fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '{0}', '*?', '+?', '{1,2}?'),
  )
  .map((pieces) => pieces.join(''));
const { pattern } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
  group: fc.oneof(
    { maxDepth: 3 },
    quantified,
    tie('pattern').map((inner) => `(${inner})*`),
    tie('pattern').map((inner) => `(?:${inner}){2,3}`),
    tie('pattern').map((inner) => `(?<name>${inner})`),
  ),
  pattern: fc
    .array(fc.oneof(quantified, tie('group'), fc.constant('|')), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.join('')),
}));
const text = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'b',
        'A',
        '1',
        ' ',
        '\u00a0',
        '\n',
        '\r',
        '\u2028',
        '\ufeff',
        '\u000b',
        '\u180e',
        '-',
        '[',
        ':',
      ],
      ...[']', '(', '?', '{', '/', '"', '😀', '💥', 'é', 'Ω', '\0', '_', '*', '$'],
    ),
    { maxLength: 6 },
  )
  .map((characters) => characters.join(''));

describe('a pattern', () => {
  it('means what it means in JavaScript, or is refused', () => {
    let used = 0;
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 8, maxLength: 8 }), (source, texts) => {
        if (refusalOf(source) !== undefined) return;
        used++;
        const [ours, native] = [new FormPattern(source), new RegExp(source, 'u')];
        expect(texts.filter((text) => ours.test(text))).toEqual(texts.filter((text) => native.test(text)));
      }),
      { numRuns: 500 },
    );
    expect(used).toBeGreaterThan(200);
  });

  it.each([
    '[\\ud83d\\ude00]',
    '[\\ud83d\\ude00-\\uD83D\\uDE4F]',
    '^[a\\ud83d\\ude00]$',
    '[^\\ud83d\\ude01]',
  ])('%s is of characters, however they are escaped', (source) => {
    expect(refusalOf(source)).toBeUndefined();
    expect(new FormPattern(source).test('😀')).toBe(true);
    expect(new FormPattern(source).test('')).toBe(false);
  });

  it('is at most as large as estimated', () => {
    fc.assert(
      fc.property(pattern, (source) => {
        if (refusalOf(source) !== undefined) return;
        expect(RE2JS.compile(`${new FormPattern(source)}`).programSize()).toBeLessThanOrEqual(
          sizeOfPattern(source),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is estimated close enough for patterns of every day', () => {
    const everyday = [
      '^[A-Z]{2}\\d{4}$',
      '^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$',
      '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)$',
      "^[\\p{L}\\p{M}' -]{1,64}$",
      '^\\+?[1-9]\\d{1,14}$',
    ];
    expect(everyday.map(refusalOf)).toEqual(everyday.map(() => undefined));
    expect(everyday.reduce((sum, pattern) => sum + sizeOfPattern(pattern), 0)).toBeLessThan(
      MAX_PATTERN_SIZE / 4,
    );
  });

  it.each([
    ['(a', 'expected a regular expression as JavaScript reads it with the flag u'],
    ['a{2,1}', 'expected a regular expression as JavaScript reads it with the flag u'],
    ['\\_', 'expected a regular expression as JavaScript reads it with the flag u'],
    ['(?P<n>a)', 'expected a regular expression as JavaScript reads it with the flag u'],
    ['a(?=b)', 'expected a pattern without look-around, back-references and flags'],
    ['a(?!b)', 'expected a pattern without look-around, back-references and flags'],
    ['(?<=a)b', 'expected a pattern without look-around, back-references and flags'],
    ['(?<!a)b', 'expected a pattern without look-around, back-references and flags'],
    ['(a)\\1', 'expected a pattern without look-around, back-references and flags'],
    ['(?<n>a)\\k<n>', 'expected a pattern without look-around, back-references and flags'],
    ['(?:[a-z]{50}){50}', 'expected a smaller pattern: counts such as {1,500} make it large'],
    ['a{1001}', 'expected a pattern that RE2 can read too'],
    ['[\\b]', 'expected a pattern that RE2 can read too'],
  ])('%s is refused', (source, refusal) => {
    expect(refusalOf(source)).toBe(refusal);
  });

  // With an engine that backtracks each of these runs for longer than anybody waits.
  it.each(['(a+)+$', '^(a|a)*$', '^(?:a*)*$', '(a|b|ab)*c', '^(?:(?:a?){20}){20}[^a]$', '(?:.*a){20}b'])(
    '%s is held against 100 KB of text in time proportional to it',
    (source) => {
      expect(refusalOf(source)).toBeUndefined();
      expect(new FormPattern(source).test(`${'a'.repeat(100_000)}!`)).toBe(false);
    },
  );
});
