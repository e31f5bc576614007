import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { hashOf } from '../events/content-hash.js';
import { parseInstant } from '../instant.js';
import type { JsonObject } from '../parse.js';
import { FormPattern } from './form-pattern.js';
import { rulesOf } from './form-rules.js';

/** One thing that is wrong with what was filled in. It tells what was expected, and nothing of the value. */
export interface Fault {
  readonly kind: 'missing' | 'unfit' | 'unknown field';
  /** None when the fault is a field that the form does not have. */
  readonly field?: string;
  /** Which of the selected options, from 0. */
  readonly index?: number;
  /** A phrase that begins with "expected". */
  readonly reason: string;
}

/** The step of a path that leads to the selected option at fault, if it is one. */
export const formatIndex = ({ index }: Fault): string => (index === undefined ? '' : `[${index}]`);

/** The compiled forms, weighed by their rules as JSON, in UTF-16 units. The one unused for longest goes first. */
const compiled = new LRUCache<string, ValidateFunction>({ max: 200, maxSize: 256 * 1024 });

/** How many compiled forms this process holds. */
export const countCompiled = (): number => compiled.size;

/** What is wrong with these answers to a form that `parseRequestedSchema` has let through. */
export function findFaults(form: JsonObject, answers: JsonObject): readonly Fault[] {
  const validate = compile(rulesOf(form));
  validate(answers);
  const errors = validate.errors ?? [];
  const faults = errors.filter((error) => !isRepeated(error, errors)).map(faultOf);
  // The function outlives this call, and what it found must not.
  validate.errors = null;
  return faults;
}

/** `if` only repeats what its `else` found, and what is no text is no option either. */
const isRepeated = ({ keyword, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean =>
  keyword === 'if' ||
  (keyword === 'type' &&
    all.some((other) => other.keyword === 'enum' && other.instancePath === instancePath));

function compile(rules: JsonObject): ValidateFunction {
  const key = hashOf(rules).toString('base64');
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const validate = newAjv().compile(rules);
  compiled.set(key, validate, { size: JSON.stringify(rules).length });
  return validate;
}

/**
 * One for each form, since an Ajv keeps what its schemas refer to, such as patterns, as long as it lives. Names and options reach the
 * code that it generates as quoted literals, and `ownProperties` makes a field named `constructor` one like any other. As it stands
 * it coerces nothing and fills nothing in.
 */
function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    ownProperties: true,
    code: { regExp: linearRegExp, optimize: false },
    // The rules are our own making.
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
  });
  addFormats.default(ajv, ['email', 'uri', 'date']);
  ajv.addFormat('date-time', isInstant);
  return ajv;
}

/** As the scalar DateTime has it. ajv's own takes a space for the T, and offsets such as +02, too. */
const isInstant = (text: string): boolean => parseInstant(text) instanceof Date;

const linearRegExp = Object.assign((pattern: string) => new FormPattern(pattern), { code: 'FormPattern' });

function faultOf({ keyword, instancePath, params }: ErrorObject): Fault {
  if (keyword === 'required') {
    return {
      kind: 'missing',
      field: params.missingProperty,
      reason: 'expected a value, which the form requires',
    };
  }
  if (keyword === 'additionalProperties') {
    return {
      kind: 'unknown field',
      reason: `expected fields of the form only, got ${shown(params.additionalProperty)}`,
    };
  }
  // A JSON pointer; forms are flat, so there are at most two steps.
  const [field = '', index] = instancePath.split('/').slice(1).map(unescapeStep);
  const reason = `expected ${EXPECTED[keyword]?.(params) ?? 'another value'}`;
  return { kind: 'unfit', field, ...(index === undefined ? {} : { index: Number(index) }), reason };
}

const unescapeStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** The longest name of an unknown field that an error repeats. */
const MAX_SHOWN = 64;

const shown = (name: string): string =>
  name.length <= MAX_SHOWN
    ? JSON.stringify(name)
    : `a name of ${name.length.toLocaleString('en')} characters`;

/** What ajv's keywords demand, in the words of whoever fills in a form. */
const EXPECTED: Readonly<Record<string, (params: ErrorObject['params']) => string>> = {
  type: ({ type }) => TYPES[type] ?? 'another type',
  minLength: ({ limit }) => `at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `at most ${counted(limit, 'character')}`,
  pattern: () => "text that matches the field's pattern",
  format: ({ format }) => FORMATS[format] ?? 'another format',
  minimum: ({ limit }) => `at least ${limit}`,
  maximum: ({ limit }) => `at most ${limit}`,
  enum: ({ allowedValues }) => `one of the field's ${counted(allowedValues.length, 'option')}`,
  minItems: ({ limit }) => `at least ${counted(limit, 'selected option')}`,
  maxItems: ({ limit }) => `at most ${counted(limit, 'selected option')}`,
  uniqueItems: () => 'each option at most once',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list of options',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address such as ada@example.org',
  uri: 'an absolute URI such as https://example.org/',
  date: 'a date such as 2026-07-30',
  'date-time': 'an RFC 3339 instant such as 2026-07-30T12:00:00Z',
};

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
