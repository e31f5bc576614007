import type { DocumentLimits } from '../config.js';
import { DomainError } from '../errors.js';

/** Characters. A text of 500 KB written into a document stays legal; graphql-js reads 8 MB of escapes in one and a half seconds. */
const MAX_LENGTH = 1024 * 1024;

/** JSON's hundred levels and the selection around them; short of what makes a recursive parser fail. */
const MAX_NESTING = 128;

/** An answer repeats a name for each entry of a list. */
const MAX_NAME = 256;

/**
 * Refuses what would be dear to parse before anything is built from it: graphql-js keeps every token that it reads, does not count
 * comments, and recurses as deep as a document nests.
 * @throws QUERY_TOO_COMPLEX
 */
export function refuseLargeDocument(source: string, limits: DocumentLimits): void {
  if (source.length > MAX_LENGTH) throw tooMany(MAX_LENGTH, 'characters', source.length, INTO_VARIABLES);
  const size = measureDocument(source, limits.tokens);
  if (size.tokens > limits.tokens) throw tooMany(limits.tokens, 'tokens', 'more', INTO_VARIABLES);
  if (size.nesting > MAX_NESTING) throw tooMany(MAX_NESTING, 'braces inside each other', 'more');
  if (size.name > MAX_NAME) throw tooMany(MAX_NAME, 'characters in a name', size.name, 'Shorten it.');
  for (const what of ['aliases', 'directives', 'variables'] as const) {
    if (size[what] > limits[what]) throw tooMany(limits[what], what, size[what]);
  }
}

const INTO_VARIABLES = 'Put values into variables.';

/** A document has more of something than it may have. */
export const tooMany = (maximum: number, what: string, got: number | 'more', advice = 'Ask in steps.') =>
  new DomainError(
    'QUERY_TOO_COMPLEX',
    `Expected a document with at most ${maximum} ${what}, got ${got}. ${advice}`,
    { maximum },
  );

/** What a document is made of, as far as it was read. */
interface DocumentSize {
  /** A comment counts as one, and so does a string of any length. */
  readonly tokens: number;
  /** The most braces, brackets and parentheses that are open at a time. */
  readonly nesting: number;
  /** Characters of the longest name. */
  readonly name: number;
  readonly aliases: number;
  readonly directives: number;
  /** Those that operations declare. */
  readonly variables: number;
}

/** What GraphQL ignores, then each kind of token; of a string only its opening quote. */
const TOKEN =
  /[\t\n\r ,\uFEFF]+|#[^\n\r]*|[A-Za-z_][0-9A-Za-z_]*|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.\.\.|[!$&()[\]{}:=@|"]/y;

/** Counts what graphql-js's lexer would read. Ends early at what no lexer accepts, and at what is too much anyway. */
export function measureDocument(source: string, maxTokens: number): DocumentSize {
  const size = { tokens: 0, nesting: 0, name: 0, aliases: 0, directives: 0, variables: 0 };
  let [at, open, parentheses] = [0, 0, 0];
  let [last, lastButOne] = ['', ''];
  while (size.tokens <= maxTokens && size.nesting <= MAX_NESTING) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(source) ?? [];
    if (token === undefined) break;
    at = token === '"' ? endOfString(source, at) : TOKEN.lastIndex;
    const kind = token.charAt(0);
    if (IGNORED.has(kind)) continue;
    size.tokens += 1;
    if (kind === '#') continue;
    if ('{[('.includes(kind)) size.nesting = Math.max(size.nesting, ++open);
    else if ('}])'.includes(kind)) open -= 1;
    if (kind === '(') parentheses += 1;
    else if (kind === ')') parentheses -= 1;
    else if (kind === '@') size.directives += 1;
    else if (kind === ':') {
      // Arguments, fields of objects and variables lie within parentheses; aliases do not.
      if (parentheses === 0) size.aliases += 1;
      else if (lastButOne === '$') size.variables += 1;
    } else if (/[A-Za-z_]/.test(kind)) size.name = Math.max(size.name, token.length);
    [last, lastButOne] = [kind, last];
  }
  return size;
}

const IGNORED: ReadonlySet<string> = new Set(['\t', '\n', '\r', ' ', ',', '\uFEFF']);

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
