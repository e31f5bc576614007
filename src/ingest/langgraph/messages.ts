import { activityIdOf, tellWhole } from '../activities.js';
import { holdIn, holdThingIn, letGo } from '../held.js';
import { digest, nameOf, resourceId } from '../ids.js';
import type { JsonObject } from '../json.js';
import { pastLimit } from '../limits.js';
import { type Completion, publishAnswer } from '../message.js';
import { nextOccurrence } from '../occurrences.js';
import { isNews } from '../told.js';
import { parseToolInput } from '../tool-input.js';
import { settleIfOpen, speakAfterCalls, tellCall } from '../unclaimed-calls.js';
import { publishUserMessage, type UserContent } from '../user-messages.js';
import { callsOf, partsOf, textBlock, textBlocksOf, thinksIn } from './content.js';
import type { LangGraphStep, MessageCall, OpenMessage, OpenRun, TextBlock } from './state.js';

/** The public id of a message: the same wherever it is told. */
export const messageIdOf = (step: LangGraphStep, speaker: 'agent' | 'user', name: string): string =>
  resourceId(step.context, 'msg', speaker, name);

export const callIdOf = (step: LangGraphStep, name: string): string => activityIdOf(step, 'call', name);

export interface Opening {
  readonly key: string;
  readonly name: string;
  /** As `typeOf` gives it; what is of no type is nobody's. */
  readonly type: string;
  /** Whether the graph itself says it, not one within it. */
  readonly isOwn: boolean;
  readonly activityId?: string | null;
  readonly stage?: number | null;
}

/** A message begins. */
export function openMessage(step: LangGraphStep, run: OpenRun, opening: Opening): OpenMessage {
  const { key, name, type, isOwn, activityId = null, stage = null } = opening;
  const { state, context } = step;
  if (run.messages.length >= context.limits.openBlocks) throw pastLimit('openBlocks', context.limits);
  const speaker = type === 'ai' ? 'agent' : type === 'human' ? 'user' : 'nobody';
  const messageId = name
    ? messageIdOf(step, speaker === 'user' ? 'user' : 'agent', name)
    : resourceId(context, 'msg', run.id, run.nameless++);
  const isTold = isOwn && speaker !== 'nobody' && !state.told.some(([told]) => told === messageId);
  const message: OpenMessage = {
    key,
    name,
    messageId,
    speaker,
    isTold,
    activityId,
    stage,
    blocks: [],
    calls: [],
    thinking: 'none',
    held: 0,
  };
  holdThingIn(step, message, key + name);
  run.messages.push(message);
  if (isOwn && speaker === 'agent') speak(step, run, name, messageId);
  return message;
}

/** How many messages a run is remembered to have begun. */
const REMEMBERED_MESSAGES = 64;

/** What the run says last, its end is about. What it says again is not last. */
function speak(step: LangGraphStep, run: OpenRun, name: string, messageId: string): void {
  const { state, context } = step;
  const upstream = digest(nameOf(context, name));
  run.isAnswered = false;
  speakAfterCalls(step, messageId);
  if (name !== '' && run.spoken.includes(upstream)) return;
  run.spoken = [...run.spoken, upstream].slice(-REMEMBERED_MESSAGES);
  state.newest = resourceId(context, 'msg', upstream, nextOccurrence(state, upstream));
}

export function addText(step: LangGraphStep, message: OpenMessage, index: number, piece: string): void {
  const open = message.blocks.find((block) => block.index === index);
  if (!message.isTold) return;
  holdIn(step, message, piece);
  if (open !== undefined) open.text += piece;
  else {
    holdThingIn(step, message);
    placeBlock(step, message, { index, text: piece, citations: [] });
  }
}

/** A block as a whole beats its pieces. */
export function setText(step: LangGraphStep, message: OpenMessage, index: number, given: JsonObject): void {
  if (!message.isTold) return;
  placeBlock(step, message, textBlock(step.context, message.messageId, index, given));
  holdAgain(step, message);
}

/** In the order of their places, in whatever order they come. */
function placeBlock(step: LangGraphStep, message: OpenMessage, block: TextBlock): void {
  const others = message.blocks.filter(({ index }) => index !== block.index);
  if (others.length >= step.context.limits.openBlocks) throw pastLimit('openBlocks', step.context.limits);
  message.blocks = [...others, block].sort((a, b) => a.index - b.index);
}

/** All that it says, as it is now. */
export function setContent(step: LangGraphStep, message: OpenMessage, given: JsonObject): void {
  if (!message.isTold) return;
  message.blocks = textBlocksOf(step.context, message.messageId, given);
  message.calls = callsOf(given);
  if (thinksIn(given)) think(message);
  holdAgain(step, message);
}

/** Takes the place of what the call was so far. */
export function addCall(step: LangGraphStep, message: OpenMessage, call: MessageCall): void {
  if (!message.isTold) return;
  const before = message.calls.find(({ index }) => index === call.index);
  if (before === undefined && message.calls.length >= step.context.limits.openBlocks) {
    throw pastLimit('openBlocks', step.context.limits);
  }
  if (before === undefined) holdThingIn(step, message, call.id + call.name + call.input);
  else holdIn(step, message, call.input.slice(before.input.length));
  message.calls = [...message.calls.filter((other) => other !== before), call];
}

function holdAgain(step: LangGraphStep, message: OpenMessage): void {
  letGo(step, message);
  holdThingIn(step, message, message.key + message.name);
  for (const { text, citations } of message.blocks)
    holdThingIn(step, message, text + JSON.stringify(citations));
  for (const { id, name, input } of message.calls) holdThingIn(step, message, id + name + input);
}

export function think(message: OpenMessage): void {
  if (message.thinking === 'none') message.thinking = 'open';
}

/** That it thought, never what (P10); once a message, however often it pauses to think. */
export function endThinking(step: LangGraphStep, message: OpenMessage): void {
  if (message.thinking !== 'open') return;
  message.thinking = 'told';
  const activityId = activityIdOf(step, 'thinking', message.messageId);
  if (message.isTold) tellWhole(step, { activityId, title: 'Thinking' });
}

/** Tells what the message came to. */
export function closeMessage(
  step: LangGraphStep,
  run: OpenRun,
  message: OpenMessage,
  completion: Completion,
): void {
  run.messages = run.messages.filter((open) => open !== message);
  if (message.activityId !== null) settleIfOpen(step, message.activityId, 'COMPLETED');
  if (!message.isTold) letGo(step, message);
  else if (message.speaker === 'agent') closeAnswer(step, run, message, completion);
  else {
    const text = textIn(message.blocks);
    if (completion === 'COMPLETE') tellUser(step, message.messageId, { text, files: [] });
    else step.ignored.push('dropped_message');
    letGo(step, message);
  }
}

function closeAnswer(step: LangGraphStep, run: OpenRun, message: OpenMessage, completion: Completion): void {
  if (completion === 'COMPLETE') endThinking(step, message);
  tellAnswer(step, message.messageId, message.blocks, completion);
  letGo(step, message);
  if (completion === 'COMPLETE') tellCalls(step, message);
  else for (const _ of message.calls) step.ignored.push('unfinished_tool_input');
  run.isAnswered = message.calls.length === 0;
}

/** What is open ends with its run. */
export function closeMessages(step: LangGraphStep, run: OpenRun, completion: Completion): void {
  for (const message of run.messages) closeMessage(step, run, message, completion);
}

/** Tells what the agent said, unless that is known. */
export function tellAnswer(
  step: LangGraphStep,
  messageId: string,
  blocks: readonly TextBlock[],
  completion: Completion,
): void {
  if (!isNews(step.state, messageId, textIn(blocks))) return;
  const published = publishAnswer(step, messageId, partsOf(blocks), completion);
  step.state.answer = published ?? step.state.answer;
}

const textIn = (blocks: readonly TextBlock[]): string => blocks.map(({ text }) => text).join('');

export function tellUser(step: LangGraphStep, messageId: string, content: UserContent): void {
  if (isNews(step.state, messageId, content.text)) publishUserMessage(step, messageId, content);
}

export function tellCalls(
  step: LangGraphStep,
  { messageId, calls }: { readonly messageId: string; readonly calls: readonly MessageCall[] },
): void {
  for (const { id, name, input } of calls) {
    const parsed = parseToolInput(step, input);
    if (id === '' || parsed === undefined) step.ignored.push('unfinished_tool_input');
    else tellCall(step, { activityId: callIdOf(step, id), messageId }, name, parsed);
  }
}
