import { settleOpen } from '../activities.js';
import { deliver, deliverConfigured, deliveryOf } from '../deliveries.js';
import { letGo } from '../held.js';
import { resourceId } from '../ids.js';
import { type Completion, publishAnswer } from '../message.js';
import { askPermission } from '../permissions.js';
import { startInputs } from './calls.js';
import { endThinking } from './parts.js';
import type { AiSdkStep, OpenMessage, OpenStep } from './state.js';

/** The step that is open. Parts that come between two steps begin one of their own. */
export const stepOf = (step: AiSdkStep, message: OpenMessage): OpenStep =>
  message.step !== null && !message.step.isOver ? message.step : startStep(step, message);

export function startStep(step: AiSdkStep, message: OpenMessage): OpenStep {
  publishStep(step, message, 'COMPLETE');
  return openStep(message, message.steps++);
}

function openStep(message: OpenMessage, number: number): OpenStep {
  message.step = {
    number,
    texts: [],
    openTexts: [],
    opening: null,
    inputs: [],
    sources: [],
    files: [],
    deliveries: [],
    requests: [],
    calls: [],
    isApart: false,
    thinking: 'none',
    isOver: false,
    held: 0,
  };
  return message.step;
}

export function finishStep(_: AiSdkStep, message: OpenMessage): void {
  if (message.step !== null) message.step.isOver = true;
}

/** The agent tries again: what it said since the step began is dropped, its calls came to nothing. */
export function resetStep(step: AiSdkStep, message: OpenMessage): void {
  const dropped = message.step;
  if (dropped === null) return;
  withdrawStep(step, dropped);
  const { thinking } = dropped;
  // That it thought was told.
  if (thinking === 'told') openStep(message, dropped.number).thinking = thinking;
  else openStep(message, dropped.number);
}

/** Drops what a step said, and what it was about to do. */
export function withdrawStep(step: AiSdkStep, dropped: OpenStep): void {
  step.ignored.push('dropped_message');
  settleOpen(step, 'FAILED', ({ activityId }) => dropped.calls.includes(activityId));
  letGo(step, dropped);
}

/** Tells what the step came to. What was not over is cut, as `completion` says. */
export function publishStep(step: AiSdkStep, message: OpenMessage, completion: Completion): void {
  const open = message.step;
  if (open === null) return;
  publishText(step, message, open, completion);
  startInputs(step, message, open, completion);
  if (completion === 'COMPLETE') endThinking(step, message, open);
  deliverFiles(step, message, open);
  for (const delivery of open.deliveries) deliverConfigured(step, delivery);
  for (const { id, title } of open.requests) askPermission(step, title, message.id, id);
  letGo(step, open);
  message.step = null;
}

function publishText(step: AiSdkStep, message: OpenMessage, open: OpenStep, completion: Completion): void {
  const sources = [...message.sources, ...open.sources];
  // Another stream of the same message counts its steps anew: how their texts begin tells them apart.
  const messageId = resourceId(step.context, 'msg', message.id, open.number, open.opening);
  const parts = open.texts.map(({ text, isApart }) => ({ text, isApart, citations: [] }));
  const published = publishAnswer(step, messageId, parts, completion, sources);
  message.sources = published === undefined ? sources : [];
  step.state.answer = published ?? step.state.answer;
}

function deliverFiles(step: AiSdkStep, message: OpenMessage, open: OpenStep): void {
  const files = open.files.map(({ filename, mediaType, sizeBytes }) => {
    message.files++;
    const name = filename ?? nameFor(mediaType, message.files);
    const file = { filename: name, mime_type: mediaType, size_bytes: sizeBytes };
    return deliveryOf(step, file, message.files, message.id, message.files);
  });
  deliver(step, files, resourceId(step.context, 'msg', message.id, open.number));
}

function nameFor(mediaType: string | undefined, ordinal: number): string {
  const format = /^(?:application|audio|image|video)\/([a-z0-9]{2,5})$/.exec(mediaType ?? '')?.[1];
  return `file-${ordinal}${format === undefined ? '' : `.${format}`}`;
}
