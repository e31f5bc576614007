import { describe, expect, it } from 'vitest';
import { formatGroup, parseMarkup, segments, stripMarkup } from '../../src/citations/markup.js';

const cite = (citationId: string, reference: string | null) => ({ citationId, reference });
const [c1, c2, c3] = [cite('c1', 'r1'), cite('c2', 'r2'), cite('c3', 'r3')];

/** Groups with ids in place of citations. */
const read = (text: string, citations = [c1, c2, c3]) => {
  const { groups, ...rest } = parseMarkup(text, citations);
  const named = groups.map(({ at, tokens }) => ({
    at,
    tokens: tokens.map(({ token, citations }) => [token, ...citations.map(({ citationId }) => citationId)]),
  }));
  return { ...rest, groups: named };
};

describe('the markup of a message', () => {
  it('is a pair of tags around tokens that commas divide', () => {
    expect(read('Tea wakes.<citations>r1,r2</citations> It does.')).toEqual({
      displayText: 'Tea wakes. It does.',
      groups: [
        {
          at: 10,
          tokens: [
            ['r1', 'c1'],
            ['r2', 'c2'],
          ],
        },
      ],
      warnings: [],
      unusedCitationIds: ['c3'],
    });
  });

  it('trims tokens of any white space and keeps the spaces within', () => {
    const citations = [cite('c1', 'Li et al. 2021'), cite('c2', 'r2')];
    const { groups } = read('<citations>\n\u00a0Li et al. 2021\t,\u3000r2 \r\n</citations>', citations);
    expect(groups[0]?.tokens).toEqual([
      ['Li et al. 2021', 'c1'],
      ['r2', 'c2'],
    ]);
  });

  it('compares tokens character for character', () => {
    const citations = [cite('c1', 'r1'), cite('c2', 'A & B'), cite('c3', ' r3 '), cite('c4', 'é')];
    const { groups, warnings, unusedCitationIds } = read(
      '<citations>R1,A &amp; B,r3,e\u0301</citations>',
      citations,
    );
    expect(groups[0]?.tokens).toEqual([['R1'], ['A &amp; B'], ['r3'], ['e\u0301']]);
    expect(warnings).toEqual(Array(4).fill('UNRESOLVED_TOKEN'));
    expect(unusedCitationIds).toEqual(['c1', 'c2', 'c3', 'c4']);
  });

  it('splits at U+002C alone, so a reference with a comma is never found', () => {
    const { groups } = read('<citations>r1；r2，r3、x,Li, W.</citations>', [cite('c1', 'Li, W.')]);
    expect(groups[0]?.tokens).toEqual([['r1；r2，r3、x'], ['Li'], ['W.']]);
  });

  it('gives every citation that shares a reference, in order, and none for an empty or absent one', () => {
    const citations = [cite('c1', 'r'), cite('c2', null), cite('c3', ''), cite('c4', 'r')];
    const { groups, unusedCitationIds } = read('<citations>,r,</citations>', citations);
    expect(groups[0]?.tokens).toEqual([['r', 'c1', 'c4']]);
    expect(unusedCitationIds).toEqual(['c2', 'c3']);
  });

  it('drops a repeated token within a group, not in the next one', () => {
    const { groups, warnings } = read('A<citations>r1,r1,zz,zz</citations>B<citations>r1</citations>');
    expect(groups.map(({ tokens }) => tokens)).toEqual([[['r1', 'c1'], ['zz']], [['r1', 'c1']]]);
    expect(warnings).toEqual(['DUPLICATE_TOKEN', 'UNRESOLVED_TOKEN', 'DUPLICATE_TOKEN']);
  });

  it('keeps an empty group in its place', () => {
    expect(read('A<citations> , \n</citations>B')).toMatchObject({
      displayText: 'AB',
      groups: [{ at: 1, tokens: [] }],
      warnings: ['EMPTY_GROUP'],
    });
  });

  it('reads inner tags as separators of one group', () => {
    const { displayText, groups, warnings } = read(
      'A<citations>r1<citations>r2<citations></citations></citations>r3</citations>B',
    );
    expect(displayText).toBe('AB');
    expect(groups).toEqual([
      {
        at: 1,
        tokens: [
          ['r1', 'c1'],
          ['r2', 'c2'],
          ['r3', 'c3'],
        ],
      },
    ]);
    expect(warnings).toEqual(['NESTED_TAG', 'NESTED_TAG']);
  });

  it('drops a tag that is never closed, keeps what follows as text and reads later groups', () => {
    expect(read('A<citations>r1 B<citations>r2</citations> C<citations>r3')).toMatchObject({
      displayText: 'Ar1 B Cr3',
      groups: [{ at: 5, tokens: [['r2', 'c2']] }],
      warnings: ['UNCLOSED_TAG', 'UNCLOSED_TAG'],
      unusedCitationIds: ['c1', 'c3'],
    });
  });

  it('drops a closing tag that closes nothing', () => {
    expect(read('A</citations>B<citations>r1</citations></citations>')).toMatchObject({
      displayText: 'AB',
      groups: [{ at: 2 }],
      warnings: ['STRAY_CLOSE_TAG', 'STRAY_CLOSE_TAG'],
    });
  });

  it.each([
    '<CITATIONS>r1</CITATIONS>',
    '<citations/>',
    '<citation>r1</citation>',
    '< citations>r1< /citations>',
    '&lt;citations&gt;r1&lt;/citations&gt;',
    '<citations id="1">',
    '<citations',
    '</citations\n>',
  ])('takes %j for text', (text) => {
    expect(read(text)).toMatchObject({ displayText: text, groups: [], warnings: [] });
  });

  it('is found in Markdown code and links, whose syntax it does not know', () => {
    expect(read('`<citations>r1</citations>` [a<citations>r2</citations>](u)')).toMatchObject({
      displayText: '`` [a](u)',
      groups: [{ at: 1 }, { at: 5 }],
    });
  });

  it('counts places in UTF-16 units', () => {
    expect(read('😀é<citations>r1</citations>').groups[0]?.at).toBe(3);
  });
});

describe('the segments of a message', () => {
  it('are the stretches up to each group, and the rest', () => {
    const text =
      'One.<citations>r1,zz</citations><citations>r2</citations> Two.<citations></citations> Three.';
    expect(segments(text, [c1, c2])).toEqual([
      { text: 'One.', citations: [c1], unresolved: ['zz'] },
      { text: '', citations: [c2], unresolved: [] },
      { text: ' Two.', citations: [], unresolved: [] },
      { text: ' Three.', citations: [], unresolved: [] },
    ]);
  });

  it('are none for no text, one for a group alone, one for text alone', () => {
    expect(segments('', [c1])).toEqual([]);
    expect(segments('<citations>r1</citations>', [c1])).toEqual([
      { text: '', citations: [c1], unresolved: [] },
    ]);
    expect(segments('plain', [c1])).toEqual([{ text: 'plain', citations: [], unresolved: [] }]);
  });
});

describe('writing markup', () => {
  it('gives what reading takes apart', () => {
    const text = `A.${formatGroup(['r1', 'r3'])}`;
    expect(segments(text, [c1, c2, c3])).toEqual([{ text: 'A.', citations: [c1, c3], unresolved: [] }]);
    expect(stripMarkup(text)).toBe('A.');
  });
});
