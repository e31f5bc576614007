import type { SourceContent, SourceInput } from './content.js';

/**
 * The distinct sources among mentions, in the order of first mention, each field with the last value that any mention gave it
 * (absent gives none, an empty list is one). The rule by which a session's sources are merged, within one call.
 */
export function distinctSources(mentions: readonly SourceInput[]): readonly SourceContent[] {
  const byRef = new Map<string, SourceContent>();
  for (const mention of mentions) {
    const given = Object.entries(mention).filter(([, value]) => value !== undefined && value !== null);
    byRef.set(mention.sourceRef, { ...byRef.get(mention.sourceRef), ...mentioned(given, mention) });
  }
  return [...byRef.values()];
}

/** The entries came out of `mention`, so they are its fields, less those without a value. */
const mentioned = (given: readonly [string, unknown][], mention: SourceInput): SourceContent => ({
  ...(Object.fromEntries(given) as Partial<SourceContent>),
  sourceRef: mention.sourceRef,
});

/** How broad the evidence behind an answer is: distinct sources, however often each is cited, and their years. */
export interface EvidenceBase {
  readonly sourceCount: number;
  readonly earliestYear?: number;
  readonly latestYear?: number;
}

/** Null when nothing is cited. */
export function evidenceBase(citations: readonly { readonly source: SourceInput }[]): EvidenceBase | null {
  const sources = distinctSources(citations.map(({ source }) => source));
  if (sources.length === 0) return null;
  const years = sources.flatMap(({ year }) => year ?? []).sort((a, b) => a - b);
  const [earliestYear, latestYear] = [years.at(0), years.at(-1)];
  return {
    sourceCount: sources.length,
    ...(earliestYear === undefined ? {} : { earliestYear }),
    ...(latestYear === undefined ? {} : { latestYear }),
  };
}
