import { DomainError } from '../errors.js';

/** Characters. A text of 500 KB written into a document stays legal; graphql-js reads 8 MB of escapes in one and a half seconds. */
const MAX_LENGTH = 1024 * 1024;

/** Far beyond what tools write (GraphiQL asks for the whole schema with 300), and parsed in a few milliseconds. */
const MAX_TOKENS = 10_000;

/** JSON's hundred levels and the selection around them; short of what makes a recursive parser fail. */
const MAX_NESTING = 128;

/** An answer repeats a name for each entry of a list. */
const MAX_NAME = 256;

/**
 * Refuses what would be dear to parse before anything is built from it: graphql-js keeps every token that it reads, does not count
 * comments, and recurses as deep as a document nests.
 * @throws QUERY_TOO_COMPLEX
 */
export function refuseLargeDocument(source: string): void {
  if (source.length > MAX_LENGTH) {
    throw tooLarge(
      `at most ${MAX_LENGTH} characters, got ${source.length}. Put values into variables`,
      MAX_LENGTH,
    );
  }
  const { tokens, nesting, name } = measureDocument(source);
  if (tokens > MAX_TOKENS) {
    throw tooLarge(`at most ${MAX_TOKENS} tokens, got more. Put values into variables`, MAX_TOKENS);
  }
  if (nesting > MAX_NESTING) {
    throw tooLarge(`at most ${MAX_NESTING} braces inside each other, got more. Ask in steps`, MAX_NESTING);
  }
  if (name > MAX_NAME) {
    throw tooLarge(`names of at most ${MAX_NAME} characters, got one of ${name}. Shorten it`, MAX_NAME);
  }
}

const tooLarge = (expected: string, maximum: number) =>
  new DomainError('QUERY_TOO_COMPLEX', `Expected a document with ${expected}.`, { maximum });

/** What a document is made of, as far as it was read. */
interface DocumentSize {
  /** A comment counts as one, and so does a string of any length. */
  readonly tokens: number;
  /** The most braces, brackets and parentheses that are open at a time. */
  readonly nesting: number;
  /** Characters of the longest name. */
  readonly name: number;
}

/** What GraphQL ignores, then each kind of token; of a string only its opening quote. */
const TOKEN =
  /[\t\n\r ,\uFEFF]+|#[^\n\r]*|[A-Za-z_][0-9A-Za-z_]*|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.\.\.|[!$&()[\]{}:=@|"]/y;

/** Counts what graphql-js's lexer would read. Ends early at what no lexer accepts, and at what is too much anyway. */
export function measureDocument(source: string): DocumentSize {
  let [at, tokens, open, nesting, name] = [0, 0, 0, 0, 0];
  while (tokens <= MAX_TOKENS && nesting <= MAX_NESTING) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(source) ?? [];
    if (token === undefined) break;
    at = token === '"' ? endOfString(source, at) : TOKEN.lastIndex;
    if (/^[\t\n\r ,\uFEFF]/.test(token)) continue;
    tokens += 1;
    if ('{[('.includes(token)) nesting = Math.max(nesting, ++open);
    else if ('}])'.includes(token)) open -= 1;
    else if (/^[A-Za-z_]/.test(token)) name = Math.max(name, token.length);
  }
  return { tokens, nesting, name };
}

/** After the string that begins at `start`; the end of the source for one that does not end. */
function endOfString(source: string, start: number): number {
  const quote = source.startsWith('"""', start) ? '"""' : '"';
  let end = start + quote.length;
  for (;;) {
    end = source.indexOf(quote, end);
    if (end < 0) return source.length;
    if (!isEscaped(source, end, quote)) return end + quote.length;
    end += quote.length;
  }
}

/** A block string knows one escape, that of its own end; in any other string a backslash may itself be escaped. */
function isEscaped(source: string, quoteAt: number, quote: string): boolean {
  let backslashes = 0;
  while (source[quoteAt - 1 - backslashes] === '\\') backslashes += 1;
  return quote === '"' ? backslashes % 2 === 1 : backslashes > 0;
}
