import type { FormQuestion } from '../events/content.js';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from './json.js';
import { publicText } from './public-text.js';

/** How a question is answered. */
export type Answer = Pick<FormQuestion, 'responseFormat' | 'options'>;

/** One of several things that are asked at once. */
export interface Field {
  readonly text: string;
  readonly schema: JsonObject;
}

/** As many as a question holds. */
const MAX_FIELDS = 100;
const MAX_OPTIONS = 500;
const MAX_LABEL = 4_096;

/** The fields of a JSON schema that asks for an object, by what they say of themselves. */
export const fieldsOf = (schema: JsonObject): Field[] =>
  Object.entries(objectAt(schema, 'properties') ?? {})
    .slice(0, MAX_FIELDS)
    .map(([name, given]) => {
      const field = isObject(given) ? given : {};
      const text = stringAt(field, 'title') || stringAt(field, 'description') || name;
      return { text: publicText(text, MAX_LABEL), schema: field };
    });

/** How a value of this JSON schema is asked for: a choice where the schema lists one, else a text. */
export function answerOf(schema: JsonObject): Answer {
  if (schema.type === 'boolean') return { responseFormat: 'SINGLE_SELECT', options: YES_OR_NO };
  const isList = schema.type === 'array';
  const labels = labelsOf(isList ? (objectAt(schema, 'items') ?? {}) : schema);
  if (labels.length === 0) return { responseFormat: 'TEXT' };
  const options = labels.map((label, at) => ({ optionId: `option_${at + 1}`, label }));
  return { responseFormat: isList ? 'MULTI_SELECT' : 'SINGLE_SELECT', options };
}

const YES_OR_NO = [
  { optionId: 'yes', label: 'Yes' },
  { optionId: 'no', label: 'No' },
];

/** An `enum`, or alternatives that are one value each, by their titles. */
const labelsOf = (schema: JsonObject): string[] =>
  [...listAt(schema, 'enum'), ...[...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')].map(constantOf)]
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map((value) => publicText(String(value), MAX_LABEL))
    .filter((label) => label.trim() !== '')
    .slice(0, MAX_OPTIONS);

const constantOf = (alternative: unknown): unknown =>
  isObject(alternative) && alternative.const !== undefined
    ? (stringAt(alternative, 'title') ?? alternative.const)
    : undefined;
