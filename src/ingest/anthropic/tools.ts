import { activityIdOf, settleActivity } from '../activities.js';
import { startCall } from '../calls.js';
import { deliver, deliveryOf } from '../deliveries.js';
import { hold } from '../held.js';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.js';
import { publicTool } from '../redaction.js';
import { parseToolInput } from '../tool-input.js';
import type { AnthropicStep, OpenMessage, OpenTool } from './state.js';

const TOOL_USES = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

export const isToolUse = (type: string): boolean => TOOL_USES.has(type);
export const isToolResult = (type: string): boolean => type.endsWith('tool_result');

/** A call, by the id that its result will name; a call without an id, by its place. */
const callId = (step: AnthropicStep, id: string | undefined, message: OpenMessage, index?: number): string =>
  id ? activityIdOf(step, 'call', id) : activityIdOf(step, 'call', message.messageId, index);

/** A tool block begins. Its input is kept as text until the block ends. */
export function openTool(
  step: AnthropicStep,
  message: OpenMessage,
  index: number,
  block: JsonObject,
): OpenTool {
  const given = objectAt(block, 'input');
  const initial = given === undefined ? '' : JSON.stringify(given);
  const name = stringAt(block, 'name') ?? '';
  hold(step, initial + name);
  return {
    kind: 'tool',
    index,
    activityId: callId(step, stringAt(block, 'id'), message, index),
    name,
    isCallers: block.type === 'tool_use',
    initial,
    input: '',
  };
}

/** The input of a tool is complete: the call is told, unless its input turns out to be half an input. */
export function startTool(step: AnthropicStep, message: OpenMessage, tool: OpenTool): void {
  const input = inputOf(step, tool);
  if (input === undefined) {
    step.ignored.push('unfinished_tool_input');
    return;
  }
  const { activityId, isCallers } = tool;
  const known = publicTool(step.context.titles, tool.name);
  startCall(step, { activityId, tool: known, messageId: message.messageId, isCallers }, input);
}

/** Its pieces, or what its block began with. */
const inputOf = (step: AnthropicStep, { input, initial }: OpenTool): JsonObject | undefined =>
  parseToolInput(step, input.trim() === '' ? initial : input);

/** A result comes whole. It may belong to a call of an earlier message, or of an earlier stream. */
export function settleTool(step: AnthropicStep, message: OpenMessage, type: string, block: JsonObject): void {
  const activityId = callId(step, stringAt(block, 'tool_use_id'), message);
  const content = objectAt(block, 'content');
  deliverFiles(step, message, activityId, content);
  const { title } = publicTool(step.context.titles, type.replace(/_?tool_result$/, ''));
  settleActivity(step, { activityId, title }, hasFailed(block, content) ? 'FAILED' : 'COMPLETED');
}

const hasFailed = (block: JsonObject, content: JsonObject | undefined): boolean =>
  block.is_error === true || (content !== undefined && /_error$/.test(stringAt(content, 'type') ?? ''));

/** The files that code left for its caller: each has a file id in the result. */
function deliverFiles(
  step: AnthropicStep,
  message: OpenMessage,
  activityId: string,
  content: JsonObject | undefined,
): void {
  const outputs = content === undefined ? [] : listAt(content, 'content');
  const files = outputs.filter(isObject).flatMap((output) => {
    const fileId = stringAt(output, 'file_id');
    if (!fileId) return [];
    message.files++;
    return [deliveryOf(step, output, message.files, fileId)];
  });
  deliver(step, files, activityId);
}
