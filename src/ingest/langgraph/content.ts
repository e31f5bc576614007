import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.js';
import type { Completion, Part, PendingCitation } from '../message.js';
import type { IngestContext } from '../reducer.js';
import { sourceOf } from '../sources.js';
import type { MessageCall, TextBlock } from './state.js';

/** Who speaks, by the names that messages have in state, in chunks and in other frameworks' shape. */
export const typeOf = (message: JsonObject): string =>
  TYPES.get(stringAt(message, 'type') ?? stringAt(message, 'role') ?? '') ?? '';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['human', 'human'],
  ['HumanMessage', 'human'],
  ['HumanMessageChunk', 'human'],
  ['user', 'human'],
  ['ai', 'ai'],
  ['AIMessage', 'ai'],
  ['AIMessageChunk', 'ai'],
  ['assistant', 'ai'],
  ['tool', 'tool'],
  ['ToolMessage', 'tool'],
  ['ToolMessageChunk', 'tool'],
]);

/** The content of a message: a text, or a list of blocks. */
export const blocksOf = ({ content }: JsonObject): JsonObject[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : (Array.isArray(content) ? content : []).map((block) =>
        isObject(block) ? block : { type: 'text', text: typeof block === 'string' ? block : '' },
      );

/** The texts of a whole message. */
export const textBlocksOf = (context: IngestContext, messageId: string, message: JsonObject): TextBlock[] =>
  blocksOf(message)
    .filter(({ type }) => type === 'text')
    .map((block, index) => textBlock(context, messageId, index, block));

export const thinksIn = (message: JsonObject): boolean =>
  blocksOf(message).some(({ type }) => type === 'reasoning' || type === 'thinking');

export function textBlock(
  context: IngestContext,
  messageId: string,
  index: number,
  block: JsonObject,
): TextBlock {
  const text = stringAt(block, 'text') ?? '';
  const length = [...text].length;
  const citations = [...listAt(block, 'annotations'), ...listAt(block, 'citations')]
    .filter(isObject)
    .filter(({ url, title, cited_text }) => (url ?? title ?? cited_text) !== undefined)
    .map((given) => ({
      at: Math.min(length, typeof given.end_index === 'number' ? Math.max(0, given.end_index) : length),
      citation: citationOf(context, messageId, given),
    }));
  return { index, text, citations };
}

function citationOf(context: IngestContext, messageId: string, given: JsonObject): PendingCitation {
  const title = stringAt(given, 'title') ?? stringAt(given, 'document_title');
  const fallback = [messageId, stringAt(given, 'id')];
  const source = sourceOf(context, { title, locator: stringAt(given, 'url'), fallback });
  return { quote: stringAt(given, 'cited_text') ?? '', source };
}

/** The blocks as a message is told, each cited stretch by itself. */
export const partsOf = (blocks: readonly TextBlock[]): Part[] => blocks.flatMap(partsOfBlock);

function partsOfBlock({ text, citations }: TextBlock): Part[] {
  const characters = [...text];
  const ends = [...new Set(citations.map(({ at }) => at))].sort((a, b) => a - b);
  const cited = ends.map((end, n) => ({
    text: characters.slice(ends[n - 1] ?? 0, end).join(''),
    citations: citations.filter(({ at }) => at === end).map(({ citation }) => citation),
    isApart: false,
  }));
  const rest = characters.slice(ends.at(-1) ?? 0).join('');
  return [...cited, { text: rest, citations: [], isApart: false }];
}

/** The calls of a whole message, and of a block that makes one. */
export const callsOf = (message: JsonObject): MessageCall[] =>
  listAt(message, 'tool_calls')
    .filter(isObject)
    .map((call, index) => callOf(call, index));

export function callOf(given: JsonObject, index: number): MessageCall {
  const input = objectAt(given, 'args') ?? stringAt(given, 'args') ?? objectAt(given, 'input') ?? '';
  return {
    index,
    id: stringAt(given, 'id') ?? '',
    name: stringAt(given, 'name') ?? '',
    input: typeof input === 'string' ? input : JSON.stringify(input),
  };
}

const CUT_REASONS = new Set(['length', 'max_tokens', 'MAX_TOKENS', 'content_filter', 'model_length']);

/** How a message ended, as its model's service says it. */
export function completionOf(ending: JsonObject): Completion {
  const metadata = objectAt(ending, 'response_metadata') ?? objectAt(ending, 'metadata') ?? ending;
  const reason = ending.reason ?? metadata.finish_reason ?? metadata.stop_reason;
  return CUT_REASONS.has(String(reason)) ? 'TRUNCATED' : 'COMPLETE';
}
