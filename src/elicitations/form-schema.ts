import { z } from 'zod';
import { badUserInput } from '../errors.js';
import { checkedJson, isObject, type JsonObject, parse, text } from '../parse.js';
import { grammarOf, keywords } from './form-fields.js';
import {
  largeClassesIn,
  MAX_LARGE_CLASSES,
  MAX_PATTERN_SIZE,
  MAX_PATTERN_STEPS,
  sizeOfPattern,
  stepsOfPattern,
} from './form-pattern.js';
import { MAX_MATCHED_TEXT } from './form-rules.js';
import { findFaults, formatIndex } from './form-validator.js';

/** The largest form, as JSON in UTF-8. */
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_FIELDS = 100;
const MAX_NAME = 128;

const form = keywords({
  /** Which dialect makes no difference to a subset as small as this one. */
  $schema: text(512).optional(),
  type: z.literal('object'),
  properties: z.custom<JsonObject>(isObject, 'expected an object with a property for each field'),
  required: z.array(z.string()).max(MAX_FIELDS, `expected at most ${MAX_FIELDS} names`).optional(),
});

/**
 * A form as an elicitation may request it: the flat subset of JSON Schema that the Model Context Protocol allows (revision 2025-11-25,
 * `requestedSchema` of `elicitation/create`), and `pattern` for texts. Up to 100 fields, each a text, a number, a whole number, a yes
 * or no, one option, or a selection of options; up to 64 KiB as JSON in UTF-8. The form comes back as it was sent, its texts as the
 * database can hold them.
 * @param path names the schema in an error.
 * @throws BAD_USER_INPUT with the path to the keyword at fault and what was expected there, also where bounds of a field contradict each other
 * and for a default that does not fit its own field.
 */
export function parseRequestedSchema(value: unknown, path: string): JsonObject {
  const schema = checkedJson(value, path);
  if (!isObject(schema)) throw refused(path, 'expected a JSON Schema, an object');
  requireSize(schema, path);
  const { properties, required = [] } = parse(form, schema, path);
  const fields = Object.entries(properties);
  requireNames(properties, `${path}.properties`);
  requireFewLargeClasses(Object.values(properties), `${path}.properties`);
  for (const [name, field] of fields) requireField(field, `${path}.properties.${name}`);
  requireSmallPatterns(Object.values(properties), `${path}.properties`);
  requireKnown(required, properties, `${path}.required`);
  requireFittingDefaults(schema, properties, `${path}.properties`);
  return schema;
}

function requireSize(schema: JsonObject, path: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes <= MAX_SCHEMA_BYTES) return;
  const [most, got] = [MAX_SCHEMA_BYTES, bytes].map((count) => count.toLocaleString('en'));
  throw refused(path, `expected at most ${most} bytes of JSON, got ${got}`);
}

function requireNames(properties: JsonObject, path: string): void {
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS)
    throw refused(path, `expected at most ${MAX_FIELDS} fields, got ${names.length}`);
  if (names.some((name) => name === '' || name.length > MAX_NAME)) {
    throw refused(path, `expected names of 1 to ${MAX_NAME} characters`);
  }
  // To too many who will read the form or its answers it is not a name like any other.
  if (names.includes('__proto__')) throw refused(path, 'expected another name than __proto__');
}

function requireField(field: unknown, path: string): void {
  if (!isObject(field)) throw refused(path, 'expected the JSON Schema of a field, an object');
  const grammar = grammarOf(field);
  if (grammar === undefined) {
    throw refused(
      `${path}.type`,
      'expected one of string, number, integer, boolean and array (forms do not nest)',
    );
  }
  parse(grammar, field, path);
}

/** Before any pattern is read. */
function requireFewLargeClasses(fields: readonly unknown[], path: string): void {
  const patterns = fields.flatMap((field) =>
    isObject(field) && typeof field.pattern === 'string' ? [field.pattern] : [],
  );
  const count = patterns.reduce((sum, pattern) => sum + largeClassesIn(pattern), 0);
  if (count > MAX_LARGE_CLASSES) {
    throw refused(
      path,
      `expected at most ${MAX_LARGE_CLASSES} of \\p{…}, \\P{…} and \\S in all patterns together, got ${count}`,
    );
  }
}

function requireSmallPatterns(fields: readonly unknown[], path: string): void {
  const patterns = fields.flatMap((field) =>
    isObject(field) && typeof field.pattern === 'string'
      ? { pattern: field.pattern, longest: Math.min(Number(field.maxLength ?? Infinity), MAX_MATCHED_TEXT) }
      : [],
  );
  const size = patterns.reduce((sum, { pattern }) => sum + sizeOfPattern(pattern), 0);
  if (size > MAX_PATTERN_SIZE) {
    throw refused(
      path,
      'expected smaller patterns or fewer, they are too much together; counts such as {1,500} make them large',
    );
  }
  const steps = patterns.reduce((sum, { pattern, longest }) => sum + stepsOfPattern(pattern, longest), 0);
  if (steps > MAX_PATTERN_STEPS) {
    throw refused(
      path,
      'expected smaller patterns, or a smaller maxLength beside them: together they take too long to match',
    );
  }
}

function requireKnown(required: readonly string[], properties: JsonObject, path: string): void {
  required.forEach((name, index) => {
    if (!Object.hasOwn(properties, name))
      throw refused(`${path}[${index}]`, 'expected the name of one of the properties');
    if (required.indexOf(name) < index) throw refused(`${path}[${index}]`, 'expected each name once');
  });
}

function requireFittingDefaults(schema: JsonObject, properties: JsonObject, path: string): void {
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) && 'default' in field ? [[name, field.default] as const] : [],
  );
  // Compiled without defaults too: that a form compiles is found out when it is asked, not when it is answered.
  const fault = findFaults(schema, Object.fromEntries(defaults)).find(({ kind }) => kind === 'unfit');
  if (fault !== undefined) throw refused(`${path}.${fault.field}.default${formatIndex(fault)}`, fault.reason);
}

const refused = (path: string, reason: string) => badUserInput(`${path}: ${reason}.`, { path });
