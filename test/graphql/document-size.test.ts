import fc from 'fast-check';
import { Lexer, Source, TokenKind } from 'graphql';
import { describe, expect, it } from 'vitest';
import { measureDocument } from '../../src/graphql/document-size.js';

/** What graphql-js reads of it, comments too, as far as it is GraphQL. */
function readByLexer(text: string) {
  const lexer = new Lexer(new Source(text));
  let [tokens, open, nesting, name] = [0, 0, 0, 0];
  try {
    while (lexer.advance().kind !== TokenKind.EOF) {
      // Comments lie between the tokens that are given.
      for (let token = lexer.lastToken.next; token && token !== lexer.token; token = token.next) tokens += 1;
      tokens += 1;
      const { kind, start, end } = lexer.token;
      if (['{', '[', '('].includes(kind)) nesting = Math.max(nesting, ++open);
      if (['}', ']', ')'].includes(kind)) open -= 1;
      if (kind === TokenKind.NAME) name = Math.max(name, end - start);
    }
    for (let token = lexer.lastToken.next; token && token !== lexer.token; token = token.next) tokens += 1;
    return { tokens, nesting, name };
  } catch {
    return null;
  }
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
        expect(measureDocument(text)).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(200);
  });

  it('is right for strings that hold what would count outside', () => {
    const text = `{ a(b: "{{{ \\" # {", c: """ { \\""" " { """) # } "\n}`;
    expect(measureDocument(text)).toEqual(readByLexer(text));
    expect(measureDocument(text)).toEqual({ tokens: 12, nesting: 2, name: 1 });
  });
});
