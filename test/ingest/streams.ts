import type { EventInput } from '../../src/events/content.js';
import { parseFormat } from '../../src/ingest/formats.js';
import { Framing } from '../../src/ingest/framing.js';
import type { IngestLimits } from '../../src/ingest/limits.js';
import type { EndReason } from '../../src/ingest/reducer.js';
import { IngestStream, type Piece } from '../../src/ingest/stream.js';
import type { ToolTitles } from '../../src/ingest/titles.js';

export const SESSION = '6f1c1c9e-6f0e-4c39-9d0c-9a4cf7f6f001';

export interface Run {
  readonly events: readonly EventInput[];
  readonly pieces: readonly Piece[];
  readonly stream: IngestStream;
}

export interface RunOptions {
  /** The format's name; null leaves it to the stream. */
  readonly format?: string | null | undefined;
  readonly sessionId?: string;
  readonly run?: string;
  readonly titles?: ToolTitles;
  readonly limits?: IngestLimits;
  readonly why?: EndReason;
}

/** Feeds chunks to a fresh stream and ends it. */
export function ingest(
  chunks: Iterable<Uint8Array>,
  { why, format = 'anthropic-messages', ...options }: RunOptions = {},
): Run {
  const stream = new IngestStream({
    format: format === null ? undefined : parseFormat(format),
    sessionId: SESSION,
    ...options,
  });
  const pieces = [...Array.from(chunks, (chunk) => stream.push(chunk)), stream.end(why)];
  const events = pieces.flatMap(({ events, ending }) => [...events, ...ending]);
  return { events, pieces, stream };
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Feeds objects as JSON lines; lists of them, however deep, stand for what they hold. */
export function ingestObjects(objects: readonly unknown[], options?: RunOptions): Run {
  const lines = objects.flat(5).map((object) => `${JSON.stringify(object)}\n`);
  return ingest([bytesOf(lines.join(''))], options);
}

export function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

/** After how many bytes each piece of a stream comes that has events: whoever reads on beyond one has them. */
export function eventOffsets(bytes: Uint8Array): number[] {
  const stream = new IngestStream({ sessionId: SESSION });
  return Array.from(byteByByte(bytes), (byte, at) =>
    stream.push(byte).events.length > 0 ? [at + 1] : [],
  ).flat();
}

export const framesOf = (bytes: Uint8Array) => {
  const framing = new Framing();
  return [...framing.push(bytes), ...framing.end()];
};

/** What the frames of a stream hold, lists of named events too. */
export const objectsOf = (bytes: Uint8Array) =>
  framesOf(bytes).map(({ value, list, event }) => (list === undefined ? value : { list, event }));

/** The events of one kind. */
export const ofKind = <K extends EventInput['kind']>(events: readonly EventInput[], kind: K) =>
  events.filter((event): event is Extract<EventInput, { kind: K }> => event.kind === kind);

/** Each event in one line: kinds, states, counts and lengths; of the texts only those that we wrote ourselves. */
export const summary = (events: readonly EventInput[]): string[] => events.map(line);

function line(event: EventInput): string {
  switch (event.kind) {
    case 'activity':
      return `activity ${event.status} "${event.title}"`;
    case 'agent_message': {
      const sources = new Set(event.citations.map(({ source }) => source.sourceRef)).size;
      const cited = `${event.citations.length} citations of ${sources} sources`;
      return `agent_message ${event.completion}, ${event.text.length} characters, ${cited}`;
    }
    case 'methods':
      return `methods, ${event.searches.length} searches, ${event.evidenceBase?.sourceCount ?? 0} sources`;
    case 'artifacts_delivered':
      return `artifacts_delivered, ${event.artifacts.length}`;
    case 'error':
      return `error ${event.code}${event.retryable ? ' retryable' : ''}`;
    default:
      return event.kind;
  }
}

/* The objects of an Anthropic stream. */

export const messageStart = (id: string, more: object = {}) => ({
  type: 'message_start',
  message: { id, type: 'message', role: 'assistant', content: [], stop_reason: null, ...more },
});
export const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const delta = (index: number, given: object) => ({ type: 'content_block_delta', index, delta: given });
export const blockStop = (index: number) => ({ type: 'content_block_stop', index });
export const stopReason = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason } });
export const messageStop = { type: 'message_stop' };
export const finish = (reason = 'end_turn') => [stopReason(reason), messageStop];

export const textDelta = (index: number, text: string) => delta(index, { type: 'text_delta', text });
export const text = (index: number, ...pieces: string[]) => [
  blockStart(index, { type: 'text', text: '' }),
  ...pieces.map((piece) => textDelta(index, piece)),
  blockStop(index),
];
export const cited = (index: number, words: string, ...citations: object[]) => [
  blockStart(index, { type: 'text', text: '', citations: [] }),
  ...citations.map((citation) => delta(index, { type: 'citations_delta', citation })),
  textDelta(index, words),
  blockStop(index),
];
export const webCitation = (url: string, title: string, cited_text = 'quoted') => ({
  type: 'web_search_result_location',
  url,
  title,
  cited_text,
});
export const thinking = (index: number, words = 'private thought') => [
  blockStart(index, { type: 'thinking', thinking: '' }),
  delta(index, { type: 'thinking_delta', thinking: words }),
  blockStop(index),
];
export const toolUse = (
  index: number,
  { type = 'tool_use', id = `tool_${index}`, name = 'private_tool', json = '{}' } = {},
) => [
  blockStart(index, { type, id, name, input: {} }),
  ...[...json].map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })),
  blockStop(index),
];
export const webSearch = (index: number, query: string, id = `search_${index}`) =>
  toolUse(index, { type: 'server_tool_use', id, name: 'web_search', json: JSON.stringify({ query }) });
export const result = (index: number, id: string, content: unknown, type = 'web_search_tool_result') => [
  blockStart(index, { type, tool_use_id: id, content }),
  blockStop(index),
];
