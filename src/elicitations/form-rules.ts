import { isObject, type JsonObject } from '../parse.js';

/** The longest text, in characters, that is held against a pattern or a format: bounds the time that this takes. */
export const MAX_MATCHED_TEXT = 2_048;

/**
 * What of a form decides about answers, as a JSON Schema for ajv: without titles, descriptions and defaults, options with titles as
 * plain ones, and with the bounds that hold for every form.
 */
export function rulesOf({ properties, required = [] }: JsonObject): JsonObject {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, isObject(field) && ruleOf(field)])),
    required,
    additionalProperties: false,
  };
}

function ruleOf(field: JsonObject): JsonObject {
  if (field.type === 'array') return selectionRule(field);
  if (field.type === 'integer') return integerRule(field);
  if (field.type !== 'string') return pick(field, ['type', 'minimum', 'maximum']);
  if (hasOptions(field)) return optionRule(field);
  return isMatched(field) ? matchedRule(field) : pick(field, TEXT_KEYWORDS);
}

const TEXT_KEYWORDS = ['type', 'minLength', 'maxLength'];

/** Whether texts of this field are held against a pattern or a format. */
export const isMatched = (field: JsonObject): boolean => 'pattern' in field || 'format' in field;

/** Ajv looks on after a fault: that a text is too long would by itself not keep it from being matched. */
function matchedRule(field: JsonObject): JsonObject {
  return {
    ...pick(field, TEXT_KEYWORDS),
    maxLength: Math.min(Number(field.maxLength ?? Infinity), MAX_MATCHED_TEXT),
    if: { minLength: MAX_MATCHED_TEXT + 1 },
    else: pick(field, ['pattern', 'format']),
  };
}

/** Beyond these a JSON number no longer says which whole number was meant. */
const integerRule = ({ minimum, maximum }: JsonObject): JsonObject => ({
  type: 'integer',
  minimum: Math.max(Number(minimum ?? -Infinity), Number.MIN_SAFE_INTEGER),
  maximum: Math.min(Number(maximum ?? Infinity), Number.MAX_SAFE_INTEGER),
});

const optionRule = (field: JsonObject): JsonObject => ({ type: 'string', enum: optionsOf(field) });

/** An option can be selected once, so more than there are need no looking at. */
function selectionRule(field: JsonObject): JsonObject {
  const items = optionRule(isObject(field.items) ? field.items : {});
  const most = optionsOf(items).length;
  return {
    ...pick(field, ['type', 'minItems']),
    maxItems: Math.min(Number(field.maxItems ?? most), most),
    if: { minItems: most + 1 },
    else: { items, uniqueItems: true },
  };
}

const hasOptions = (field: JsonObject): boolean => 'enum' in field || 'oneOf' in field;

/** The values to select from, whether they have titles or not. */
export function optionsOf({ enum: plain, oneOf, anyOf }: JsonObject): readonly unknown[] {
  if (Array.isArray(plain)) return plain;
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled) ? titled.map((option) => (isObject(option) ? option.const : undefined)) : [];
}

const pick = (from: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(
    keywords.filter((keyword) => keyword in from).map((keyword) => [keyword, from[keyword]]),
  );
