import { holdThingIn, letGo } from '../held.js';
import { isObject, type JsonObject, stringAt } from '../json.js';
import { settleIfOpen } from '../unclaimed-calls.js';
import { userContent } from '../user-messages.js';
import { callIdOf } from './calls.js';
import { messageIdOf, speakerOf, tellAnswer, tellUser } from './messages.js';
import type { AgUiStep, RunMessage } from './state.js';

/** The conversation as a whole. Only what is new in it is told, and it ends the calls whose results it has. */
export function takeMessages(step: AgUiStep, messages: readonly unknown[]): void {
  for (const message of messages) {
    if (isObject(message)) takeMessage(step, message);
    else step.ignored.push('not_an_event');
  }
}

function takeMessage(step: AgUiStep, message: JsonObject): void {
  const name = stringAt(message, 'id') ?? '';
  if (message.role === 'tool') takeResult(step, message);
  else if (name === '') step.ignored.push('not_an_event');
  else takeText(step, name, message);
}

function takeText(step: AgUiStep, name: string, message: JsonObject): void {
  const open = step.state.open?.messages.find((known) => known.name === name);
  const content = userContent(message.content);
  const speaker = speakerOf(message.role);
  const messageId = messageIdOf(step, speaker, name);
  // One that still comes is told at its end.
  if (open?.isOpen) return;
  if (open !== undefined) replaceText(step, open, content.text);
  if (speaker === 'agent') tellAnswer(step, messageId, content.text, 'COMPLETE');
  else if (speaker === 'user') tellUser(step, messageId, content);
}

/** What goes on goes on from here. */
function replaceText(step: AgUiStep, message: RunMessage, text: string): void {
  letGo(step, message);
  holdThingIn(step, message, message.name + text);
  message.text = text;
}

function takeResult(step: AgUiStep, message: JsonObject): void {
  const activityId = callIdOf(step, stringAt(message, 'toolCallId') ?? '');
  settleIfOpen(step, activityId, stringAt(message, 'error') ? 'FAILED' : 'COMPLETED');
}
