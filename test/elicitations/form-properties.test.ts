import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRequestedSchema } from '../../src/elicitations/form-schema.js';
import { checkSubmission } from '../../src/elicitations/form-submission.js';
import type { JsonObject } from '../../src/parse.js';

/** A field, an answer that fits it, and one that does not. */
interface Sample {
  readonly field: JsonObject;
  readonly fitting: unknown;
  readonly unfit: unknown;
}

const characters = (text: string) => [...text].length;
const anyText = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\u0000'));
const safe = fc.integer({ min: -(10 ** 9), max: 10 ** 9 });

const plainText = fc.record({ fitting: anyText, spare: fc.nat(3) }).map(({ fitting, spare }): Sample => {
  const field = {
    type: 'string',
    minLength: Math.max(characters(fitting) - spare, 0),
    maxLength: characters(fitting) + spare,
  };
  return { field, fitting, unfit: 'x'.repeat(field.maxLength + 1) };
});
const matchedText = fc.constantFrom<Sample>(
  { field: { type: 'string', pattern: '^\\p{Lu}{2}\\d+$' }, fitting: 'ÄÖ42', unfit: 'äö42' },
  { field: { type: 'string', format: 'email' }, fitting: 'a@b.example', unfit: 'a@b@c' },
  { field: { type: 'string', format: 'uri' }, fitting: 'urn:isbn:1', unfit: 'isbn' },
  { field: { type: 'string', format: 'date' }, fitting: '2028-02-29', unfit: '2027-02-29' },
  {
    field: { type: 'string', format: 'date-time' },
    fitting: '2026-07-30T12:00:00+02:00',
    unfit: '2026-07-30',
  },
);
const number = fc.record({ type: fc.constantFrom('number', 'integer'), fitting: safe, spare: fc.nat(3) }).map(
  ({ type, fitting, spare }): Sample => ({
    field: { type, minimum: fitting - spare, maximum: fitting + spare },
    fitting,
    unfit: fitting + spare + 1,
  }),
);
const fraction = safe.map(
  (whole): Sample => ({ field: { type: 'integer' }, fitting: whole, unfit: whole + 0.5 }),
);
const yesOrNo = fc
  .tuple(fc.boolean(), fc.constantFrom<unknown>('true', 1, null, [], {}))
  .map(([fitting, unfit]): Sample => ({ field: { type: 'boolean' }, fitting, unfit }));

const options = fc.uniqueArray(anyText, { minLength: 1, maxLength: 5 });
const titledOptions = (values: readonly string[]) =>
  values.map((value) => ({ const: value, title: `${value}!` }));
const choice = fc
  .tuple(options, fc.constantFrom('plain', 'named', 'titled'), fc.nat())
  .map(([values, kind, at]): Sample => {
    const plain = { type: 'string', enum: values };
    const field = {
      plain,
      named: { ...plain, enumNames: values },
      titled: { type: 'string', oneOf: titledOptions(values) },
    }[kind];
    return {
      field: field ?? plain,
      fitting: values[at % values.length],
      unfit: `${values.join('')} and more`,
    };
  });
const selection = fc.tuple(options, fc.boolean(), fc.nat()).map(([values, isTitled, at]): Sample => {
  const fitting = values.slice(0, (at % values.length) + 1);
  const items = isTitled ? { anyOf: titledOptions(values) } : { type: 'string', enum: values };
  const field = { type: 'array', items, minItems: fitting.length, maxItems: fitting.length };
  return { field, fitting, unfit: at % 2 === 0 ? [...fitting, fitting[0]] : fitting.slice(1) };
});

const sample = fc.oneof(plainText, matchedText, number, fraction, yesOrNo, choice, selection);
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((name) => name !== '__proto__' && !name.includes('\u0000'));
const samples = fc
  .uniqueArray(fc.tuple(name, sample), { minLength: 1, maxLength: 6, selector: ([name]) => name })
  .map((pairs) => new Map(pairs));

const answersOf = (samples: ReadonlyMap<string, Sample>, of: (sample: Sample, name: string) => unknown) =>
  Object.fromEntries([...samples].map(([name, sample]) => [name, of(sample, name)]));

describe('any form', () => {
  it('takes what fits it, as answers and as defaults, and nothing else', () => {
    fc.assert(
      fc.property(samples, fc.nat(), (samples, at) => {
        const names = [...samples.keys()];
        const broken = names[at % names.length] ?? '';
        const form = (of: (sample: Sample) => JsonObject) => ({
          type: 'object',
          properties: answersOf(samples, of),
          required: [broken],
        });
        const schema = parseRequestedSchema(
          form(({ field, fitting }) => ({ ...field, default: fitting })),
          'schema',
        );
        const fitting = answersOf(samples, (sample) => sample.fitting);
        const submit = (submission: unknown) => checkSubmission(schema, submission, 'answers');

        expect(submit(fitting)).toEqual(fitting);
        const { [broken]: _, ...missing } = fitting;
        expect(() => submit(missing)).toThrow(`answers.${broken}: expected a value`);
        expect(() => submit({ ...fitting, [names.join('+and+')]: 1, '': 1 })).toThrow(
          'answers: expected fields of the form only',
        );
        const unfit = answersOf(samples, (sample, name) => (name === broken ? sample.unfit : sample.fitting));
        expect(() => submit(unfit)).toThrow(`answers.${broken}`);
      }),
      { numRuns: 100 },
    );
  });
});
