import { badUserInput } from '../errors.js';
import { checkedJson, isObject, type JsonObject } from '../parse.js';
import { type Fault, findFaults, formatIndex } from './form-validator.js';

/** The largest submission, as JSON in UTF-8. */
const MAX_SUBMISSION_BYTES = 256 * 1024;

/** How many faults an error names. */
const MAX_FAULTS = 20;

/**
 * What was filled in, checked against a form from `parseRequestedSchema`: nothing is coerced, no default filled in, and no field taken
 * that the form does not have. Absent or null is an empty submission. Texts become what the database can hold.
 * @param path names the submission in an error.
 * @throws BAD_USER_INPUT; `faults` in its details has up to 20 of { path, reason }, never a value, `path` is the first one's.
 */
export function checkSubmission(schema: JsonObject, submission: unknown, path: string): JsonObject {
  const answers = checkedJson(submission ?? {}, path);
  if (!isObject(answers))
    throw badUserInput(`${path}: expected an object with a value for each field.`, { path });
  const bytes = Buffer.byteLength(JSON.stringify(answers));
  if (bytes > MAX_SUBMISSION_BYTES) throw tooLarge(path, bytes);
  const faults = findFaults(schema, answers);
  if (faults.length > 0) throw refused(path, faults);
  return answers;
}

/** An approval without a form takes no submission, not even an empty one. @throws BAD_USER_INPUT. */
export function requireNoSubmission(submission: unknown, path: string): void {
  if (submission === undefined || submission === null) return;
  throw badUserInput(`${path}: expected none, since no form was requested; approve without it.`, { path });
}

const tooLarge = (path: string, bytes: number) =>
  badUserInput(
    `${path}: expected at most ${MAX_SUBMISSION_BYTES.toLocaleString('en')} bytes of JSON, got ${bytes.toLocaleString('en')}.`,
    { path },
  );

function refused(path: string, all: readonly Fault[]) {
  const faults = all
    .slice(0, MAX_FAULTS)
    .map((fault) => ({ path: pathOf(fault, path), reason: fault.reason }));
  const told = faults.map(({ path, reason }) => `${path}: ${reason}.`);
  const rest = all.length - faults.length;
  if (rest > 0) told.push(`And ${rest.toLocaleString('en')} more.`);
  return badUserInput(told.join(' '), { path: faults[0]?.path ?? path, faults });
}

const pathOf = (fault: Fault, root: string): string =>
  `${fault.field === undefined ? root : `${root}.${fault.field}`}${formatIndex(fault)}`;
