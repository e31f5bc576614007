import fc from 'fast-check';
import { Lexer, Source, type Token, TokenKind } from 'graphql';
import { describe, expect, it } from 'vitest';
import { measureDocument } from '../../src/graphql/document-size.js';

const LIMIT = 10_000;

/** What graphql-js reads of it, comments too, as far as it is GraphQL. */
function readByLexer(text: string) {
  const lexer = new Lexer(new Source(text));
  const size = { tokens: 0, nesting: 0, name: 0, aliases: 0, directives: 0, variables: 0 };
  let [open, parentheses] = [0, 0];
  try {
    while (lexer.advance().kind !== TokenKind.EOF) {
      // Comments lie between the tokens that are given.
      for (let token = lexer.lastToken.next; token && token !== lexer.token; token = token.next)
        size.tokens += 1;
      size.tokens += 1;
      const { kind, start, end } = lexer.token;
      if (['{', '[', '('].includes(kind)) size.nesting = Math.max(size.nesting, ++open);
      if (['}', ']', ')'].includes(kind)) open -= 1;
      if (kind === '(') parentheses += 1;
      if (kind === ')') parentheses -= 1;
      if (kind === '@') size.directives += 1;
      if (kind === ':' && parentheses === 0) size.aliases += 1;
      if (kind === ':' && parentheses !== 0 && kindBefore(lexer.lastToken) === '$') size.variables += 1;
      if (kind === TokenKind.NAME) size.name = Math.max(size.name, end - start);
    }
    for (let token = lexer.lastToken.next; token && token !== lexer.token; token = token.next)
      size.tokens += 1;
    return size;
  } catch {
    return null;
  }
}

/** Of the token before this one, past comments. */
function kindBefore(token: Token): string | undefined {
  let before = token.prev;
  while (before?.kind === TokenKind.COMMENT) before = before.prev;
  return before?.kind;
}

const PIECES = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '"',
  '""',
  '"""',
  '\\',
  '\\"',
  '#',
  '\n',
  '\r',
  ' ',
  ',',
  '\uFEFF',
];
const MORE_PIECES = [
  '...',
  '$',
  ':',
  '@',
  '|',
  '&',
  '=',
  '!',
  'a',
  '_B1',
  '0',
  '-12',
  '1.5',
  '2e-3',
  'é',
  '😀',
];
const texts = fc
  .array(fc.constantFrom(...PIECES, ...MORE_PIECES), { maxLength: 30 })
  .map((all) => all.join(''));

describe('the size of a document', () => {
  it('is what the lexer reads, whatever stands in strings and comments', () => {
    let read = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const expected = readByLexer(text);
        if (expected === null) return;
        read += 1;
        expect(measureDocument(text, LIMIT)).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(200);
  });

  it('is right for strings that hold what would count outside', () => {
    const text = `{ a(b: "{{{ \\" # {", c: """ { \\""" " { """) # } "\n}`;
    expect(measureDocument(text, LIMIT)).toEqual(readByLexer(text));
    expect(measureDocument(text, LIMIT)).toMatchObject({ tokens: 12, nesting: 2, name: 1 });
  });

  it('tells aliases from arguments and variables', () => {
    const text =
      'query ($a: ID = "$b: c", $d: In = { e: 1 }) { f: g(h: $a, i: { j: $d }) @k(l: 1) { m: n @o } }';
    expect(measureDocument(text, LIMIT)).toMatchObject({ aliases: 2, variables: 2, directives: 2 });
  });
});
