import { badUserInput } from '../errors.js';
import { isObject, type JsonObject } from '../parse.js';

/** What was filled in, checked against a form; absent or null is an empty submission. @throws BAD_USER_INPUT. */
export function checkSubmission(_schema: JsonObject, submission: unknown, path: string): JsonObject {
  const answers = submission ?? {};
  if (isObject(answers)) return answers;
  throw badUserInput(`${path}: expected an object with a value for each field.`, { path });
}

/** An approval without a form takes no submission, not even an empty one. @throws BAD_USER_INPUT. */
export function requireNoSubmission(submission: unknown, path: string): void {
  if (submission === undefined || submission === null) return;
  throw badUserInput(`${path}: expected none, since no form was requested; approve without it.`, { path });
}
