import { activityIdOf, tellWhole } from '../activities.js';
import { holdThingIn, letGo } from '../held.js';
import { resourceId } from '../ids.js';
import { isObject, type JsonObject, listAt, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import type { Completion } from '../message.js';
import { askPermission } from '../permissions.js';
import { publicTool } from '../redaction.js';
import { advanceCall, endCall, openCall, settleResult } from './calls.js';
import type { MessageItem, OpenAiStep, OpenItem, OpenResponse } from './state.js';
import { publishMessage, TEXT_EVENTS, takeContent } from './text.js';

/** Items that are understood and say nothing public. */
const SILENT = new Set(['mcp_list_tools', 'mcp_approval_response', 'compaction']);

/** An item begins. Begun again while it is open, it is one that its service sends again. */
export function startItem(
  step: OpenAiStep,
  response: OpenResponse,
  index: number,
  item: JsonObject,
): OpenItem | undefined {
  const before = response.items.find((open) => open.index === index);
  if (before !== undefined) dropItem(step, response, before);
  else if (index < response.nextIndex) {
    step.ignored.push('repeated_event');
    return undefined;
  }
  if (response.items.length >= step.context.limits.openBlocks) {
    throw pastLimit('openBlocks', step.context.limits);
  }
  response.nextIndex = Math.max(response.nextIndex, index + 1);
  const opened = openItem(step, response, index, item);
  holdThingIn(step, opened, opened.type);
  response.items.push(opened);
  return opened;
}

function openItem(step: OpenAiStep, response: OpenResponse, index: number, item: JsonObject): OpenItem {
  const type = stringAt(item, 'type') ?? '';
  if (type === 'message') return openMessage(step, response, index);
  if (type.endsWith('_call')) return openCall(step, response, index, type, item);
  return { kind: kindOf(step, type), index, type, held: 0 };
}

function kindOf(step: OpenAiStep, type: string): 'reasoning' | 'result' | 'approval' | 'silent' {
  if (type === 'reasoning') return 'reasoning';
  if (type === 'mcp_approval_request') return 'approval';
  if (type.endsWith('_output')) return 'result';
  if (!SILENT.has(type)) step.ignored.push('unknown_block');
  return 'silent';
}

function openMessage(step: OpenAiStep, { responseId }: OpenResponse, index: number): MessageItem {
  const messageId = resourceId(step.context, 'msg', responseId, index);
  return { kind: 'message', index, type: 'message', messageId, parts: [], hasRefused: false, held: 0 };
}

function dropItem(step: OpenAiStep, response: OpenResponse, item: OpenItem): void {
  response.items = response.items.filter((open) => open !== item);
  letGo(step, item);
}

/** An event about the item that has this index. */
export function advanceItem(
  step: OpenAiStep,
  response: OpenResponse,
  index: number,
  type: string,
  value: JsonObject,
): void {
  const onText = TEXT_EVENTS.get(type);
  const item = response.items.find((open) => open.index === index) ?? implied(step, response, index, type);
  if (item === undefined) step.ignored.push('late_delta');
  else if (item.kind === 'message' && onText !== undefined) onText(step, item, value);
  else if (item.kind === 'reasoning' && type.startsWith('response.content_part.')) return;
  else if (onText !== undefined) step.ignored.push('misplaced_delta');
  else if (!type.startsWith(`response.${item.type}`)) step.ignored.push('unknown_event');
  else if (item.kind === 'call') advanceCall(step, response, item, type, value);
}

/** Text whose beginning was lost is text all the same. */
const implied = (step: OpenAiStep, response: OpenResponse, index: number, type: string) =>
  index >= response.nextIndex && type.startsWith('response.output_text.')
    ? startItem(step, response, index, { type: 'message' })
    : undefined;

/** An item is whole: what is in it beats what came before. */
export function endItem(step: OpenAiStep, response: OpenResponse, index: number, full: JsonObject): void {
  const open = response.items.find((item) => item.index === index);
  const item = open ?? startItem(step, response, index, full);
  if (item !== undefined)
    closeItem(step, response, item, full.status === 'incomplete' ? 'TRUNCATED' : 'COMPLETE', full);
}

/** Tells what the item came to. Without `full` its end never came. */
function closeItem(
  step: OpenAiStep,
  response: OpenResponse,
  item: OpenItem,
  completion: Completion,
  full?: JsonObject,
): void {
  switch (item.kind) {
    case 'message':
      if (full !== undefined) takeContent(step, item, full);
      publishMessage(step, response, item, completion);
      break;
    case 'call':
      if (full !== undefined || completion === 'COMPLETE') endCall(step, response, item, full ?? {});
      else if (!item.isStarted) step.ignored.push('unfinished_tool_input');
      break;
    case 'reasoning':
      if (completion === 'COMPLETE') tellThinking(step, response);
      break;
    case 'result':
      if (full !== undefined) settleResult(step, item.type, full);
      break;
    case 'approval':
      if (full !== undefined) askApproval(step, response, item.index, full);
      break;
    case 'silent':
      break;
    default:
      item satisfies never;
  }
  dropItem(step, response, item);
}

/** That it thought, never what (P10); once a response, however often it pauses to think. */
function tellThinking(step: OpenAiStep, response: OpenResponse): void {
  if (response.hasThought) return;
  response.hasThought = true;
  tellWhole(step, { activityId: activityIdOf(step, 'thinking', response.responseId), title: 'Thinking' });
}

function askApproval(step: OpenAiStep, response: OpenResponse, index: number, item: JsonObject): void {
  response.hasAsked = true;
  const { title } = publicTool(step.context.titles, stringAt(item, 'name') ?? '');
  askPermission(step, title, response.responseId, index);
}

/** What is open ends with its response: whole if that is, else as far as it came. */
export function closeItems(step: OpenAiStep, response: OpenResponse, completion: Completion): void {
  for (const item of response.items.toSorted((a, b) => a.index - b.index)) {
    closeItem(step, response, item, completion);
  }
}

/**
 * The items that a response lists at its end, for those whose own end never came. Its places are indexes if it lists at least as
 * many as began; some services leave some out.
 */
export function takeOutput(step: OpenAiStep, response: OpenResponse, given: JsonObject): void {
  const output = listAt(given, 'output');
  if (output.length < response.nextIndex) return;
  const begun = response.nextIndex;
  for (const [index, full] of output.entries()) {
    const open = response.items.find((item) => item.index === index);
    const isKnown = open === undefined ? index < begun : !isObject(full) || full.type !== open.type;
    if (isObject(full) && !isKnown) endItem(step, response, index, full);
  }
}
