import { MAX_CITATIONS } from '../../citations/content.js';
import { activityIdOf, tellWhole } from '../activities.js';
import { configuredDelivery, deliverConfigured } from '../deliveries.js';
import { holdIn, holdThingIn } from '../held.js';
import { digest } from '../ids.js';
import { base64Bytes, type JsonObject, objectAt, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import { sourceOf } from '../sources.js';
import type { ToolTitle } from '../titles.js';
import type { AiSdkStep, OpenMessage, OpenStep } from './state.js';

export type InStep = (step: AiSdkStep, message: OpenMessage, open: OpenStep, value: JsonObject) => void;

/** The parts of a step that are no calls. */
export const PART_EVENTS: ReadonlyMap<string, InStep> = new Map<string, InStep>([
  ['text-start', (step, _, open, value) => void startText(step, open, stringAt(value, 'id') ?? '')],
  ['text-delta', addText],
  ['text-end', endText],
  ['reasoning-start', think],
  ['reasoning-delta', think],
  ['reasoning-end', endThinking],
  ['source-url', addSource],
  ['source-document', addSource],
  ['file', addFile],
]);

/** Begins a stretch of text, and gives its place. */
function startText(step: AiSdkStep, open: OpenStep, id: string): number {
  if (open.openTexts.length >= step.context.limits.openBlocks) {
    throw pastLimit('openBlocks', step.context.limits);
  }
  holdThingIn(step, open, id);
  const at = open.texts.push({ text: '', isApart: open.isApart }) - 1;
  open.isApart = false;
  // A text whose end never came ends where the next takes its name.
  open.openTexts = [...open.openTexts.filter((text) => text.id !== id), { id, at }];
  return at;
}

/** A delta without a start is a start too: streams that are resumed lose it. */
function addText(step: AiSdkStep, _: OpenMessage, open: OpenStep, value: JsonObject): void {
  const id = stringAt(value, 'id') ?? '';
  const piece = stringAt(value, 'delta') ?? '';
  const at = open.openTexts.find((text) => text.id === id)?.at ?? startText(step, open, id);
  holdIn(step, open, piece);
  const part = open.texts[at];
  if (part !== undefined) part.text += piece;
  if (piece !== '') open.opening ??= digest([id, piece]);
}

function endText(step: AiSdkStep, _: OpenMessage, open: OpenStep, value: JsonObject): void {
  const rest = open.openTexts.filter(({ id }) => id !== stringAt(value, 'id'));
  if (rest.length === open.openTexts.length) step.ignored.push('late_delta');
  open.openTexts = rest;
}

function think(_: AiSdkStep, __: OpenMessage, open: OpenStep): void {
  open.isApart = true;
  if (open.thinking === 'none') open.thinking = 'open';
}

/** That it thought, never what (P10); once a step, however often it pauses to think. */
export function endThinking(step: AiSdkStep, message: OpenMessage, open: OpenStep): void {
  if (open.thinking !== 'open') return;
  open.thinking = 'told';
  const activityId = activityIdOf(step, 'thinking', message.id, open.number);
  tellWhole(step, { activityId, title: 'Thinking' });
}

/** A page or a document; of which words it is the source, the stream does not say. */
function addSource(step: AiSdkStep, message: OpenMessage, open: OpenStep, value: JsonObject): void {
  if (message.sources.length + open.sources.length >= MAX_CITATIONS) {
    step.ignored.push('surplus');
    return;
  }
  const locator = stringAt(value, 'url');
  const title = stringAt(value, 'title') ?? stringAt(value, 'filename');
  const fallback = [message.id, stringAt(value, 'sourceId')];
  holdThingIn(step, open, (title ?? '') + (locator ?? ''));
  open.sources.push({ quote: '', source: sourceOf(step.context, { title, locator, fallback }) });
}

/** Where it lies, or its content, is not told. */
function addFile(step: AiSdkStep, _: OpenMessage, open: OpenStep, value: JsonObject): void {
  open.isApart = true;
  const mediaType = stringAt(value, 'mediaType');
  const filename = stringAt(value, 'filename');
  const data = /^data:[^,]{0,200};base64,/.exec(stringAt(value, 'url') ?? '')?.[0];
  const sizeBytes = data === undefined ? undefined : base64Bytes(String(value.url).slice(data.length));
  holdThingIn(step, open, (mediaType ?? '') + (filename ?? ''));
  open.files.push({ filename, mediaType, sizeBytes });
}

/** Data that the title map has: delivered with the step that it came in. Sent again under its id, it is the same thing as it is now. */
export function addData(step: AiSdkStep, message: OpenMessage, tool: ToolTitle, value: JsonObject): void {
  const key = stringAt(value, 'id') ?? ++message.files;
  const data = objectAt(value, 'data') ?? {};
  const delivery = configuredDelivery(step, tool, data, message.id, value.type, key);
  const { step: open } = message;
  if (delivery === undefined) return;
  if (open === null || open.isOver) deliverConfigured(step, delivery);
  else {
    holdThingIn(step, open, JSON.stringify(delivery));
    open.deliveries.push(delivery);
  }
}
