import { isObject, type JsonObject, objectAt, stringAt } from '../json.js';
import { parseToolInput } from '../tool-input.js';
import { settleCall, tellCall } from '../unclaimed-calls.js';
import type { Envelope } from './envelopes.js';
import { callIdOf } from './messages.js';
import type { LangGraphStep, OpenRun } from './state.js';

/** The `tools` channel, in the words of either protocol: tools that the graph runs, or one within it. */
export function reduceTool(step: LangGraphStep, run: OpenRun, { data }: Envelope): void {
  const id = stringAt(data, 'tool_call_id') || stringAt(data, 'toolCallId');
  const event = stringAt(data, 'event') ?? '';
  const onTool = TOOL_EVENTS.get(event);
  if (SILENT.has(event)) return;
  run.isAnswered = false;
  if (onTool === undefined) step.ignored.push('unknown_event');
  else if (!id) step.ignored.push('not_an_event');
  else onTool(step, run, callIdOf(step, id), data);
}

const SILENT = new Set(['tool-output-delta', 'on_tool_event']);

type OnTool = (step: LangGraphStep, run: OpenRun, activityId: string, data: JsonObject) => void;

const TOOL_EVENTS: ReadonlyMap<string, OnTool> = new Map<string, OnTool>([
  ['tool-started', startTool],
  ['on_tool_start', startTool],
  ['tool-finished', endTool],
  ['on_tool_end', endTool],
  ['tool-error', (step, _, activityId) => settleCall(step, activityId, 'FAILED')],
  ['on_tool_error', (step, _, activityId) => settleCall(step, activityId, 'FAILED')],
]);

/** The message that made the call has told it, unless that was of a graph within the graph. */
function startTool(step: LangGraphStep, run: OpenRun, activityId: string, data: JsonObject): void {
  if (step.state.activities.some((open) => open.activityId === activityId)) return;
  const name = stringAt(data, 'tool_name') ?? stringAt(data, 'name') ?? '';
  const input = objectAt(data, 'input') ?? parseToolInput(step, stringAt(data, 'input') ?? '') ?? {};
  tellCall(step, { activityId, messageId: run.id }, name, input);
}

function endTool(step: LangGraphStep, _: OpenRun, activityId: string, { output }: JsonObject): void {
  const hasFailed = isObject(output) && output.status === 'error';
  settleCall(step, activityId, hasFailed ? 'FAILED' : 'COMPLETED');
}
