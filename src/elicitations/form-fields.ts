import { z } from 'zod';
import { isObject, type JsonObject, text } from '../parse.js';
import { refusalOf } from './form-pattern.js';
import { isMatched, MAX_MATCHED_TEXT, optionsOf } from './form-rules.js';

const MAX_OPTIONS = 1_000;

/** An object with these keywords and no other; the error lists them. */
export const keywords = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `expected only ${Object.keys(shape).join(', ')}, got ${JSON.stringify(`${issue.keys[0]}`.slice(0, 64))}`
        : undefined,
  });

/** What every field may have. Whether its default fits is for the validator to say. */
const COMMON = {
  title: text(1_024).optional(),
  description: text(4_096).optional(),
  default: z.unknown().optional(),
};

const count = () => z.number().int().min(0).optional();

/** Refuses a lower bound that is above the upper one. */
const ordered = (lower: string, upper: string) =>
  z.refine<JsonObject>((field) => !(Number(field[lower]) > Number(field[upper])), {
    path: [lower],
    error: `expected at most ${upper}`,
  });

const yesOrNo = keywords({ type: z.literal('boolean'), ...COMMON });

const number = keywords({
  type: z.enum(['number', 'integer']),
  ...COMMON,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})
  .check(ordered('minimum', 'maximum'))
  .refine((field) => field.type === 'number' || holdsWholeNumber(field), {
    path: ['minimum'],
    error: 'expected a whole number between minimum and maximum, and within 2^53-1',
  });

const holdsWholeNumber = ({ minimum = -Infinity, maximum = Infinity }): boolean =>
  Math.ceil(Math.max(minimum, Number.MIN_SAFE_INTEGER)) <=
  Math.floor(Math.min(maximum, Number.MAX_SAFE_INTEGER));

const pattern = text(1_000).superRefine((value, context) => {
  const refusal = refusalOf(value);
  if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal });
});

/** The fewest characters that a text of a format has, and the most if there is such a number. */
const LENGTHS = {
  email: [5],
  uri: [2],
  date: [10, 10],
  'date-time': [20],
} as const satisfies Readonly<Record<string, readonly [number, number?]>>;

const refuseLength = (context: z.RefinementCtx<unknown>, keyword: string, bound: string) =>
  context.addIssue({ code: 'custom', path: [keyword], message: `expected ${bound}, as its format has it` });

/** More characters than this need not fit into a submission, which is 256 KiB at most with the field's name. */
const MAX_MIN_LENGTH = 260_000;

const freeText = keywords({
  type: z.literal('string'),
  ...COMMON,
  minLength: z.number().int().min(0).max(MAX_MIN_LENGTH).optional(),
  maxLength: count(),
  pattern: pattern.optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
})
  .check(ordered('minLength', 'maxLength'))
  .superRefine(({ format, minLength = 0, maxLength = Infinity }, context) => {
    if (format === undefined) return;
    const [shortest, longest = Infinity]: readonly [number, number?] = LENGTHS[format];
    if (maxLength < shortest) refuseLength(context, 'maxLength', `at least ${shortest}`);
    if (minLength > longest) refuseLength(context, 'minLength', `at most ${longest}`);
  })
  .refine(
    ({ minLength = 0, maxLength = 0, ...field }) =>
      !isMatched(field) || Math.max(minLength, maxLength) <= MAX_MATCHED_TEXT,
    {
      path: ['maxLength'],
      error: `expected at most ${MAX_MATCHED_TEXT.toLocaleString('en')} characters beside a pattern or a format`,
    },
  );

/** The options of a field: at least one, each once, as `keyOf` tells them apart. */
const options = <Option extends z.ZodType>(option: Option, keyOf: (option: z.output<Option>) => string) =>
  z
    .array(option)
    .min(1, 'expected at least one option')
    .max(MAX_OPTIONS, `expected at most ${MAX_OPTIONS.toLocaleString('en')} options`)
    .superRefine((options, context) => {
      const seen = new Set<string>();
      options.forEach((option, index) => {
        if (seen.has(keyOf(option))) {
          context.addIssue({ code: 'custom', path: [index], message: 'expected each option once' });
        }
        seen.add(keyOf(option));
      });
    });

const optionValue = text(1_024);
const plainOptions = options(optionValue, (value) => value);
const titledOptions = options(keywords({ const: optionValue, title: text(1_024) }), (option) => option.const);

const plainChoice = keywords({
  type: z.literal('string'),
  ...COMMON,
  enum: plainOptions,
  enumNames: z.array(text(1_024)).optional(),
}).refine((field) => field.enumNames === undefined || field.enumNames.length === field.enum.length, {
  path: ['enumNames'],
  error: 'expected a name for each option of enum',
});

const titledChoice = keywords({ type: z.literal('string'), ...COMMON, oneOf: titledOptions });

const selection = <Items extends z.ZodType>(items: Items) =>
  keywords({ type: z.literal('array'), ...COMMON, minItems: count(), maxItems: count(), items })
    .check(ordered('minItems', 'maxItems'))
    .check(
      z.refine<JsonObject>(
        ({ minItems, items }) => !isObject(items) || Number(minItems ?? 0) <= optionsOf(items).length,
        {
          path: ['minItems'],
          error: 'expected at most the number of options',
        },
      ),
    );

const plainSelection = selection(keywords({ type: z.literal('string'), enum: plainOptions }));
const titledSelection = selection(keywords({ anyOf: titledOptions }));

/** What a field of this kind may say, or undefined for a type that a form cannot have. */
export function grammarOf(field: JsonObject): z.ZodType | undefined {
  switch (field.type) {
    case 'boolean':
      return yesOrNo;
    case 'number':
    case 'integer':
      return number;
    case 'string':
      if ('oneOf' in field) return titledChoice;
      return 'enum' in field ? plainChoice : freeText;
    case 'array':
      return isObject(field.items) && 'anyOf' in field.items ? titledSelection : plainSelection;
    default:
      return undefined;
  }
}
