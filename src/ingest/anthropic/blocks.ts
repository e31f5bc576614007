import { activityIdOf, tellWhole } from '../activities.js';
import { hold, holdThing } from '../held.js';
import type { IgnoredKind } from '../ignored.js';
import { type JsonObject, listAt, objectAt, stringAt } from '../json.js';
import { pastLimit } from '../limits.js';
import { addCitation } from './citations.js';
import type { AnthropicStep, OpenBlock, OpenMessage } from './state.js';
import { isToolResult, isToolUse, openTool, settleTool, startTool } from './tools.js';

/** Blocks and deltas that are understood and say nothing public. */
const SILENT_BLOCKS = new Set(['compaction', 'fallback']);
const SILENT_DELTAS = new Set(['thinking_delta', 'signature_delta', 'compaction_delta']);

/** A block begins; whole ones (results, redacted thinking, all of a message that is not streamed) have all their content here. */
export function startBlock(
  step: AnthropicStep,
  message: OpenMessage,
  index: number,
  block: JsonObject,
): void {
  // A block whose end never came ends where the next one takes its index.
  stopBlock(step, message, index);
  if (message.blocks.length >= step.context.limits.openBlocks)
    throw pastLimit('openBlocks', step.context.limits);
  holdThing(step);
  message.blocks.push(openBlock(step, message, index, block));
}

function openBlock(step: AnthropicStep, message: OpenMessage, index: number, block: JsonObject): OpenBlock {
  const type = stringAt(block, 'type') ?? '';
  if (type === 'text') return openText(step, message, index, block);
  if (type === 'thinking' || type === 'redacted_thinking') {
    message.isApart = true;
    return { kind: 'thinking', index };
  }
  if (isToolUse(type)) {
    message.isApart = true;
    return openTool(step, message, index, block);
  }
  if (isToolResult(type)) {
    message.isApart = true;
    settleTool(step, message, type, block);
  } else if (!SILENT_BLOCKS.has(type)) step.ignored.push('unknown_block');
  return { kind: 'silent', index };
}

function openText(step: AnthropicStep, message: OpenMessage, index: number, block: JsonObject): OpenBlock {
  const text = stringAt(block, 'text') ?? '';
  hold(step, text);
  const part = message.parts.push({ text, citations: [], isApart: message.isApart }) - 1;
  message.isApart = false;
  for (const citation of listAt(block, 'citations')) addCitation(step, message, part, citation);
  return { kind: 'text', index, part };
}

export function applyDelta(
  step: AnthropicStep,
  message: OpenMessage,
  index: number,
  delta: JsonObject,
): void {
  const block = message.blocks.find((open) => open.index === index);
  const ignored = block === undefined ? 'late_delta' : apply(step, message, block, delta);
  if (ignored !== undefined) step.ignored.push(ignored);
}

function apply(
  step: AnthropicStep,
  message: OpenMessage,
  block: OpenBlock,
  delta: JsonObject,
): IgnoredKind | undefined {
  const type = stringAt(delta, 'type') ?? '';
  switch (type) {
    case 'text_delta':
      return block.kind === 'text' ? addText(step, message, block.part, delta) : 'misplaced_delta';
    case 'citations_delta':
      if (block.kind !== 'text') return 'misplaced_delta';
      addCitation(step, message, block.part, objectAt(delta, 'citation'));
      return undefined;
    case 'input_json_delta': {
      if (block.kind !== 'tool') return 'misplaced_delta';
      const piece = stringAt(delta, 'partial_json') ?? '';
      hold(step, piece);
      block.input += piece;
      return undefined;
    }
    default:
      return SILENT_DELTAS.has(type) ? undefined : 'unknown_delta';
  }
}

function addText(step: AnthropicStep, message: OpenMessage, at: number, delta: JsonObject): undefined {
  const text = stringAt(delta, 'text') ?? '';
  hold(step, text);
  const part = message.parts[at];
  if (part !== undefined) part.text += text;
}

/** A block ends, and what it held can be told. Text waits for its message. */
export function stopBlock(step: AnthropicStep, message: OpenMessage, index: number): void {
  const block = message.blocks.find((open) => open.index === index);
  if (block === undefined) return;
  message.blocks = message.blocks.filter((open) => open !== block);
  if (block.kind === 'tool') startTool(step, message, block);
  else if (block.kind === 'thinking') tellThinking(step, message);
}

/** That it thought, never what (P10); once a message, however often it pauses to think. */
function tellThinking(step: AnthropicStep, message: OpenMessage): void {
  if (message.hasThought) return;
  message.hasThought = true;
  const activityId = activityIdOf(step, 'thinking', message.messageId);
  tellWhole(step, { activityId, title: 'Thinking' });
}
