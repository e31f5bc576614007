import { MAX_CITATIONS } from '../../citations/content.js';
import { holdThing } from '../held.js';
import { isObject, type JsonObject, stringAt } from '../json.js';
import { type Cited, sourceOf } from '../sources.js';
import type { AnthropicStep, OpenMessage } from './state.js';

/** Adds a citation to the text block that is `part` of the message; it may come before the text that it supports. */
export function addCitation(step: AnthropicStep, message: OpenMessage, at: number, citation: unknown): void {
  const cited = isObject(citation) ? citedBy(citation, message) : undefined;
  if (!isObject(citation) || cited === undefined) {
    step.ignored.push('unknown_citation');
    return;
  }
  if (message.citations >= MAX_CITATIONS) {
    step.ignored.push('surplus');
    return;
  }
  message.citations++;
  const quote = stringAt(citation, 'cited_text') ?? '';
  holdThing(step, quote + (cited.title ?? '') + (cited.locator ?? ''));
  message.parts[at]?.citations.push({ quote, source: sourceOf(step.context, cited) });
}

function citedBy(citation: JsonObject, message: OpenMessage): Cited | undefined {
  switch (stringAt(citation, 'type')) {
    case 'char_location':
    case 'page_location':
    case 'content_block_location':
      return {
        title: stringAt(citation, 'document_title'),
        locator: undefined,
        // Untitled documents are told apart by their place among what this message was given.
        fallback: [stringAt(citation, 'file_id') ?? [message.messageId, citation.document_index]],
      };
    case 'web_search_result_location':
      return resultCited(citation, stringAt(citation, 'url'), message);
    case 'search_result_location':
      return resultCited(citation, stringAt(citation, 'source'), message);
    default:
      return undefined;
  }
}

const resultCited = (citation: JsonObject, locator: string | undefined, message: OpenMessage): Cited => ({
  title: stringAt(citation, 'title'),
  locator,
  fallback: [message.messageId, citation.search_result_index],
});
