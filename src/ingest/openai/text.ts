import { MAX_CITATIONS } from '../../citations/content.js';
import { deliver, deliveryOf } from '../deliveries.js';
import { holdIn, holdThingIn } from '../held.js';
import { countAt, isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import { type Completion, publishAnswer } from '../message.js';
import { partsOf } from './citations.js';
import type { Annotation, MessageItem, OpenAiStep, OpenResponse, TextPart } from './state.js';

type OnText = (step: OpenAiStep, item: MessageItem, value: JsonObject) => void;

/** The events about the text of a message. What is whole beats the sum of its deltas. */
export const TEXT_EVENTS: ReadonlyMap<string, OnText> = new Map<string, OnText>([
  ['response.content_part.added', (step, item, value) => takePart(step, item, indexAt(value), value.part)],
  ['response.content_part.done', (step, item, value) => takePart(step, item, indexAt(value), value.part)],
  ['response.output_text.delta', (step, item, value) => addText(step, item, value)],
  [
    'response.output_text.done',
    (step, item, value) => takeText(step, item, partAt(step, item, indexAt(value)), value),
  ],
  ['response.output_text.annotation.added', addAnnotation],
  ['response.refusal.delta', refuse],
  ['response.refusal.done', refuse],
]);

const indexAt = (value: JsonObject): number => countAt(value, 'content_index') ?? 0;

function partAt(step: OpenAiStep, item: MessageItem, index: number): TextPart {
  const found = item.parts.find((part) => part.index === index);
  if (found !== undefined) return found;
  if (item.parts.length >= step.context.limits.openBlocks) throw pastLimit('openBlocks', step.context.limits);
  holdThingIn(step, item);
  const part: TextPart = { index, text: '', annotations: [] };
  item.parts.push(part);
  return part;
}

function addText(step: OpenAiStep, item: MessageItem, value: JsonObject): void {
  const text = stringAt(value, 'delta') ?? '';
  holdIn(step, item, text);
  partAt(step, item, indexAt(value)).text += text;
}

function takeText(step: OpenAiStep, item: MessageItem, part: TextPart, from: JsonObject): void {
  const text = stringAt(from, 'text');
  if (text === undefined || text === part.text) return;
  holdIn(step, item, text);
  part.text = text;
}

/** The words of a refusal are not repeated: what was refused shows as an error of our own. */
function refuse(_: OpenAiStep, item: MessageItem): void {
  item.hasRefused = true;
}

/** A part as it is at its beginning or, whole, at its end. */
function takePart(step: OpenAiStep, item: MessageItem, index: number, given: unknown): void {
  if (!isObject(given)) return;
  const type = stringAt(given, 'type');
  if (type === 'refusal') refuse(step, item);
  else if (type !== 'output_text') step.ignored.push('unknown_block');
  else {
    const part = partAt(step, item, index);
    takeText(step, item, part, given);
    const whole = listAt(given, 'annotations');
    if (whole.length === 0) return;
    part.annotations = [];
    for (const annotation of whole) annotate(step, item, part, annotation);
  }
}

/** The content of a message that is whole. */
export function takeContent(step: OpenAiStep, item: MessageItem, full: JsonObject): void {
  for (const [index, part] of listAt(full, 'content').entries()) takePart(step, item, index, part);
}

function addAnnotation(step: OpenAiStep, item: MessageItem, value: JsonObject): void {
  annotate(step, item, partAt(step, item, indexAt(value)), objectAt(value, 'annotation'));
}

function annotate(step: OpenAiStep, item: MessageItem, part: TextPart, given: unknown): void {
  const annotation = isObject(given) ? annotationOf(given) : undefined;
  if (annotation === undefined) step.ignored.push('unknown_citation');
  else if (part.annotations.length >= MAX_CITATIONS) step.ignored.push('surplus');
  else {
    holdThingIn(step, item, JSON.stringify(annotation));
    part.annotations.push(annotation);
  }
}

function annotationOf(given: JsonObject): Annotation | undefined {
  const fileId = stringAt(given, 'file_id') ?? '';
  const filename = stringAt(given, 'filename');
  switch (stringAt(given, 'type')) {
    case 'url_citation': {
      const start = countAt(given, 'start_index') ?? 0;
      const end = countAt(given, 'end_index') ?? Number.MAX_SAFE_INTEGER;
      return { kind: 'link', start, end, url: stringAt(given, 'url') ?? '', title: stringAt(given, 'title') };
    }
    case 'file_citation': {
      const at = countAt(given, 'index') ?? Number.MAX_SAFE_INTEGER;
      return { kind: 'document', at, fileId, title: filename };
    }
    case 'container_file_citation':
    case 'file_path':
      return fileId === '' ? undefined : { kind: 'delivered', fileId, filename };
    default:
      return undefined;
  }
}

/** The message ends: its text becomes one agent_message, and the files that it speaks of are delivered. */
export function publishMessage(
  step: OpenAiStep,
  response: OpenResponse,
  item: MessageItem,
  completion: Completion,
): void {
  const inOrder = item.parts.sort((a, b) => a.index - b.index);
  const parts = inOrder.flatMap((part) => partsOf(step.context, part));
  response.hasRefused ||= item.hasRefused;
  const shown = item.hasRefused && completion === 'COMPLETE' ? 'TRUNCATED' : completion;
  step.state.answer = publishAnswer(step, item.messageId, parts, shown) ?? step.state.answer;
  deliverFiles(step, response, item);
}

function deliverFiles(step: OpenAiStep, response: OpenResponse, { parts, messageId }: MessageItem): void {
  const delivered = parts
    .flatMap(({ annotations }) => annotations)
    .filter((annotation) => annotation.kind === 'delivered');
  const byId = new Map(delivered.map((file) => [file.fileId, file]));
  const files = [...byId.values()].map(({ fileId, filename }) => {
    response.files++;
    return deliveryOf(step, { filename }, response.files, fileId);
  });
  deliver(step, files, messageId);
}
