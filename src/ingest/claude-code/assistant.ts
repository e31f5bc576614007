import { MAX_CITATIONS } from '../../citations/content.js';
import { citationOf } from '../anthropic/citations.js';
import { isToolResult, isToolUse } from '../anthropic/tools.js';
import { type Failure, SERVICE_FAILED, SERVICE_REFUSED } from '../failures.js';
import { holdThingIn } from '../held.js';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.js';
import type { PendingCitation } from '../message.js';
import { failRun } from '../run.js';
import { takeResult, tellCall } from './calls.js';
import { addText, closeText, messageOf, startDraft, tellText, tellThinking } from './messages.js';
import { begin } from './runs.js';
import { type ClaudeStep, isGoing, type OpenMessage } from './state.js';

/** Whether a line is of an agent that works for this one: what it says is for that one. */
export const isSubagents = (value: JsonObject): boolean =>
  Boolean(stringAt(value, 'parent_tool_use_id')) || value.isSidechain === true;

/** A line of the model's, or of the program in its name. Of one message there are several, each with some of its blocks. */
export function readAssistant(step: ClaudeStep, value: JsonObject): void {
  const given = objectAt(value, 'message');
  if (given === undefined) step.ignored.push('not_an_event');
  else if (isSubagents(value)) readSubagent(step, given);
  else if (value.error || value.isApiErrorMessage === true) readError(step, value);
  // In the model's place the program may speak, of itself.
  else if (given.model !== '<synthetic>') readMessage(step, given, value.is_partial === true);
}

function readMessage(step: ClaudeStep, given: JsonObject, isPartial: boolean): void {
  const message = messageOf(step, stringAt(given, 'id'));
  const blocks = blocksOf(given);
  if (isPartial) draft(step, message, blocks);
  else {
    for (const block of blocks) readBlock(step, message, block);
    noteStopReason(step, message, given);
  }
}

const blocksOf = (message: JsonObject): readonly unknown[] =>
  typeof message.content === 'string'
    ? [{ type: 'text', text: message.content }]
    : listAt(message, 'content');

/** A message is told when it is said why it ended; without that, when something comes after it. */
export function noteStopReason(step: ClaudeStep, message: OpenMessage, from: JsonObject): void {
  message.stopReason = stringAt(from, 'stop_reason') ?? message.stopReason;
  if (message.stopReason !== null && message.stopReason !== 'refusal') tellText(step, 'COMPLETE');
}

/** What the message has come to so far, each time from its beginning. */
function draft(step: ClaudeStep, message: OpenMessage, blocks: readonly unknown[]): void {
  message.parts = message.parts.filter(({ isDraft }) => !isDraft);
  for (const block of blocks.filter(isObject)) {
    if (block.type !== 'text') continue;
    const part = message.parts[startDraft(step, message)];
    if (part !== undefined) part.text = stringAt(block, 'text') ?? '';
    holdThingIn(step, message, part?.text);
  }
}

/** Says nothing, for its line or its piece has said it. */
const SILENT_BLOCKS = new Set(['compaction', 'fallback']);

function readBlock(step: ClaudeStep, message: OpenMessage, given: unknown): void {
  const block = isObject(given) ? given : {};
  const type = stringAt(block, 'type') ?? '';
  step.state.hasActed = true;
  if (type === 'text')
    addText(step, message, stringAt(block, 'text') ?? '', citationsOf(step, message, block));
  else if (type === 'thinking' || type === 'redacted_thinking') tellThinking(step, message);
  else if (isToolUse(type)) readCall(step, message, block);
  else if (isToolResult(type)) takeResult(step, block);
  else if (!SILENT_BLOCKS.has(type)) step.ignored.push('unknown_block');
}

/** What it said before the call comes before the call. */
function readCall(step: ClaudeStep, message: OpenMessage, block: JsonObject): void {
  tellText(step, 'COMPLETE');
  message.isApart = true;
  tellCall(step, stringAt(block, 'id'), stringAt(block, 'name') ?? '', objectAt(block, 'input') ?? {});
}

function citationsOf(step: ClaudeStep, message: OpenMessage, block: JsonObject): PendingCitation[] {
  return listAt(block, 'citations').flatMap((given) => {
    const citation = citationOf(step.context, given, message.messageId);
    if (citation === undefined) step.ignored.push('unknown_citation');
    else if (message.citations >= MAX_CITATIONS) step.ignored.push('surplus');
    else {
      message.citations++;
      holdThingIn(step, message, JSON.stringify(citation));
      return [citation];
    }
    return [];
  });
}

/** Its calls show that work is done; what it says is not said to the user. */
function readSubagent(step: ClaudeStep, message: JsonObject): void {
  for (const block of blocksOf(message).filter(isObject)) {
    if (!isToolUse(stringAt(block, 'type') ?? '')) continue;
    if (!isGoing(step.state)) begin(step);
    tellCall(step, stringAt(block, 'id'), stringAt(block, 'name') ?? '', objectAt(block, 'input') ?? {});
  }
}

const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ['authentication_failed', SERVICE_REFUSED],
  ['billing_error', SERVICE_REFUSED],
  ['invalid_request', SERVICE_REFUSED],
]);

/** In place of an answer the program tells that there is none. The result will repeat it. */
function readError(step: ClaudeStep, value: JsonObject): void {
  const error = stringAt(value, 'error') ?? '';
  if (error === 'max_output_tokens') {
    step.state.isCut = true;
    closeText(step, 'TRUNCATED');
    return;
  }
  if (step.state.run === 'failed') step.ignored.push('repeated_error');
  else failRun(step, FAILURES.get(error) ?? SERVICE_FAILED, closeText, stringAt(value, 'uuid'));
}
