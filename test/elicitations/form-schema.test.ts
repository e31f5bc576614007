import { describe, expect, it } from 'vitest';
import { parseRequestedSchema } from '../../src/elicitations/form-schema.js';
import { DomainError } from '../../src/errors.js';
import type { JsonObject } from '../../src/parse.js';

const parse = (schema: unknown) => parseRequestedSchema(schema, 'schema');
const form = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more });
const field = (field: unknown) => form({ field });

/** The message of the refusal; the path that it begins with is in its details too, if it is known. */
function refusal(schema: unknown): string {
  try {
    parse(schema);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe('BAD_USER_INPUT');
    expect(error.message.startsWith(`${error.details.path ?? 'schema'}: `)).toBe(true);
    return error.message;
  }
  throw new Error('the form was let through');
}

describe('a requested form', () => {
  it.each<[string, JsonObject]>([
    ['text', { type: 'string' }],
    [
      'text with everything',
      {
        type: 'string',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 9,
        pattern: '^a',
        default: 'ab',
      },
    ],
    ['email', { type: 'string', format: 'email', default: 'ada@example.org' }],
    ['uri', { type: 'string', format: 'uri', default: 'https://example.org/' }],
    ['date', { type: 'string', format: 'date', default: '2028-02-29' }],
    ['date-time', { type: 'string', format: 'date-time', default: '2026-07-30T12:00:00Z' }],
    ['number', { type: 'number', minimum: -0.5, maximum: 0.5, default: 0.25, title: 'T', description: 'D' }],
    ['integer', { type: 'integer', minimum: 1, maximum: 1, default: 1.0 }],
    ['boolean', { type: 'boolean', default: false, title: 'T', description: 'D' }],
    ['options', { type: 'string', enum: ['a', 'b'], default: 'b' }],
    ['options with names', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }],
    ['options with titles', { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'a' }],
    [
      'selection',
      {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: { type: 'string', enum: ['a', 'b'] },
        default: ['a'],
      },
    ],
    ['selection with titles', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: [] }],
  ])('may have %s', (_, sent) => {
    const schema = { ...field(sent), required: ['field'] };
    expect(parse(schema)).toEqual(schema);
  });

  it('may have no fields, and name its dialect', () => {
    const schema = form({}, { $schema: 'http://json-schema.org/draft-07/schema#', required: [] });
    expect(parse(schema)).toEqual(schema);
  });

  it('may have fields named like what every object in JavaScript has', () => {
    const names = ['constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '__defineGetter__'];
    const schema = form(Object.fromEntries(names.map((name) => [name, { type: 'boolean' }])), {
      required: names,
    });
    expect(Object.keys(parse(schema).properties ?? {})).toEqual(names);
  });

  it('has texts as the database can hold them', () => {
    expect(parse(field({ type: 'boolean', title: 'a\ud800' }))).toEqual(
      field({ type: 'boolean', title: 'a\ufffd' }),
    );
  });

  /** A list in a list, so many times. */
  const inside = (levels: number): unknown => (levels === 0 ? 1 : [inside(levels - 1)]);

  const options = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

  it.each<[string, unknown, string]>([
    ['no object', 'text', 'schema: expected a JSON Schema, an object.'],
    ['nothing', undefined, 'schema: expected a JSON Schema, an object.'],
    ['a list', [], 'schema: expected a JSON Schema, an object.'],
    ['another type', { type: 'array', properties: {} }, 'schema.type: expected object.'],
    [
      'no properties',
      { type: 'object' },
      'schema.properties: expected an object with a property for each field.',
    ],
    [
      'an unknown keyword',
      form({}, { additionalProperties: false }),
      'schema: expected only $schema, type, properties, required, got "additionalProperties".',
    ],
    [
      'a field that is none',
      field(true),
      'schema.properties.field: expected the JSON Schema of a field, an object.',
    ],
    [
      'nesting',
      field({ type: 'object', properties: {} }),
      'schema.properties.field.type: expected one of string, number, integer, boolean and array (forms do not nest).',
    ],
    [
      'a reference',
      field({ $ref: '#/properties/field' }),
      'schema.properties.field.type: expected one of string, number, integer, boolean and array (forms do not nest).',
    ],
    [
      'several types',
      field({ type: ['string', 'null'] }),
      'schema.properties.field.type: expected one of string, number, integer, boolean and array (forms do not nest).',
    ],
    [
      'a keyword of another type',
      field({ type: 'boolean', minLength: 1 }),
      'schema.properties.field: expected only type, title, description, default, got "minLength".',
    ],
    [
      'a keyword that is not in the subset',
      field({ type: 'number', exclusiveMinimum: 1 }),
      'schema.properties.field: expected only type, title, description, default, minimum, maximum, got "exclusiveMinimum".',
    ],
    [
      'a reference beside a type',
      field({ type: 'boolean', $ref: '#' }),
      'schema.properties.field: expected only type, title, description, default, got "$ref".',
    ],
    [
      'a keyword with a long name',
      field({ type: 'boolean', ['x'.repeat(1_000)]: 1 }),
      `schema.properties.field: expected only type, title, description, default, got "${'x'.repeat(64)}".`,
    ],
    [
      'options and lengths',
      field({ type: 'string', enum: ['a'], minLength: 1 }),
      'schema.properties.field: expected only type, title, description, default, enum, enumNames, got "minLength".',
    ],
    [
      'a null',
      field({ type: 'string', title: null }),
      'schema.properties.field.title: expected text, got null.',
    ],
    [
      'another format',
      field({ type: 'string', format: 'hostname' }),
      'schema.properties.field.format: expected one of email, uri, date, date-time.',
    ],
    [
      'lengths that contradict each other',
      field({ type: 'string', minLength: 2, maxLength: 1 }),
      'schema.properties.field.minLength: expected at most maxLength.',
    ],
    [
      'half a character',
      field({ type: 'string', minLength: 0.5 }),
      'schema.properties.field.minLength: expected a whole number, got another number.',
    ],
    [
      'a pattern beside long texts',
      field({ type: 'string', pattern: 'a', maxLength: 2_049 }),
      'schema.properties.field.maxLength: expected at most 2,048 characters beside a pattern or a format.',
    ],
    [
      'a negative length',
      field({ type: 'string', minLength: -1 }),
      'schema.properties.field.minLength: expected at least 0.',
    ],
    [
      'more characters than a submission holds',
      field({ type: 'string', minLength: 300_000 }),
      'schema.properties.field.minLength: expected at most 260,000.',
    ],
    [
      'dates that are too long',
      field({ type: 'string', format: 'date', minLength: 30 }),
      'schema.properties.field.minLength: expected at most 10, as its format has it.',
    ],
    [
      'dates that are too short',
      field({ type: 'string', format: 'date', maxLength: 3 }),
      'schema.properties.field.maxLength: expected at least 10, as its format has it.',
    ],
    [
      'a pattern that nothing matches',
      field({ type: 'string', pattern: '^a[]+$' }),
      'schema.properties.field.pattern: expected a pattern that some text matches.',
    ],
    [
      'a pattern that takes long beside long texts',
      field({ type: 'string', pattern: '[ab]*a[ab]{900}$' }),
      'schema.properties: expected smaller patterns, or a smaller maxLength beside them: together they take too long to match.',
    ],
    [
      'many large classes within brackets',
      form({
        a: { type: 'string', pattern: `^[${'\\p{L}'.repeat(150)}]$` },
        b: { type: 'string', pattern: `^[${'\\P{Lo}\\S\\\\p'.repeat(30)}]$` },
      }),
      'schema.properties: expected at most 200 of \\p{…}, \\P{…} and \\S in all patterns together, got 210.',
    ],
    [
      'a pattern that backtracks',
      field({ type: 'string', pattern: '(a)\\1' }),
      'schema.properties.field.pattern: expected a pattern without look-around, back-references and flags.',
    ],
    [
      'patterns that are too much together',
      form({ a: { type: 'string', pattern: 'a{900}' }, b: { type: 'string', pattern: '^[a-z]{0,600}$' } }),
      'schema.properties: expected smaller patterns or fewer, they are too much together; counts such as {1,500} make them large.',
    ],
    [
      'bounds that contradict each other',
      field({ type: 'number', minimum: 2, maximum: 1 }),
      'schema.properties.field.minimum: expected at most maximum.',
    ],
    [
      'bounds without a whole number',
      field({ type: 'integer', minimum: 0.2, maximum: 0.8 }),
      'schema.properties.field.minimum: expected a whole number between minimum and maximum, and within 2^53-1.',
    ],
    [
      'whole numbers that JSON does not carry',
      field({ type: 'integer', minimum: 2 ** 54 }),
      'schema: expected whole numbers of up to 2^53-1, got one beyond. Send it as text.',
    ],
    [
      'infinity',
      field({ type: 'number', maximum: Number('1e400') }),
      'schema: expected numbers of up to 1.7976931348623157e308, got a larger one.',
    ],
    [
      'no options',
      field({ type: 'string', enum: [] }),
      'schema.properties.field.enum: expected at least one option.',
    ],
    [
      'an option twice',
      field({ type: 'string', enum: ['a', 'b', 'a'] }),
      'schema.properties.field.enum[2]: expected each option once.',
    ],
    [
      'an option twice under two titles',
      field({
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'a', title: 'B' },
        ],
      }),
      'schema.properties.field.oneOf[1]: expected each option once.',
    ],
    [
      'an option without a title among titled ones',
      field({ type: 'string', oneOf: [{ const: 'a' }] }),
      'schema.properties.field.oneOf[0].title: expected text, got none.',
    ],
    [
      'an option that is no text',
      field({ type: 'string', enum: [1] }),
      'schema.properties.field.enum[0]: expected text, got a number.',
    ],
    [
      'names for some options',
      field({ type: 'string', enum: ['a', 'b'], enumNames: ['A'] }),
      'schema.properties.field.enumNames: expected a name for each option of enum.',
    ],
    [
      'too many options',
      field({ type: 'string', enum: options(1_001) }),
      'schema.properties.field.enum: expected at most 1,000 options.',
    ],
    [
      'a list of anything',
      field({ type: 'array' }),
      'schema.properties.field.items: expected an object, got none.',
    ],
    [
      'a list of texts',
      field({ type: 'array', items: { type: 'string' } }),
      'schema.properties.field.items.enum: expected a list, got none.',
    ],
    [
      'a selection with contradicting counts',
      field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, maxItems: 1 }),
      'schema.properties.field.minItems: expected at most maxItems.',
    ],
    [
      'a selection of more than there is',
      field({ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, minItems: 2 }),
      'schema.properties.field.minItems: expected at most the number of options.',
    ],
    [
      'a default of another type',
      field({ type: 'integer', default: '1' }),
      'schema.properties.field.default: expected a whole number.',
    ],
    [
      'a default out of bounds',
      field({ type: 'number', maximum: 1, default: 2 }),
      'schema.properties.field.default: expected at most 1.',
    ],
    [
      'a default that is too short',
      field({ type: 'string', minLength: 2, default: '💥' }),
      'schema.properties.field.default: expected at least 2 characters.',
    ],
    [
      'a default that is no option',
      field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a', 'c'] }),
      "schema.properties.field.default[1]: expected one of the field's 2 options.",
    ],
    [
      'a null as default',
      field({ type: 'boolean', default: null }),
      'schema.properties.field.default: expected true or false.',
    ],
    [
      'an unknown required field',
      form({ a: { type: 'boolean' } }, { required: ['a', 'toString'] }),
      'schema.required[1]: expected the name of one of the properties.',
    ],
    [
      'a field required twice',
      form({ a: { type: 'boolean' } }, { required: ['a', 'a'] }),
      'schema.required[1]: expected each name once.',
    ],
    [
      'a field named __proto__',
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"boolean"}}}'),
      'schema.properties: expected another name than __proto__.',
    ],
    [
      'a keyword named __proto__',
      JSON.parse('{"type":"object","properties":{"field":{"type":"boolean","__proto__":{}}}}'),
      'schema.properties.field: expected only type, title, description, default, got "__proto__".',
    ],
    [
      'a name that is empty',
      form({ '': { type: 'boolean' } }),
      'schema.properties: expected names of 1 to 128 characters.',
    ],
    [
      'a name that is too long',
      form({ ['n'.repeat(129)]: { type: 'boolean' } }),
      'schema.properties: expected names of 1 to 128 characters.',
    ],
    [
      'too many fields',
      form(Object.fromEntries(options(101).map((name) => [name, { type: 'boolean' }]))),
      'schema.properties: expected at most 100 fields, got 101.',
    ],
    ['U+0000', field({ type: 'boolean', title: 'a\u0000' }), 'schema: expected text without U+0000 (NUL).'],
    [
      'too much of it',
      form({}, { $schema: 'é'.repeat(40_000) }),
      'schema: expected at most 65,536 bytes of JSON, got 80,046.',
    ],
  ])('with %s is refused', (_, schema, message) => {
    expect(refusal(schema)).toBe(message);
  });

  it('that nests deeper than anybody reads is refused without running out of stack', () => {
    let value: unknown = {};
    for (let depth = 0; depth < 50_000; depth++) value = { value };
    expect(refusal(value)).toBe('schema: expected at most 100 levels, got more.');
  });

  it('nests at most 100 levels, itself among them', () => {
    const nested = (levels: number) => field({ type: 'boolean', default: inside(levels - 3) });
    expect(refusal(nested(100))).toBe('schema.properties.field.default: expected true or false.');
    expect(refusal(nested(101))).toBe('schema: expected at most 100 levels, got more.');
  });

  it('may have a large pattern for short texts, or one that begins with ^ and ends', () => {
    for (const some of [{ pattern: '[ab]*a[ab]{900}$', maxLength: 200 }, { pattern: '^[a-z]{1,100}$' }]) {
      expect(parse(field({ type: 'string', ...some }))).toBeDefined();
    }
  });
});
