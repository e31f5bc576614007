/** What a token may name: a citation whose `reference` equals it character for character. */
export interface Reference {
  readonly citationId: string;
  readonly reference?: string | null | undefined;
}

/** What is odd in a text's markup, once for each place, in the order of the text; nothing of it makes a text unreadable. */
export type MarkupWarning =
  | 'EMPTY_GROUP'
  | 'DUPLICATE_TOKEN'
  | 'UNRESOLVED_TOKEN'
  | 'NESTED_TAG'
  | 'UNCLOSED_TAG'
  | 'STRAY_CLOSE_TAG';

/** One token of a group and every citation that it names, in the message's order; none: unresolved. */
export interface Token<C> {
  readonly token: string;
  readonly citations: readonly C[];
}

/** One `<citations>…</citations>`; `at` is its place in the displayed text, in UTF-16 units. */
export interface Group<C> {
  readonly at: number;
  readonly tokens: readonly Token<C>[];
}

/** All that a text's markup says. The schema shows the text and its groups; the rest is for whoever checks what a writer sends. */
export interface Markup<C> {
  /** The text without its markup. */
  readonly displayText: string;
  readonly groups: readonly Group<C>[];
  readonly warnings: readonly MarkupWarning[];
  /** Citations that no token names, in the message's order. */
  readonly unusedCitationIds: readonly string[];
}

/** A stretch of the displayed text up to a group, and what that group cites. */
export interface Segment<C> {
  readonly text: string;
  readonly citations: readonly C[];
  /** Tokens that name no citation. */
  readonly unresolved: readonly string[];
}

/** Text that says nothing in markup: U+2060 behind the `<` of a tag, so that who writes about tags is not taken to write them. */
export const withoutMarkup = (text: string): string => text.replace(/<(?=\/?citations>)/g, '<\u2060');

/** A group as it is written; the reverse of what `parseMarkup` reads. Tokens hold no comma, no tag and no white space at their ends. */
export const formatGroup = (tokens: readonly string[]): string =>
  `<citations>${tokens.join(',')}</citations>`;

/** The text as it is displayed, without its markup. */
export const stripMarkup = (text: string): string => parseMarkup(text, []).displayText;

/**
 * Reads the citation markup of a text, in time linear in the text and its citations; never throws.
 *
 *     group  = "<citations>" body "</citations>"
 *     body   = what stands between, split at commas and at inner tags; each part trimmed, empty and repeated ones dropped
 *
 * The two tags are these characters exactly: no attribute, no upper case, no entity, no Markdown. A tag without its partner is
 * dropped and the text behind it stays text, so that a message cut off inside a group shows what it has. Where dropping markup brings
 * the parts of a tag together, that tag is dropped too: what is displayed never has one.
 */
export function parseMarkup<C extends Reference>(text: string, citations: readonly C[]): Markup<C> {
  const reader = new MarkupReader(text, citations);
  for (const tag of pairTags(text)) reader.take(tag);
  return reader.finish();
}

/** The displayed text in order, cut behind each group; the texts joined are the displayed text. */
export function segments<C extends Reference>(text: string, citations: readonly C[]): readonly Segment<C>[] {
  const { displayText, groups } = parseMarkup(text, citations);
  let start = 0;
  const cited = groups.map(({ at, tokens }): Segment<C> => {
    const stretch = displayText.slice(start, at);
    start = at;
    return {
      text: stretch,
      citations: tokens.flatMap((token) => token.citations),
      unresolved: tokens.filter((token) => token.citations.length === 0).map(({ token }) => token),
    };
  });
  const rest = displayText.slice(start);
  return rest === '' ? cited : [...cited, { text: rest, citations: [], unresolved: [] }];
}

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly opens: boolean;
  /** Whether its partner is there. */
  paired: boolean;
}

/** Pairs tags as brackets: a tag that was never closed takes no later group with it. */
function pairTags(text: string): readonly Tag[] {
  const tags: Tag[] = [];
  const open: Tag[] = [];
  for (const { 0: found, index } of text.matchAll(/<\/?citations>/g)) {
    const tag: Tag = { start: index, end: index + found.length, opens: found[1] !== '/', paired: false };
    tags.push(tag);
    if (tag.opens) {
      open.push(tag);
      continue;
    }
    const partner = open.pop();
    if (partner !== undefined) partner.paired = tag.paired = true;
  }
  return tags;
}

/** Takes a text's tags in order. Unpaired tags lie outside all pairs, so they only matter at depth 0. */
class MarkupReader<C extends Reference> {
  readonly #text: string;
  readonly #citations: readonly C[];
  readonly #byReference: ReadonlyMap<string, readonly C[]>;
  readonly #used = new Set<C>();
  readonly #shown: string[] = [];
  readonly #groups: Group<C>[] = [];
  readonly #warnings: MarkupWarning[] = [];
  /** The tokens of the group that is open. */
  #tokens = new Map<string, Token<C>>();
  #depth = 0;
  #position = 0;
  #shownLength = 0;

  constructor(text: string, citations: readonly C[]) {
    this.#text = text;
    this.#citations = citations;
    this.#byReference = byReference(citations);
  }

  take(tag: Tag): void {
    const stretch = this.#text.slice(this.#position, tag.start);
    this.#position = tag.end;
    if (this.#depth === 0) this.#show(stretch);
    else this.#readTokens(stretch);
    if (!tag.paired) this.#warnings.push(tag.opens ? 'UNCLOSED_TAG' : 'STRAY_CLOSE_TAG');
    else if (tag.opens) this.#open();
    else this.#close();
  }

  finish(): Markup<C> {
    this.#show(this.#text.slice(this.#position));
    return {
      ...withoutJoined(this.#shown.join(''), this.#groups),
      warnings: this.#warnings,
      unusedCitationIds: this.#citations
        .filter((citation) => !this.#used.has(citation))
        .map(({ citationId }) => citationId),
    };
  }

  #show(stretch: string): void {
    this.#shown.push(stretch);
    this.#shownLength += stretch.length;
  }

  #open(): void {
    if (this.#depth > 0) this.#warnings.push('NESTED_TAG');
    this.#depth += 1;
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#depth > 0) return;
    if (this.#tokens.size === 0) this.#warnings.push('EMPTY_GROUP');
    this.#groups.push({ at: this.#shownLength, tokens: [...this.#tokens.values()] });
    this.#tokens = new Map();
  }

  #readTokens(stretch: string): void {
    for (const part of stretch.split(',')) {
      const token = part.trim();
      if (token === '') continue;
      if (this.#tokens.has(token)) {
        this.#warnings.push('DUPLICATE_TOKEN');
        continue;
      }
      const citations = this.#byReference.get(token) ?? [];
      if (citations.length === 0) this.#warnings.push('UNRESOLVED_TOKEN');
      for (const citation of citations) this.#used.add(citation);
      this.#tokens.set(token, { token, citations });
    }
  }
}

/** Text and groups without the tags that only came about as markup between their parts was cut out. */
function withoutJoined<C>(
  text: string,
  groups: readonly Group<C>[],
): { readonly displayText: string; readonly groups: readonly Group<C>[] } {
  if (!/<\/?citations>/.test(text)) return { displayText: text, groups };
  const cut = new JoinedTags();
  const places = groups.map(({ at }) => at);
  let start = 0;
  for (const at of [...places, text.length]) {
    cut.take(text.slice(start, at));
    start = at;
  }
  const left = cut.places();
  return {
    displayText: cut.text(),
    groups: groups.map((group, index) => ({ ...group, at: left[index] ?? 0 })),
  };
}

const TAGS = ['<citations>', '</citations>'];
const LONGEST = '</citations>'.length;

/**
 * Cuts tags out of stretches of text until none is left, each character taken once. `<` only begins a tag and `>` only ends one, so a tag
 * is done for at its `>`, and in which order they are cut makes no difference.
 */
class JoinedTags {
  /** UTF-16 units that are kept. */
  readonly #kept: string[] = [];
  /** How many were kept at the end of each stretch. */
  readonly #ends: number[] = [];

  take(stretch: string): void {
    for (let index = 0; index < stretch.length; index += 1) {
      const unit = stretch.charAt(index);
      this.#kept.push(unit);
      if (unit !== '>') continue;
      const end = this.#kept.slice(-LONGEST).join('');
      const tag = TAGS.find((whole) => end.endsWith(whole));
      if (tag !== undefined) this.#kept.length -= tag.length;
    }
    this.#ends.push(this.#kept.length);
  }

  text(): string {
    return this.#kept.join('');
  }

  /** Where each stretch ends in the text: no later than any that follows, whatever was cut across them. */
  places(): readonly number[] {
    let last = Number.POSITIVE_INFINITY;
    return this.#ends
      .toReversed()
      .map((end) => {
        last = Math.min(last, end);
        return last;
      })
      .toReversed();
  }
}

function byReference<C extends Reference>(citations: readonly C[]): ReadonlyMap<string, readonly C[]> {
  const found = new Map<string, C[]>();
  for (const citation of citations) {
    const { reference } = citation;
    if (reference === null || reference === undefined) continue;
    const same = found.get(reference);
    if (same === undefined) found.set(reference, [citation]);
    else same.push(citation);
  }
  return found;
}
