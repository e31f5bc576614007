import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseMarkup, segments } from '../../src/citations/markup.js';

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('<citations>', '</citations>') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(',', 'r1', 'r2', ' ', '\n', 'zz', '<', '>', '</', 'citations', '💥'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
);
const markup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
const citations = fc.uniqueArray(
  fc.record({
    citationId: fc.string({ maxLength: 3 }),
    reference: fc.option(fc.constantFrom('r1', 'r2', '', 'zz', '💥')),
  }),
  { selector: ({ citationId }) => citationId, maxLength: 6 },
);

/** The text with every matched pair and all between cut out, then tags as long as there are any: as slow as it is plain. */
function displayed(text: string): string {
  const innermost = /<citations>(?:(?!<\/?citations>).)*<\/citations>/s;
  let rest = text;
  while (innermost.test(rest)) rest = rest.replace(innermost, '\u{F0000}');
  rest = rest.replaceAll('\u{F0000}', '');
  while (TAG.test(rest)) rest = rest.replace(TAG, '');
  return rest;
}

const TAG = /<\/?citations>/;

/** Markup within the parts of a tag, as deep as it comes: cutting it out brings them together. */
const torn = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.constantFrom('', 'a', 'r1', '>', '<', '<\u2060citations>'),
    fc
      .tuple(fc.constantFrom('<citations>', '</citations>'), fc.nat(11), tie('text'))
      .map(([tag, at, inner]) => `${tag.slice(0, at)}${inner}${tag.slice(at)}`),
    fc.tuple(tie('text'), tie('text')).map((texts) => texts.join('')),
  ),
})).text;

describe('any text', () => {
  it('is its segments joined, and never throws', () => {
    fc.assert(
      fc.property(markup, citations, (text, cited) => {
        const { displayText } = parseMarkup(text, cited);
        const joined = segments(text, cited).map((segment) => segment.text);
        expect(joined.join('')).toBe(displayText);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is displayed without its groups and without tags', () => {
    fc.assert(
      fc.property(markup, (text) => {
        expect(parseMarkup(text, []).displayText).toBe(displayed(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows no tag, also where cutting markup out brought its parts together', () => {
    fc.assert(
      fc.property(torn, (text) => {
        const { displayText, groups } = parseMarkup(text, []);
        expect(displayText).not.toMatch(TAG);
        expect(displayText).toBe(displayed(text));
        expect(segments(text, []).map((segment) => segment.text)).toHaveLength(
          groups.length + (displayText.length > (groups.at(-1)?.at ?? 0) ? 1 : 0),
        );
        expect(
          segments(text, [])
            .map((segment) => segment.text)
            .join(''),
        ).toBe(displayText);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is shown as it is where it has no tag', () => {
    const tagless = fc.oneof(markup, torn, fc.string({ unit: 'binary' })).filter((text) => !TAG.test(text));
    fc.assert(
      fc.property(tagless, (text) => {
        expect(parseMarkup(text, []).displayText).toBe(text);
      }),
    );
  });

  it('has each citation among the used or the unused, and places that only grow', () => {
    fc.assert(
      fc.property(markup, citations, (text, cited) => {
        const { groups, unusedCitationIds, displayText } = parseMarkup(text, cited);
        const used = groups.flatMap(({ tokens }) => tokens.flatMap((token) => token.citations));
        const ids = new Set([...used.map(({ citationId }) => citationId), ...unusedCitationIds]);
        expect(ids).toEqual(new Set(cited.map(({ citationId }) => citationId)));
        expect(used.some(({ citationId }) => unusedCitationIds.includes(citationId))).toBe(false);
        const places = [0, ...groups.map(({ at }) => at), displayText.length];
        expect(places).toEqual([...places].sort((a, b) => a - b));
      }),
    );
  });
});

describe('the work of reading', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Characters that the reader's string operations passed over: time without a clock. */
  function workOn(text: string): number {
    let work = 0;
    const count = <A extends unknown[], R>(
      method: (...args: A) => R,
      cost: (self: string, result: R) => number,
    ) =>
      function (this: string, ...args: A): R {
        const result = method.apply(this, args);
        work += 1 + cost(String(this), result);
        return result;
      };
    const { slice, split, trim, indexOf } = String.prototype;
    const { exec } = RegExp.prototype;
    vi.spyOn(String.prototype, 'slice').mockImplementation(count(slice, (_, part) => part.length));
    vi.spyOn(String.prototype, 'split').mockImplementation(
      count(split as () => string[], (self) => self.length),
    );
    vi.spyOn(String.prototype, 'trim').mockImplementation(count(trim, (self) => self.length));
    vi.spyOn(String.prototype, 'indexOf').mockImplementation(
      count(indexOf, (self, found) => (found < 0 ? self.length : found)),
    );
    vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, within: string) {
      const from = this.lastIndex;
      const found = exec.call(this, within);
      work += 1 + (found === null ? within.length : found.index + found[0].length) - from;
      return found;
    });
    parseMarkup(text, []);
    vi.restoreAllMocks();
    return work;
  }

  it.each([
    ['opening tags alone', '<citations>'],
    ['closing tags alone', '</citations>'],
    ['groups', 'A<citations>r1,r2</citations>'],
    ['tags that begin and do not end', '<citations'],
    ['commas in a group', ',r'],
    ['plain text', 'text '],
    ['unclosed tags before a pair', '<citations>a<citations>b</citations>'],
    ['parts of tags around groups', '<cita<citations>r</citations>tions>'],
  ])('grows with the text and no faster: %s', (_, part) => {
    const small = workOn(`<citations>${part.repeat(200)}</citations>`);
    const large = workOn(`<citations>${part.repeat(2_000)}</citations>`);
    expect(small).toBeGreaterThan(part.length * 200);
    expect(large).toBeLessThan(small * 10.5);
  });

  it('cuts tags within tags as deep as a text can have them', () => {
    const depth = 80_000;
    const text = `${'<citat'.repeat(depth)}<citations>r1</citations>${'ions>'.repeat(depth)}`;
    expect(parseMarkup(text, [])).toMatchObject({ displayText: '', groups: [{ at: 0 }] });
  });

  it('handles a nesting as deep as a text can be', () => {
    const depth = 80_000;
    const text = `${'<citations>'.repeat(depth)}r1${'</citations>'.repeat(depth)}`;
    expect(parseMarkup(text, [{ citationId: 'c1', reference: 'r1' }])).toMatchObject({
      displayText: '',
      groups: [{ at: 0, tokens: [{ token: 'r1' }] }],
      unusedCitationIds: [],
    });
  });
});
