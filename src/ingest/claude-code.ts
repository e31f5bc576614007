import { parseInstant } from '../instant.js';
import { readAssistant } from './claude-code/assistant.js';
import { closeText } from './claude-code/messages.js';
import { readPiece } from './claude-code/pieces.js';
import { readResult } from './claude-code/results.js';
import { begin, endBackground, rest } from './claude-code/runs.js';
import { type ClaudeState, type ClaudeStep, isGoing, startState } from './claude-code/state.js';
import { startTask, updateTask } from './claude-code/tasks.js';
import { readUser } from './claude-code/user.js';
import { CUT_OFF } from './failures.js';
import { digest } from './ids.js';
import { type JsonObject, objectAt, stringAt } from './json.js';
import { askPermission } from './permissions.js';
import { publicTool } from './redaction.js';
import { asEnding, type EndReason, type Reducer } from './reducer.js';
import { endStream, failRun, pause } from './run.js';

/**
 * What Claude Code and the Agent SDK write, a line a message: as they run (stream-json), and as they keep it (transcripts). A run begins
 * with the first line and ends with its result; a transcript has no results, there the user's next message ends it.
 */
export const claudeCode: Reducer<ClaudeState> = {
  recognises: ({ value }) => isOfStream(value) || isOfTranscript(value),
  start: startState,
  reduce: (step, { value }) => {
    const type = stringAt(value, 'type');
    noteLine(step.state, value);
    const dated = withDate(step);
    if (type === undefined) step.ignored.push('not_an_event');
    else if (!SILENT.has(type)) reduceLine(dated, type, value);
  },
  end: (step, why) => {
    const dated = withDate(step);
    const { state } = step;
    if (state.isTranscript && why === 'eof') endTranscript(asEnding(dated));
    // Without a result it broke off, while it waited too.
    if (state.run === 'paused' && isEnd(why)) state.run = 'open';
    endStream(dated, why, closeText);
    if (isEnd(why)) endBackground(asEnding(dated));
  },
  turn: ({ newest }) => newest || undefined,
};

const isEnd = (why: EndReason): boolean => why === 'eof' || why === 'cutoff';

const STREAM_TYPES = new Set(['system', 'assistant', 'user', 'result', 'stream_event', 'rate_limit_event']);

/** The first line is the program's own, or a hook's before it; a part of a stream may begin anywhere. */
const isOfStream = (value: JsonObject): boolean =>
  STREAM_TYPES.has(stringAt(value, 'type') ?? '') &&
  (typeof value.subtype === 'string' || typeof value.session_id === 'string');

/** Of a transcript the lines before the first message say less. */
const isOfTranscript = (value: JsonObject): boolean =>
  typeof value.type === 'string' &&
  (typeof value.sessionId === 'string' ||
    typeof value.leafUuid === 'string' ||
    value.type === 'file-history-snapshot');

/** Lines that are understood and say nothing public. */
const SILENT = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'attachment',
  'attribution-snapshot',
  'auth_status',
  'content-replacement',
  'control_cancel_request',
  'control_response',
  'conversation_reset',
  'custom-title',
  'file-history-snapshot',
  'keep_alive',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'prompt_suggestion',
  'queue-operation',
  'speculation-accept',
  'streamlined_text',
  'streamlined_tool_use_summary',
  'summary',
  'tag',
  'task-summary',
  'tool_progress',
  'tool_use_summary',
  'worktree-state',
]);

type OnLine = (step: ClaudeStep, value: JsonObject) => void;

const LINES: ReadonlyMap<string, OnLine> = new Map<string, OnLine>([
  ['system', readSystem],
  ['assistant', readAssistant],
  ['user', readUser],
  ['stream_event', readPiece],
  ['result', readResult],
  ['rate_limit_event', readRateLimit],
  ['control_request', readRequest],
]);

function reduceLine(step: ClaudeStep, type: string, value: JsonObject): void {
  const read = LINES.get(type);
  if (read === undefined) step.ignored.push('unknown_event');
  else {
    if (step.state.run === 'paused' && RESUMING.has(type) && !value.error) begin(step);
    read(step, value);
  }
}

/** Lines that show that the agent goes on. */
const RESUMING = new Set(['assistant', 'user', 'stream_event']);

function noteLine(state: ClaudeState, value: JsonObject): void {
  state.isTranscript ||= typeof value.sessionId === 'string' && Object.hasOwn(value, 'parentUuid');
  const at = stringAt(value, 'timestamp');
  if (at !== undefined && parseInstant(at) instanceof Date) state.at = at;
}

/** The lines of a transcript say when they were written. */
const withDate = (step: ClaudeStep): ClaudeStep =>
  step.state.isTranscript && step.state.at !== null ? { ...step, createdAt: step.state.at } : step;

const SYSTEM: ReadonlyMap<string, OnLine> = new Map<string, OnLine>([
  ['init', startSession],
  ['task_started', startTask],
  ['task_notification', updateTask],
  ['task_updated', updateTask],
  ['turn_duration', endTurn],
]);

/** What the program tells of itself: nothing public, for the most part. */
const SILENT_SYSTEM =
  /^(?:hook_\w+|status|compact_boundary|microcompact_boundary|local_command|local_command_output|task_progress|files_persisted|api_\w+|elicitation_complete|session_state_changed|informational|notification|stop_hook_summary|away_summary|bridge_status|memory_\w+|scheduled_task_fire|post_turn_summary|mirror_error|commands_changed|plugin_install|permission_\w+|thinking_tokens)$/;

function readSystem(step: ClaudeStep, value: JsonObject): void {
  const subtype = stringAt(value, 'subtype');
  if (subtype === undefined) step.ignored.push('not_an_event');
  else if (SYSTEM.has(subtype)) SYSTEM.get(subtype)?.(step, value);
  else if (!SILENT_SYSTEM.test(subtype)) step.ignored.push('unknown_event');
}

/** A session begins or goes on. Another one's beginning is the end of one that told no result. */
function startSession(step: ClaudeStep, value: JsonObject): void {
  const { state } = step;
  const session = digest([stringAt(value, 'session_id')]);
  if (state.session !== null && state.session !== session && isGoing(state))
    failRun(step, CUT_OFF, closeText);
  state.session = session;
  begin(step);
}

/** In a transcript, what comes nearest to a result. */
function endTurn(step: ClaudeStep): void {
  const { state } = step;
  if (!isGoing(state) || !state.hasActed) return;
  closeText(step, 'COMPLETE');
  rest(step);
}

/** The last run of a transcript: over, unless a call waits for its result. */
function endTranscript(step: ClaudeStep): void {
  const { state } = step;
  const isAtWork = state.activities.some(({ activityId }) => !state.background.includes(activityId));
  if (state.run !== 'open' || isAtWork) return;
  closeText(step, 'COMPLETE');
  rest(step);
}

/** Past its limit an account may go on at a price; then nothing waits. */
function readRateLimit(step: ClaudeStep, value: JsonObject): void {
  const info = objectAt(value, 'rate_limit_info') ?? {};
  const isPaid = info.isUsingOverage === true || /^allowed/.test(stringAt(info, 'overageStatus') ?? '');
  if (info.status === 'rejected' && !isPaid && isGoing(step.state) && step.state.run !== 'paused')
    pause(step);
}

/** The program asks whoever runs it; what a call itself asks is told with that. */
function readRequest(step: ClaudeStep, value: JsonObject): void {
  const request = objectAt(value, 'request') ?? {};
  if (request.subtype !== 'can_use_tool') return;
  const tool = publicTool(step.context.titles, stringAt(request, 'tool_name') ?? '');
  if (tool.asks === undefined) askPermission(step, tool.title, 'request', stringAt(value, 'request_id'));
}
