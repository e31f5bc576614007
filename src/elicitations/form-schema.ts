import { badUserInput } from '../errors.js';
import { isObject, type JsonObject } from '../parse.js';

/** A form as an elicitation may request it. @throws BAD_USER_INPUT. */
export function parseRequestedSchema(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw badUserInput(`${path}: expected an object.`, { path });
}
