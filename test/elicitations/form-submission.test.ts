import { describe, expect, it } from 'vitest';
import { parseRequestedSchema } from '../../src/elicitations/form-schema.js';
import { checkSubmission, requireNoSubmission } from '../../src/elicitations/form-submission.js';
import { DomainError } from '../../src/errors.js';
import type { JsonObject } from '../../src/parse.js';

const form = (properties: JsonObject, required: readonly string[] = []) =>
  parseRequestedSchema({ type: 'object', properties, required }, 'schema');
const submit = (schema: JsonObject, submission: unknown) => checkSubmission(schema, submission, 'answers');

function refusal(act: () => unknown): DomainError {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('the submission was let through');
}
const refusalOf = (field: JsonObject, value: unknown) =>
  refusal(() => submit(form({ field }), { field: value })).message;

describe('a submission', () => {
  it('comes back as it was sent, without defaults', () => {
    const schema = form({
      a: { type: 'string', default: 'x' },
      b: { type: 'integer' },
      c: { type: 'boolean' },
    });
    expect(submit(schema, { b: 1.0, c: false })).toEqual({ b: 1, c: false });
  });

  it('may be absent when nothing is required', () => {
    const schema = form({ a: { type: 'string' } });
    expect([submit(schema, undefined), submit(schema, null), submit(schema, {})]).toEqual([{}, {}, {}]);
  });

  it('that is absent is told what is required', () => {
    const schema = form({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } }, ['a', 'c']);
    const error = refusal(() => submit(schema, undefined));
    expect(error.code).toBe('BAD_USER_INPUT');
    expect(error.message).toBe(
      'answers.a: expected a value, which the form requires. answers.c: expected a value, which the form requires.',
    );
    expect(error.details).toEqual({
      path: 'answers.a',
      faults: [
        { path: 'answers.a', reason: 'expected a value, which the form requires' },
        { path: 'answers.c', reason: 'expected a value, which the form requires' },
      ],
    });
  });

  it('is refused where no form was requested', () => {
    requireNoSubmission(undefined, 'answers');
    requireNoSubmission(null, 'answers');
    expect(refusal(() => requireNoSubmission({}, 'answers'))).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: 'answers: expected none, since no form was requested; approve without it.',
    });
  });

  const text = { type: 'string' };
  const choice = { type: 'string', enum: ['a', 'b'] };
  const selection = {
    type: 'array',
    minItems: 1,
    maxItems: 2,
    items: { type: 'string', enum: ['a', 'b', 'c'] },
  };
  const titled = { const: 'a', title: 'A' };

  it.each<[string, JsonObject, unknown, string]>([
    ['a number for a text', text, 1, 'answers.field: expected text.'],
    ['a number for other text', { ...text, pattern: 'a' }, 1, 'answers.field: expected text.'],
    ['null for a text', text, null, 'answers.field: expected text.'],
    ['a list for a text', text, ['a'], 'answers.field: expected text.'],
    ['too little text', { ...text, minLength: 2 }, '💥', 'answers.field: expected at least 2 characters.'],
    ['too much text', { ...text, maxLength: 1 }, 'ab', 'answers.field: expected at most 1 character.'],
    [
      'other text',
      { ...text, pattern: '^a$' },
      'b',
      "answers.field: expected text that matches the field's pattern.",
    ],
    [
      'no email address',
      { ...text, format: 'email' },
      'ada',
      'answers.field: expected an email address such as ada@example.org.',
    ],
    [
      'no URI',
      { ...text, format: 'uri' },
      '/a',
      'answers.field: expected an absolute URI such as https://example.org/.',
    ],
    [
      'no date',
      { ...text, format: 'date' },
      '2027-02-29',
      'answers.field: expected a date such as 2026-07-30.',
    ],
    [
      'no instant',
      { ...text, format: 'date-time' },
      '2026-07-30T12:00:00',
      'answers.field: expected an RFC 3339 instant such as 2026-07-30T12:00:00Z.',
    ],
    ...[
      '2026-07-30T12:00:00+02',
      '2026-07-30T12:00:00+0200',
      '2026-07-30 12:00:00Z',
      '2026-02-30T12:00:00Z',
    ].map((value): [string, JsonObject, unknown, string] => [
      value,
      { ...text, format: 'date-time' },
      value,
      'answers.field: expected an RFC 3339 instant such as 2026-07-30T12:00:00Z.',
    ]),
    ['a list for an option', selection, [['a']], "answers.field[0]: expected one of the field's 3 options."],
    ['a number for an option', choice, 1, "answers.field: expected one of the field's 2 options."],
    ['a text for a number', { type: 'number' }, '1', 'answers.field: expected a number.'],
    ['too little', { type: 'number', minimum: 0.5 }, 0.4, 'answers.field: expected at least 0.5.'],
    ['too much', { type: 'integer', maximum: 5 }, 6, 'answers.field: expected at most 5.'],
    ['a fraction', { type: 'integer' }, 1.5, 'answers.field: expected a whole number.'],
    [
      'a whole number that JSON does not carry',
      { type: 'integer' },
      2 ** 53,
      'answers: expected whole numbers of up to 2^53-1, got one beyond. Send it as text.',
    ],
    [
      'infinity',
      { type: 'number' },
      Number('1e400'),
      'answers: expected numbers of up to 1.7976931348623157e308, got a larger one.',
    ],
    [
      'what is no number',
      { type: 'number' },
      Number.NaN,
      'answers: expected numbers of up to 1.7976931348623157e308, got a larger one.',
    ],
    ['a text for a yes or no', { type: 'boolean' }, 'true', 'answers.field: expected true or false.'],
    ['zero for a yes or no', { type: 'boolean' }, 0, 'answers.field: expected true or false.'],
    ['no option', choice, 'c', "answers.field: expected one of the field's 2 options."],
    [
      'the title of an option',
      { type: 'string', oneOf: [titled] },
      'A',
      "answers.field: expected one of the field's 1 option.",
    ],
    ['an option for a selection', selection, 'a', 'answers.field: expected a list of options.'],
    ['too few options', selection, [], 'answers.field: expected at least 1 selected option.'],
    ['too many options', selection, ['a', 'b', 'c'], 'answers.field: expected at most 2 selected options.'],
    ['an option twice', selection, ['a', 'a'], 'answers.field: expected each option at most once.'],
    [
      'no option in a selection',
      selection,
      ['a', 'x'],
      "answers.field[1]: expected one of the field's 3 options.",
    ],
    [
      'no option in a titled selection',
      { type: 'array', items: { anyOf: [titled] } },
      ['A'],
      "answers.field[0]: expected one of the field's 1 option.",
    ],
    ['U+0000', text, 'a\u0000', 'answers: expected text without U+0000 (NUL).'],
  ])('with %s is refused', (_, field, value, message) => {
    expect(refusalOf(field, value)).toBe(message);
  });

  it.each([[], 'a', 1, true])('%j is no submission', (submission) => {
    expect(refusal(() => submit(form({}), submission)).message).toBe(
      'answers: expected an object with a value for each field.',
    );
  });

  it('has no fields beside those of the form', () => {
    const schema = form({ a: { type: 'boolean' } });
    const unknown = (json: string) => refusal(() => submit(schema, JSON.parse(json))).message;
    expect(unknown('{"b":1}')).toBe('answers: expected fields of the form only, got "b".');
    expect(unknown('{"__proto__":{"a":true}}')).toBe(
      'answers: expected fields of the form only, got "__proto__".',
    );
    expect(unknown('{"constructor":1}')).toBe(
      'answers: expected fields of the form only, got "constructor".',
    );
    expect(unknown(`{"${'n'.repeat(100_000)}":1}`)).toBe(
      'answers: expected fields of the form only, got a name of 100,000 characters.',
    );
  });

  it('does not take what every object has for an answer', () => {
    const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'];
    const schema = form(Object.fromEntries(names.map((name) => [name, { type: 'boolean' }])), names);
    expect(refusal(() => submit(schema, {})).details.faults).toHaveLength(names.length);
    const answers = Object.fromEntries(names.map((name) => [name, true]));
    expect(submit(schema, answers)).toEqual(answers);
  });

  it('has texts as the database can hold them', () => {
    expect(submit(form({ a: text }), { a: 'a\ud800' })).toEqual({ a: 'a\ufffd' });
  });

  it('is told of 20 faults, and how many more there are', () => {
    const schema = form(Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}`, text])));
    const submission = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}`, 1]));
    const error = refusal(() => submit(schema, submission));
    expect(error.details.faults).toHaveLength(20);
    expect(error.message).toMatch(/answers\.f19: expected text\. And 5 more\.$/);
  });

  it('is never repeated in an error', () => {
    const schema = form({
      a: { type: 'string', minLength: 10, pattern: 'x', format: 'date' },
      b: choice,
      c: selection,
      d: { type: 'number' },
    });
    const error = refusal(() => submit(schema, { a: 'secret', b: 'secret', c: ['secret'], d: 'secret' }));
    expect(JSON.stringify([error.message, error.details])).not.toContain('secret');
  });

  it('is at most 256 KiB', () => {
    expect(refusalOf(text, 'é'.repeat(140_000))).toBe(
      'answers: expected at most 262,144 bytes of JSON, got 280,012.',
    );
    expect(submit(form({ field: text }), { field: 'a'.repeat(262_000) }).field).toHaveLength(262_000);
  });

  it('is matched up to 2,048 characters and no further', () => {
    const matched = { type: 'string', pattern: '^(a+)+$' };
    expect(submit(form({ field: matched }), { field: 'a'.repeat(2_048) }).field).toHaveLength(2_048);
    // One fault and not two: the pattern was not tried.
    expect(refusalOf(matched, `${'a'.repeat(100_000)}!`)).toBe(
      'answers.field: expected at most 2,048 characters.',
    );
    expect(refusalOf({ type: 'string', format: 'email' }, 'a.'.repeat(100_000))).toBe(
      'answers.field: expected at most 2,048 characters.',
    );
    expect(refusalOf({ type: 'string', enum: ['a'] }, 'a'.repeat(200_000))).toBe(
      "answers.field: expected one of the field's 1 option.",
    );
  });

  it('selects among at most as many as there are options', () => {
    const many = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } };
    expect(refusalOf(many, Array(60_000).fill('x'))).toBe(
      'answers.field: expected at most 2 selected options.',
    );
  });
});

describe('what a form names', () => {
  // Ajv writes JavaScript: each of these would end a literal, a comment or a line of it if it were not quoted.
  const hostile = [
    ...[
      '"',
      "'",
      '`',
      '\\',
      '\\"',
      '\n',
      '\r\n',
      '\u2028',
      '\u2029',
      '*/',
      '//',
      '\u0024{x}',
      '</script>',
      ']',
      ')',
      '};',
    ],
    ...[
      '");globalThis.broken=1;("',
      "'];globalThis.broken=1;['",
      '`;globalThis.broken=1;`',
      '/',
      '~',
      '~1',
      '~0',
      '.',
    ],
    ...[
      'data',
      'vErrors',
      'errors',
      'validate',
      'this',
      '0',
      '-1',
      ' ',
      '💥',
      '\ufffd',
      'a b',
      '$data',
      '$ref',
    ],
  ];

  it('is never code: fields', () => {
    const schema = form(
      Object.fromEntries(hostile.map((name) => [name, { type: 'integer', maximum: 1 }])),
      hostile,
    );
    const answers = Object.fromEntries(hostile.map((name) => [name, 1]));
    expect(submit(schema, answers)).toEqual(answers);
    for (const name of hostile) {
      const error = refusal(() => submit(schema, { ...answers, [name]: 2 }));
      expect(error.message).toBe(`answers.${name}: expected at most 1.`);
    }
    expect(globalThis).not.toHaveProperty('broken');
  });

  it('is never code: options', () => {
    const schema = form({
      a: { type: 'string', enum: hostile },
      b: { type: 'array', items: { type: 'string', enum: hostile } },
    });
    for (const option of hostile)
      expect(submit(schema, { a: option, b: [option] })).toEqual({ a: option, b: [option] });
    expect(globalThis).not.toHaveProperty('broken');
  });

  it('is never code: patterns', () => {
    for (const text of hostile) {
      const pattern = `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
      const schema = form({ a: { type: 'string', pattern } });
      expect(submit(schema, { a: text })).toEqual({ a: text });
      expect(refusal(() => submit(schema, { a: `${text}x` })).message).toContain(
        "matches the field's pattern",
      );
    }
    expect(globalThis).not.toHaveProperty('broken');
  });

  it('holds for each field its own pattern', () => {
    const schema = form({ a: { type: 'string', pattern: '^a$' }, b: { type: 'string', pattern: '^b$' } });
    expect(submit(schema, { a: 'a', b: 'b' })).toEqual({ a: 'a', b: 'b' });
    expect(refusal(() => submit(schema, { a: 'b', b: 'a' })).details.faults).toHaveLength(2);
  });
});
