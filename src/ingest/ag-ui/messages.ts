import { holdIn, holdThingIn, letGo } from '../held.js';
import { resourceId } from '../ids.js';
import { type JsonObject, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import { type Completion, publishAnswer } from '../message.js';
import { isNews } from '../told.js';
import { speakAfterCalls } from '../unclaimed-calls.js';
import { publishUserMessage } from '../user-messages.js';
import type { AgUiStep, InRun, OpenRun, RunMessage, Speaker } from './state.js';

export const MESSAGE_EVENTS: ReadonlyMap<string, InRun> = new Map<string, InRun>([
  ['TEXT_MESSAGE_START', startMessage],
  ['TEXT_MESSAGE_CONTENT', addText],
  ['TEXT_MESSAGE_END', endMessage],
]);

export const speakerOf = (role: unknown): Speaker =>
  role === 'user' ? 'user' : role === 'assistant' ? 'agent' : 'nobody';

/** The public id of a message: the same in every run and snapshot, of whichever stream. */
export const messageIdOf = (step: AgUiStep, speaker: Speaker, name: string): string =>
  resourceId(step.context, 'msg', speaker, name);

/** A message goes on under its name, even after its end. */
export function startMessage(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = stringAt(value, 'messageId') ?? '';
  const known = name === '' ? undefined : run.messages.find((message) => message.name === name);
  if (known?.isOpen) step.ignored.push('duplicate_message_start');
  else if (known !== undefined) known.isOpen = true;
  else openMessage(step, run, name, speakerOf(value.role ?? 'assistant'));
}

function openMessage(step: AgUiStep, run: OpenRun, name: string, speaker: Speaker): RunMessage {
  if (run.messages.filter(({ isOpen }) => isOpen).length >= step.context.limits.openBlocks) {
    throw pastLimit('openBlocks', step.context.limits);
  }
  const messageId = name
    ? messageIdOf(step, speaker, name)
    : resourceId(step.context, 'msg', run.id, speaker, run.nameless++);
  const message = { name, messageId, speaker, text: '', isOpen: true, held: 0 };
  holdThingIn(step, message, name);
  run.messages.push(message);
  if (speaker === 'agent') speakAfterCalls(step, messageId);
  return message;
}

/** Text whose beginning was lost is the agent's. */
export function addText(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = stringAt(value, 'messageId') ?? '';
  const open = run.messages.findLast((message) => message.isOpen && message.name === name);
  if (open === undefined && run.messages.some((message) => message.name === name)) {
    step.ignored.push('late_delta');
    return;
  }
  const message = open ?? openMessage(step, run, name, 'agent');
  if (message.speaker === 'nobody') return;
  const piece = stringAt(value, 'delta') ?? '';
  holdIn(step, message, piece);
  message.text += piece;
}

export function endMessage(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const name = stringAt(value, 'messageId') ?? '';
  const message = run.messages.findLast((message) => message.isOpen && message.name === name);
  if (message === undefined) step.ignored.push('late_delta');
  else closeMessage(step, run, message, 'COMPLETE');
}

/** How many messages that are over are kept, for them to go on. */
const KEPT_MESSAGES = 256;

function closeMessage(step: AgUiStep, run: OpenRun, message: RunMessage, completion: Completion): void {
  tellMessage(step, message, completion);
  message.isOpen = false;
  const over = run.messages.filter(({ isOpen }) => !isOpen);
  for (const forgotten of over.slice(0, -KEPT_MESSAGES)) {
    run.messages = run.messages.filter((known) => known !== forgotten);
    letGo(step, forgotten);
  }
}

function tellMessage(step: AgUiStep, message: RunMessage, completion: Completion): void {
  const { messageId, text, speaker } = message;
  if (speaker === 'agent') tellAnswer(step, messageId, text, completion);
  else if (speaker === 'user' && completion === 'COMPLETE') tellUser(step, messageId, { text, files: [] });
  else if (speaker === 'user') step.ignored.push('dropped_message');
}

/** Tells what the agent said, unless that is known. */
export function tellAnswer(step: AgUiStep, messageId: string, text: string, completion: Completion): void {
  if (!isNews(step.state, messageId, text)) return;
  const published = publishAnswer(step, messageId, [{ text, citations: [], isApart: false }], completion);
  step.state.answer = published ?? step.state.answer;
}

type UserContent = Parameters<typeof publishUserMessage>[2];

export function tellUser(step: AgUiStep, messageId: string, content: UserContent): void {
  if (isNews(step.state, messageId, content.text)) publishUserMessage(step, messageId, content);
}

/** What is open ends with its run: whole if that is, else as far as it came. */
export function closeMessages(step: AgUiStep, run: OpenRun, completion: Completion): void {
  for (const message of run.messages) if (message.isOpen) closeMessage(step, run, message, completion);
}
