import { isToolUse } from '../anthropic/tools.js';
import { holdIn, holdThingIn } from '../held.js';
import { countAt, type JsonObject, objectAt, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import { parseToolInput } from '../tool-input.js';
import { isSubagents, noteStopReason } from './assistant.js';
import { tellCall } from './calls.js';
import { addPiece, messageOf, startDraft, tellText, tellThinking } from './messages.js';
import type { ClaudeStep, OpenBlock, OpenMessage } from './state.js';

/**
 * An event of the service's own stream, in an envelope. It has what the lines will have, sooner: what it says stands where the stream
 * breaks off, or where the lines were left out.
 */
export function readPiece(step: ClaudeStep, value: JsonObject): void {
  const event = objectAt(value, 'event');
  const type = event && stringAt(event, 'type');
  if (event === undefined || type === undefined) step.ignored.push('not_an_event');
  else if (!isSubagents(value)) reducePiece(step, type, event);
}

function reducePiece(step: ClaudeStep, type: string, event: JsonObject): void {
  const { message } = step.state;
  if (type === 'message_start') messageOf(step, stringAt(objectAt(event, 'message') ?? {}, 'id'));
  else if (type === 'ping' || type === 'message_stop' || type === 'error') return;
  else if (message === null) step.ignored.push('outside_message');
  else if (type === 'content_block_start') startBlock(step, message, event);
  else if (type === 'content_block_delta') applyDelta(step, message, event);
  else if (type === 'content_block_stop') stopBlock(step, message, event);
  else if (type === 'message_delta') noteStopReason(step, message, objectAt(event, 'delta') ?? {});
  else step.ignored.push('unknown_event');
}

function startBlock(step: ClaudeStep, message: OpenMessage, event: JsonObject): void {
  const index = countAt(event, 'index') ?? 0;
  message.blocks = message.blocks.filter((open) => open.index !== index);
  if (message.blocks.length >= step.context.limits.openBlocks)
    throw pastLimit('openBlocks', step.context.limits);
  holdThingIn(step, message);
  step.state.hasActed = true;
  message.blocks.push(openBlock(step, message, index, objectAt(event, 'content_block') ?? {}));
}

function openBlock(step: ClaudeStep, message: OpenMessage, index: number, block: JsonObject): OpenBlock {
  const type = stringAt(block, 'type') ?? '';
  if (type === 'text') {
    const part = startDraft(step, message);
    addPiece(step, message, part, stringAt(block, 'text') ?? '');
    return { kind: 'text', index, part };
  }
  if (/^(?:redacted_)?thinking$/.test(type)) tellThinking(step, message);
  if (!isToolUse(type)) return { kind: 'silent', index };
  return { kind: 'tool', index, id: stringAt(block, 'id'), name: stringAt(block, 'name') ?? '', input: '' };
}

const blockAt = (message: OpenMessage, event: JsonObject): OpenBlock | undefined =>
  message.blocks.find(({ index }) => index === (countAt(event, 'index') ?? 0));

function applyDelta(step: ClaudeStep, message: OpenMessage, event: JsonObject): void {
  const block = blockAt(message, event);
  const delta = objectAt(event, 'delta') ?? {};
  if (block === undefined) step.ignored.push('late_delta');
  else if (block.kind === 'text') addPiece(step, message, block.part, stringAt(delta, 'text') ?? '');
  else if (block.kind === 'tool') {
    const piece = stringAt(delta, 'partial_json') ?? '';
    holdIn(step, message, piece);
    block.input += piece;
  }
}

/** A call whose input is complete is told; its line, and all that a block of another kind says, is still to come. */
function stopBlock(step: ClaudeStep, message: OpenMessage, event: JsonObject): void {
  const block = blockAt(message, event);
  message.blocks = message.blocks.filter((open) => open !== block);
  if (block?.kind !== 'tool') return;
  const input = parseToolInput(step, block.input);
  // One without an id is told by its line.
  if (input === undefined || !block.id) return;
  tellText(step, 'COMPLETE');
  message.isApart = true;
  tellCall(step, block.id, block.name, input);
}
