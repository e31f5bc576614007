import { activityIdOf, tellWhole } from '../activities.js';
import { holdIn, holdThingIn, letGo } from '../held.js';
import { digest, nameOf, resourceId } from '../ids.js';
import type { PendingCitation } from '../message.js';
import { type Completion, publishAnswer } from '../message.js';
import { nextOccurrence } from '../occurrences.js';
import { begin } from './runs.js';
import { type ClaudeStep, isGoing, type OpenMessage } from './state.js';

/** The message of that id. Another than the one before ends that. */
export function messageOf(step: ClaudeStep, id: string | undefined): OpenMessage {
  const { state, context } = step;
  const upstream = digest(nameOf(context, id));
  if (state.message?.upstream === upstream && isGoing(state)) return state.message;
  endMessage(step);
  begin(step);
  const messageId = resourceId(context, 'msg', upstream, nextOccurrence(state, upstream));
  state.newest = messageId;
  state.message = {
    messageId,
    upstream,
    parts: [],
    blocks: [],
    isApart: false,
    hasThought: false,
    stopReason: null,
    told: '',
    citations: 0,
    held: 0,
  };
  return state.message;
}

/** The next message begins: the one before is whole, but for what was left in pieces when its service was asked again. */
function endMessage(step: ClaudeStep): void {
  const { message } = step.state;
  if (message === null) return;
  if (message.stopReason === null && message.parts.some(({ isDraft, text }) => isDraft && text !== '')) {
    step.ignored.push('dropped_message');
    message.parts = message.parts.filter(({ isDraft }) => !isDraft);
  }
  closeText(step, 'COMPLETE');
}

/** A text comes whole. It takes the place of the first that came in pieces; the same again says nothing. */
export function addText(
  step: ClaudeStep,
  message: OpenMessage,
  text: string,
  citations: PendingCitation[] = [],
): void {
  const draft = message.parts.findIndex(({ isDraft }) => isDraft);
  const before = message.parts[draft];
  if (before === undefined && message.parts.some((part) => part.text === text)) {
    if (text !== '') step.ignored.push('repeated_event');
    return;
  }
  holdThingIn(step, message, text);
  const part = { text, citations, isDraft: false, isApart: before?.isApart ?? message.isApart };
  if (before === undefined) {
    message.parts.push(part);
    message.isApart = false;
  } else message.parts[draft] = part;
}

/** A text begins that will come in pieces. Gives its place. */
export function startDraft(step: ClaudeStep, message: OpenMessage): number {
  holdThingIn(step, message);
  const at = message.parts.push({ text: '', citations: [], isDraft: true, isApart: message.isApart }) - 1;
  message.isApart = false;
  return at;
}

/** One more piece. Its line may have come before it, and has it then. */
export function addPiece(step: ClaudeStep, message: OpenMessage, at: number, piece: string): void {
  const part = message.parts[at];
  if (!part?.isDraft) return;
  holdIn(step, message, piece);
  part.text += piece;
}

/** That it thought, never what (P10); once a message, however often it pauses to think. */
export function tellThinking(step: ClaudeStep, message: OpenMessage): void {
  message.isApart = true;
  if (message.hasThought) return;
  message.hasThought = true;
  tellWhole(step, { activityId: activityIdOf(step, 'thinking', message.messageId), title: 'Thinking' });
}

const CUT_REASONS = new Set(['max_tokens', 'model_context_window_exceeded']);

/** Whether the model ran into the end of what it may write. */
export const isCutOff = (stopReason: string | null | undefined): boolean => CUT_REASONS.has(stopReason ?? '');

/** Tells what the message has come to, unless that was told: it may go on after a call. */
export function tellText(step: ClaudeStep, completion: Completion): void {
  const { state } = step;
  const { message } = state;
  if (message === null) return;
  const now = digest(message.parts.map(({ text, citations }) => [text, citations.length]));
  if (message.told === now) return;
  const shown = completion === 'COMPLETE' && isCutOff(message.stopReason) ? 'TRUNCATED' : completion;
  const published = publishAnswer(step, message.messageId, message.parts, shown);
  if (published === undefined) return;
  message.told = now;
  state.answer = published;
  state.hasSpoken = true;
}

/** Tells it for the last time, and lets go of it. */
export function closeText(step: ClaudeStep, completion: Completion): void {
  tellText(step, completion);
  const { message } = step.state;
  if (message !== null) letGo(step, message);
  step.state.message = null;
}
