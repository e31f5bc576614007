import type { EventInput } from '../events/content.js';
import { MAX_TEXT } from '../parse.js';
import { type Answer, answerOf, fieldsOf } from './answer-schemas.js';
import { emit, resourceId } from './ids.js';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from './json.js';
import { askPermission } from './permissions.js';
import { publicText } from './public-text.js';
import { publicTool } from './redaction.js';
import type { Step } from './reducer.js';

/** What a run that was interrupted waits for. */
export interface Interrupt {
  /** What it tells the user; undefined if nothing that is known to be meant for one. */
  readonly message: string | undefined;
  /** A JSON schema of the answer. */
  readonly schema: JsonObject | undefined;
  /** The titles of the calls that it asks permission for; then it asks nothing else. */
  readonly calls: readonly string[];
}

/**
 * What a graph was interrupted with may be anything, so only what is meant for the user is taken of it (P10): a text, or one in an object
 * under the names that are in use, or a list of actions to be permitted.
 */
export function interruptOf(step: Step<unknown>, value: unknown): Interrupt {
  const given = isObject(value) ? value : {};
  const message =
    typeof value === 'string' ? value : MESSAGES.map((key) => stringAt(given, key)).find(Boolean);
  const schema = objectAt(given, 'responseSchema') ?? objectAt(given, 'response_schema');
  const actions = Array.isArray(value) ? value : ACTIONS.flatMap((key) => listAt(given, key));
  const names = actions
    .slice(0, MAX_ACTIONS)
    .filter(isObject)
    .map((action) => actionName(action));
  const calls = names
    .filter((name) => name !== undefined)
    .map((name) => publicTool(step.context.titles, name).title);
  return { message, schema, calls };
}

const MAX_ACTIONS = 100;
const MESSAGES = ['message', 'question', 'instruction', 'prompt'] as const;
const ACTIONS = ['action_requests', 'actionRequests'] as const;

/** A list of actions holds them, or requests about them. */
function actionName(action: JsonObject): string | undefined {
  const request = objectAt(action, 'action_request') ?? objectAt(action, 'actionRequest') ?? action;
  return stringAt(request, 'name') ?? stringAt(request, 'action');
}

/** Asks it. `key`: what the stream calls the interrupt by. */
export function askInterrupt(
  step: Step<unknown>,
  { message, schema, calls }: Interrupt,
  ...key: unknown[]
): void {
  for (const [at, title] of calls.entries()) askPermission(step, title, ...key, at);
  if (calls.length > 0) return;
  const questionId = resourceId(step.context, 'que', ...key);
  const text = message?.trim() ? publicText(message, MAX_TEXT) : 'The agent asks how to go on.';
  emit(step, { kind: 'question', questionId, text, ...form(questionId, schema) }, questionId);
}

type Question = Extract<EventInput, { kind: 'question' }>;

/** One field is the question itself; several are a form. */
function form(questionId: string, schema: JsonObject | undefined): Answer & Pick<Question, 'questions'> {
  const fields = fieldsOf(schema ?? {});
  const [only] = fields;
  if (only === undefined) return answerOf(schema ?? {});
  if (fields.length === 1) return answerOf(only.schema);
  const questions = fields.map(({ text, schema }, at) => ({
    questionId: `${questionId}_${at + 1}`,
    text,
    ...answerOf(schema),
  }));
  return { responseFormat: 'TEXT', questions };
}
