import { RE2JS } from 're2js';

/**
 * The most that the patterns of a form may take together, in steps of their automatons. Matching costs at most this for each character
 * of the text.
 */
export const MAX_PATTERN_SIZE = 2_000;

/**
 * A pattern as JSON Schema means it: ECMA-262 with the flag `u`, found anywhere in the text. RE2 matches it, so the time is bounded by
 * the text's length times the pattern's size, whatever the two are.
 */
export class FormPattern {
  readonly #translated: string;

  /** For a pattern that `refusalOf` has nothing against. */
  constructor(pattern: string) {
    this.#translated = translate(pattern).translated;
  }

  /** Compiled for each text: what RE2 learns of a pattern while it matches can take megabytes, and would stay. */
  test(text: string): boolean {
    return RE2JS.compile(this.#translated).test(text);
  }

  /** By which ajv tells the patterns of a form apart. */
  toString(): string {
    return this.#translated;
  }
}

/** An upper bound of a pattern's size, known without building its automaton. */
export const sizeOfPattern = (pattern: string): number => translate(pattern).size;

/** What was expected in place of this pattern; undefined if it can be used. */
export function refusalOf(pattern: string): string | undefined {
  // Whoever shows a form checks it with JavaScript's engine: nothing may mean something to RE2 alone.
  if (throws(() => new RegExp(pattern, 'u'))) {
    return 'expected a regular expression as JavaScript reads it with the flag u';
  }
  const { isRegular, translated, size } = translate(pattern);
  if (!isRegular) return 'expected a pattern without look-around, back-references and flags';
  if (size > MAX_PATTERN_SIZE) return 'expected a smaller pattern: counts such as {1,500} make it large';
  return throws(() => RE2JS.compile(translated)) ? 'expected a pattern that RE2 can read too' : undefined;
}

function throws(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

/** White space as JavaScript sees it, and the rest, as ranges within brackets: RE2's `\s` is ASCII's. */
const SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NO_SPACE =
  String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
  String.raw`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

/** What RE2 reads differently from JavaScript. RE2JS.translateRegExp knows the rest, such as `\cJ` and `\u{61}`. */
const IN_RE2: Readonly<Record<string, string>> = {
  '.': String.raw`[^\n\r\x{2028}\x{2029}]`,
  '\\s': `[${SPACE}]`,
  '\\S': `[${NO_SPACE}]`,
};
const IN_RE2_BRACKETS: Readonly<Record<string, string>> = {
  '\\s': SPACE,
  '\\S': NO_SPACE,
  // To RE2 it may begin one of POSIX's classes.
  '[': '\\[',
};

/** The tokens of a pattern; what is none of the named ones is a character, which stands for itself or is an assertion. */
const TOKENS = new RegExp(
  [
    String.raw`(?<brackets>\[(?:\\.|[^\\\]])*\])`,
    String.raw`(?<irregular>\(\?(?!:|<[^=!])|\\[1-9k])`,
    String.raw`(?<surrogates>\\u[Dd][89ABab]..\\u[Dd][C-Fc-f]..)`,
    String.raw`(?<escape>\\(?:[pPu]\{[^}]*\}|.))`,
    String.raw`(?<open>\((?:\?(?:<[^>]*>|:))?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<count>\{(?<least>\d+)(?<more>,)?(?<most>\d*)\})`,
    '(?<repeat>[*+?|])',
    '.',
  ].join('|'),
  'gsu',
);
type Token = Readonly<Record<string, string | undefined>>;

/** A pattern that JavaScript can read, in RE2's words and with its size; irregular is what no automaton can match. */
function translate(pattern: string) {
  const tokens = [...pattern.matchAll(TOKENS)].map(({ 0: text, groups = {} }) => ({ ...groups, text }));
  const translated = tokens.map((token) => translateToken(token, token.text)).join('');
  return {
    isRegular: tokens.every((token: Token) => token.irregular === undefined),
    translated: RE2JS.translateRegExp(translated),
    size: measure(tokens),
  };
}

function translateToken({ brackets, surrogates, open }: Token, text: string): string {
  if (brackets !== undefined) {
    return `[${text.slice(1, -1).replace(/\\?./gsu, (inner) => IN_RE2_BRACKETS[inner] ?? inner)}]`;
  }
  if (surrogates !== undefined) {
    const [high, low] = [text.slice(2, 6), text.slice(8)].map((unit) => Number.parseInt(unit, 16));
    return String.raw`\u{${String.fromCharCode(high ?? 0, low ?? 0)
      .codePointAt(0)
      ?.toString(16)}}`;
  }
  // Nothing refers to a group, so none needs a name or a number.
  return open === undefined ? (IN_RE2[text] ?? text) : '(?:';
}

/** A repeated piece counts as often as it may be there; a group, an alternative and a repetition take steps of their own. */
function measure(tokens: readonly Token[]): number {
  /** Sizes of the open groups, the innermost last. */
  const sizes = [3];
  /** Of what a repetition would repeat. */
  let last = 0;
  const add = (size: number) => sizes.push((sizes.pop() ?? 0) + size);
  for (const { open, close, count, least, more, most, repeat } of tokens) {
    if (open !== undefined) sizes.push(1);
    else if (repeat !== undefined) add(2);
    else if (count !== undefined) {
      const needed = Math.max(Number(least), 1);
      const optional = more === undefined ? 0 : Math.max(Number(most) - needed, 1);
      add(last * (needed - 1) + (last + 1) * optional);
    } else {
      last = close === undefined ? 1 : (sizes.pop() ?? 0);
      add(last);
    }
  }
  return sizes.reduce((sum, size) => sum + size, 0);
}
