import { MAX_CITATIONS } from '../../citations/content.js';
import { holdThing } from '../held.js';
import { isObject, type JsonObject, stringAt } from '../json.js';
import type { PendingCitation } from '../message.js';
import type { IngestContext } from '../reducer.js';
import { type Cited, sourceOf } from '../sources.js';
import type { AnthropicStep, OpenMessage } from './state.js';

/** Adds a citation to the text block that is `part` of the message; it may come before the text that it supports. */
export function addCitation(step: AnthropicStep, message: OpenMessage, at: number, given: unknown): void {
  const citation = citationOf(step.context, given, message.messageId);
  if (citation === undefined) {
    step.ignored.push('unknown_citation');
    return;
  }
  if (message.citations >= MAX_CITATIONS) {
    step.ignored.push('surplus');
    return;
  }
  message.citations++;
  const { quote, source } = citation;
  holdThing(step, quote + (source.title ?? '') + (source.url ?? ''));
  message.parts[at]?.citations.push(citation);
}

/** A citation as the Messages API writes one; undefined for another kind. */
export function citationOf(
  context: IngestContext,
  citation: unknown,
  messageId: string,
): PendingCitation | undefined {
  const cited = isObject(citation) ? citedBy(citation, messageId) : undefined;
  if (!isObject(citation) || cited === undefined) return undefined;
  return { quote: stringAt(citation, 'cited_text') ?? '', source: sourceOf(context, cited) };
}

function citedBy(citation: JsonObject, messageId: string): Cited | undefined {
  switch (stringAt(citation, 'type')) {
    case 'char_location':
    case 'page_location':
    case 'content_block_location':
      return {
        title: stringAt(citation, 'document_title'),
        locator: undefined,
        // Untitled documents are told apart by their place among what this message was given.
        fallback: [stringAt(citation, 'file_id') ?? [messageId, citation.document_index]],
      };
    case 'web_search_result_location':
      return resultCited(citation, stringAt(citation, 'url'), messageId);
    case 'search_result_location':
      return resultCited(citation, stringAt(citation, 'source'), messageId);
    default:
      return undefined;
  }
}

const resultCited = (citation: JsonObject, locator: string | undefined, messageId: string): Cited => ({
  title: stringAt(citation, 'title'),
  locator,
  fallback: [messageId, citation.search_result_index],
});
