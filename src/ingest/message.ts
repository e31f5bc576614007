import { type CitationInput, MAX_CITATIONS, type SourceInput } from '../citations/content.js';
import { type EvidenceBase, evidenceBase } from '../citations/evidence.js';
import { formatGroup, withoutMarkup } from '../citations/markup.js';
import type { MESSAGE_COMPLETIONS } from '../events/content.js';
import { MAX_TEXT } from '../parse.js';
import { emit, resourceId } from './ids.js';
import { cutText, publicText } from './public-text.js';
import type { IngestContext, Step } from './reducer.js';

/** A citation before it has its id and token. */
export interface PendingCitation {
  readonly quote: string;
  readonly source: SourceInput;
}

/** A stretch of a message's text and what supports it. */
export interface Part {
  text: string;
  readonly citations: PendingCitation[];
  /** Whether something other than text lay before it: then it begins a paragraph. */
  readonly isApart: boolean;
}

export type Completion = (typeof MESSAGE_COMPLETIONS)[number];

export interface Answer {
  readonly text: string;
  readonly citations: readonly CitationInput[];
  /** Whether it had to be cut to fit an event. */
  readonly isCut: boolean;
}

/** What the rest of a run needs to know of a message that was published. */
export interface Published {
  readonly messageId: string;
  /** Null when it cites nothing. */
  readonly evidence: EvidenceBase | null;
}

const MAX_QUOTE = 65_536;

/** Emits the one agent_message of a message. No text, no message. `unplaced`: what it cites in no place of its text. */
export function publishAnswer<State>(
  step: Step<State>,
  messageId: string,
  parts: readonly Part[],
  completion: Completion,
  unplaced: readonly PendingCitation[] = [],
): Published | undefined {
  const { text, citations: placed, isCut } = assemble(step.context, messageId, parts);
  const citations = [...placed, ...withoutPlace(step.context, messageId, unplaced)].slice(0, MAX_CITATIONS);
  if (text.trim() === '') return undefined;
  const shown = isCut && completion === 'COMPLETE' ? 'TRUNCATED' : completion;
  emit(
    step,
    {
      kind: 'agent_message',
      messageId,
      text,
      citations,
      suggestedFollowUps: [],
      completion: shown,
    },
    messageId,
  );
  return { messageId, evidence: evidenceBase(citations) };
}

/** Each work once, without a token. */
function withoutPlace(
  context: IngestContext,
  messageId: string,
  unplaced: readonly PendingCitation[],
): CitationInput[] {
  const byWork = new Map(unplaced.map((citation) => [citation.source.sourceRef, citation]));
  return [...byWork.values()].map(({ quote, source }) => {
    const citationId = resourceId(context, 'cit', messageId, 'unplaced', source.sourceRef);
    return { citationId, quote: publicText(quote, MAX_QUOTE), source };
  });
}

/** One public text from a message's parts: each cited stretch is followed by its group of tokens r1, r2, … */
function assemble(context: IngestContext, messageId: string, parts: readonly Part[]): Answer {
  const citations: CitationInput[] = [];
  let text = '';
  for (const stretch of stretchesOf(parts)) {
    const cited = stretch.citations
      .slice(0, MAX_CITATIONS - citations.length)
      .map(({ quote, source }, at) => {
        const reference = `r${citations.length + at + 1}`;
        const citationId = resourceId(context, 'cit', messageId, reference);
        return { citationId, reference, quote: publicText(quote, MAX_QUOTE), source };
      });
    const words = text + withoutMarkup(publicText(stretch.text));
    const group = cited.length === 0 ? '' : formatGroup(cited.map(({ reference }) => reference));
    if (words.length + group.length > MAX_TEXT) {
      return { text: cutText(words, MAX_TEXT), citations, isCut: true };
    }
    text = words + group;
    citations.push(...cited);
  }
  return { text, citations, isCut: false };
}

/**
 * The parts joined up to each one that is cited: a tag or a surrogate pair may lie across two parts, so text is cleaned a
 * stretch at a time.
 */
function stretchesOf(parts: readonly Part[]): Pick<Part, 'text' | 'citations'>[] {
  const stretches: { text: string; citations: PendingCitation[] }[] = [];
  let open = { text: '', citations: [] as PendingCitation[] };
  let last = '';
  let isApart = false;
  for (const part of parts) {
    isApart ||= part.isApart;
    if (part.text !== '') {
      const isRunOn = isApart && /\S$/.test(last) && /^\S/.test(part.text);
      open.text += isRunOn ? `\n\n${part.text}` : part.text;
      last = part.text.slice(-1);
      isApart = false;
    }
    if (part.citations.length === 0) continue;
    stretches.push({ text: open.text, citations: part.citations });
    open = { text: '', citations: [] };
  }
  return [...stretches, open];
}
