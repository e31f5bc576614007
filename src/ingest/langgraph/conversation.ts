import { isObject, type JsonObject, stringAt } from '../json.js';
import { settleIfOpen } from '../unclaimed-calls.js';
import { userContent } from '../user-messages.js';
import { callsOf, completionOf, textBlocksOf, typeOf } from './content.js';
import {
  callIdOf,
  closeMessage,
  messageIdOf,
  setContent,
  tellAnswer,
  tellCalls,
  tellUser,
} from './messages.js';
import type { LangGraphStep } from './state.js';

/**
 * Messages as the state of the graph has them: only what is new in them is told. `isNew`: whether they come with this run, and with them
 * their calls; a state has those of all runs.
 */
export function takeMessages(step: LangGraphStep, state: JsonObject, isNew: boolean): void {
  const { messages } = state;
  for (const message of Array.isArray(messages) ? messages : [messages]) {
    if (message !== undefined && message !== null) takeMessage(step, message, isNew);
  }
}

export function takeMessage(step: LangGraphStep, message: unknown, isNew: boolean): void {
  const name = isObject(message) ? stringAt(message, 'id') : undefined;
  if (!isObject(message)) step.ignored.push('not_an_event');
  else if (typeOf(message) === 'tool') takeResult(step, message);
  else if (!name) step.ignored.push('not_an_event');
  else if (typeOf(message) === 'human') {
    answered(step, false);
    tellUser(step, messageIdOf(step, 'user', name), userContent(message.content));
  } else if (typeOf(message) === 'ai') takeAnswer(step, name, message, isNew);
}

function answered({ state }: LangGraphStep, isAnswered: boolean): void {
  if (state.open !== null) state.open.isAnswered = isAnswered;
}

function takeAnswer(step: LangGraphStep, name: string, given: JsonObject, isNew: boolean): void {
  const { open: run, told } = step.state;
  const messageId = messageIdOf(step, 'agent', name);
  const message = run?.messages.find((open) => open.name === name);
  const isKnown = told.some(([id]) => id === messageId);
  if (run !== null && message !== undefined) {
    setContent(step, message, given);
    closeMessage(step, run, message, completionOf(given));
  }
  // What a graph within the graph says is told when it is said in this one.
  if (!message?.isTold) {
    tellAnswer(step, messageId, textBlocksOf(step.context, messageId, given), completionOf(given));
    if (isNew && !isKnown) tellCalls(step, { messageId, calls: callsOf(given) });
  }
  answered(step, callsOf(given).length === 0);
}

function takeResult(step: LangGraphStep, message: JsonObject): void {
  answered(step, false);
  const activityId = callIdOf(step, stringAt(message, 'tool_call_id') ?? '');
  settleIfOpen(step, activityId, message.status === 'error' ? 'FAILED' : 'COMPLETED');
}
