import { emit } from './ids.js';
import type { Published } from './message.js';
import type { PublicSearch } from './redaction.js';
import type { Step } from './reducer.js';

const MAX_SEARCHES = 5_000;

/** Adds searches in the order in which they ran, each corpus and query once. Returns those that were new. */
export function addSearches(searches: PublicSearch[], more: readonly PublicSearch[]): PublicSearch[] {
  const before = searches.length;
  for (const search of more) {
    const isKnown = searches.some((known) => isSame(known, search));
    if (!isKnown && searches.length < MAX_SEARCHES) searches.push(search);
  }
  return searches.slice(before);
}

/** Takes back searches that turned out to have failed. */
export const withdrawSearches = (
  searches: readonly PublicSearch[],
  gone: readonly PublicSearch[],
): PublicSearch[] => searches.filter((search) => !gone.some((failed) => isSame(failed, search)));

const isSame = (a: PublicSearch, b: PublicSearch): boolean => a.source === b.source && a.query === b.query;

/** Emits how an answer was made, if a search ran for it. No stream tells the years of what is cited. */
export function publishMethods<State>(
  step: Step<State>,
  { messageId, evidence }: Published,
  searches: readonly PublicSearch[],
): void {
  if (searches.length === 0) return;
  emit(
    step,
    {
      kind: 'methods',
      messageId,
      approach: approachOf(searches),
      sections: [],
      keyJudgments: [],
      searches: [...searches],
      ...(evidence !== null && { evidenceBase: evidence }),
      artifacts: [],
    },
    messageId,
  );
}

const CORPORA: ReadonlyMap<string, string> = new Map([
  ['web', 'the web'],
  ['files', 'the files at hand'],
  ['academic', 'academic papers'],
  ['pubmed', 'PubMed'],
  ['clinical_trials', 'clinical trial registries'],
  ['press_release', 'press releases'],
]);

function approachOf(searches: readonly PublicSearch[]): string {
  const corpora = [...new Set(searches.map(({ source }) => CORPORA.get(source) ?? source))];
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(corpora);
  return `Searched ${list} and answered from what was found.`;
}
