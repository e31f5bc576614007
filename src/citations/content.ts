import { z } from 'zod';
import { eachOnce, id, int32, optional, safeInt, text } from '../parse.js';

/** The most citations one message may carry. */
export const MAX_CITATIONS = 2_000;

const shortText = () => text(4_096);

/** A cited work as its writer describes it; `sourceRef` identifies it within the session. */
export const sourceContent = z.strictObject({
  sourceRef: id(),
  /** Some titles are whole abstracts. */
  title: optional(text(65_536)),
  authors: optional(z.array(shortText()).max(5_000)),
  year: optional(int32()),
  doi: optional(shortText()),
  url: optional(shortText()),
  venue: optional(shortText()),
  citationCount: optional(safeInt()),
  fullTextAvailable: optional(z.boolean()),
  studyTypeTags: optional(z.array(shortText()).max(100)),
  journalQuartile: optional(int32()),
  elicitId: optional(shortText()),
  abstract: optional(text(65_536)),
});
export type SourceContent = z.output<typeof sourceContent>;
/** As its writer sends it; null reads as absent. */
export type SourceInput = z.input<typeof sourceContent>;

export const citationContent = z.strictObject({
  citationId: id(),
  reference: optional(shortText()),
  quote: text(65_536),
  source: sourceContent,
});
export type CitationContent = z.output<typeof citationContent>;
export type CitationInput = z.input<typeof citationContent>;

/** The citations of one message: each citationId once, since it names the citation within its message. */
export const citationsContent = z
  .array(citationContent)
  .max(MAX_CITATIONS)
  .superRefine(eachOnce('citationId', 'a message, got it twice'));
