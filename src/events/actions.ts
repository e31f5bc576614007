import type { Operation } from '../accounts/operation.js';
import { badUserInput } from '../errors.js';
import { id, optional, parse } from '../parse.js';
import { requireNotRun, requireService } from '../sessions/access.js';
import { type Appended, appendEvents, appendOne, prepareEvent, type Written } from './append.js';
import type { EventInput } from './content.js';
import { derivedId, randomId, sessionIdOf } from './ids.js';
import { findByNumber } from './store.js';

/**
 * Appends what an agent did: 1 to 500 events, all or nothing.
 * @throws FORBIDDEN unless SERVICE; BAD_USER_INPUT with the path; NOT_FOUND; CONFLICT with `current`, the event that has the id.
 */
export async function appendSessionEvents(
  operation: Operation,
  sessionId: string,
  events: readonly EventInput[],
): Promise<Appended> {
  requireService(operation.viewer, 'appendSessionEvents');
  return appendEvents(operation, sessionIdOf(sessionId), events);
}

export interface MessageInput {
  readonly sessionId: string;
  readonly text: string;
  /** Names the message, so that sending it again adds nothing; absent: a new one each time. */
  readonly messageId?: string | null | undefined;
  readonly files?: Extract<EventInput, { kind: 'user_message' }>['files'];
}

/**
 * Adds a user's message.
 * @throws FORBIDDEN for RUN; BAD_USER_INPUT; NOT_FOUND; CONFLICT when the messageId came before with other content.
 */
export async function sendMessage(operation: Operation, input: MessageInput): Promise<Written> {
  requireNotRun(operation.viewer, 'sendMessage');
  const sessionId = sessionIdOf(input.sessionId);
  if (input.text === '' && !input.files?.length) {
    throw badUserInput('input.text: expected some text or a file, got neither.', { path: 'input.text' });
  }
  const messageId = parse(optional(id()), input.messageId, 'input.messageId') ?? randomId();
  const eventId = derivedId('message', sessionId, messageId);
  const { text, files } = input;
  const message = prepareEvent({ kind: 'user_message', eventId, messageId, text, files });
  return appendOne(operation, sessionId, async () => ({ ...message, name: `the messageId "${messageId}"` }));
}

/**
 * Asks the agent to stop. While a stop is asked for and nothing has settled it, that request is given instead of a new one.
 * @throws FORBIDDEN for RUN; NOT_FOUND.
 */
export async function stopSession(operation: Operation, sessionId: string): Promise<Written> {
  requireNotRun(operation.viewer, 'stopSession');
  const id = sessionIdOf(sessionId);
  const request = prepareEvent({ kind: 'stop_requested', eventId: randomId() });
  return appendOne(operation, id, async (tx, { pendingStop }) =>
    pendingStop === null ? request : ((await findByNumber(tx, id, pendingStop)) ?? request),
  );
}
