import { RE2JS } from 're2js';

/**
 * The most that the patterns of a form may take together, in steps of their automatons. Matching costs at most this for each character
 * of the text.
 */
export const MAX_PATTERN_SIZE = 2_000;

/** The most steps that matching may take for all patterns of a form together: some ten milliseconds. */
export const MAX_PATTERN_STEPS = 250_000;

/**
 * The most `\p{…}`, `\P{…}` and `\S` in all patterns of a form together: each stands for hundreds of ranges, and takes up to 0.2 ms
 * whenever an answer is checked.
 */
export const MAX_LARGE_CLASSES = 200;

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

/** An upper bound of the steps that matching takes, for a text of at most `longest` characters. */
export function stepsOfPattern(pattern: string, longest: number): number {
  const { size, isBounded } = translate(pattern);
  // It is found at the text's start, if at all, and takes a step for each character there.
  return size * Math.min(longest, isBounded ? size : Infinity);
}

/** How many `\p{…}`, `\P{…}` and `\S` are in a pattern, whether JavaScript can read it or not. */
export function largeClassesIn(pattern: string): number {
  return [...pattern.matchAll(/\\(?:(?<large>[pPS])|.)/gsu)].filter(
    ({ groups }) => groups?.large !== undefined,
  ).length;
}

/** What was expected in place of this pattern; undefined if it can be used. */
export function refusalOf(pattern: string): string | undefined {
  // Whoever shows a form checks it with JavaScript's engine: nothing may mean something to RE2 alone.
  if (throws(() => new RegExp(pattern, 'u'))) {
    return 'expected a regular expression as JavaScript reads it with the flag u';
  }
  const { isRegular, isImpossible, translated, size } = translate(pattern);
  if (!isRegular) return 'expected a pattern without look-around, back-references and flags';
  if (isImpossible) return 'expected a pattern that some text matches';
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

/** A character beyond U+FFFF as the escapes of its two halves. */
const SURROGATES = String.raw`\\u[Dd][89ABab]..\\u[Dd][C-Fc-f]..`;

/** The tokens of a pattern; what is none of the named ones is a character, which stands for itself or is an assertion. */
const TOKENS = new RegExp(
  [
    String.raw`(?<brackets>\[(?:\\.|[^\\\]])*\])`,
    String.raw`(?<irregular>\(\?(?!:|<[^=!])|\\[1-9k])`,
    `(?<surrogates>${SURROGATES})`,
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
    isBounded: tokens[0]?.text === '^' && !tokens.some(isOpenEnded),
    isImpossible: isDeadEnd(tokens),
  };
}

/** With an alternative, what begins with `^` may still be found anywhere. */
const isOpenEnded = ({ repeat, more, most }: Token): boolean =>
  repeat === '*' || repeat === '+' || repeat === '|' || (more !== undefined && most === '');

/** Whether there is a `[]`, which no character is in, that no text gets around. What groups and alternatives do is not looked into. */
function isDeadEnd(tokens: readonly Token[]): boolean {
  if (tokens.some(({ open, repeat }) => open !== undefined || repeat === '|')) return false;
  return tokens.some(({ brackets }, index) => {
    const { repeat, least } = tokens[index + 1] ?? {};
    return brackets === '[]' && repeat !== '*' && repeat !== '?' && Number(least ?? 1) > 0;
  });
}

function translateToken({ brackets, surrogates, open }: Token, text: string): string {
  if (brackets !== undefined) {
    return `[${text.slice(1, -1).replace(IN_BRACKETS, (inner) => IN_RE2_BRACKETS[inner] ?? joined(inner))}]`;
  }
  if (surrogates !== undefined) return joined(text);
  // Nothing refers to a group, so none needs a name or a number.
  return open === undefined ? (IN_RE2[text] ?? text) : '(?:';
}

/** What may stand within brackets. */
const IN_BRACKETS = new RegExp(String.raw`${SURROGATES}|\\?.`, 'gsu');

/** Two escapes that are one character to JavaScript, as one; everything else as it is. */
const joined = (text: string): string =>
  text.replace(new RegExp(`^${SURROGATES}$`), (pair) => {
    const units = [pair.slice(2, 6), pair.slice(8)].map((unit) => Number.parseInt(unit, 16));
    return String.raw`\u{${String.fromCharCode(...units)
      .codePointAt(0)
      ?.toString(16)}}`;
  });

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
