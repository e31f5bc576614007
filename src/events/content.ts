import { z } from 'zod';
import { artifactsContent, deliveredOutputsContent } from '../artifacts/content.js';
import { citationsContent } from '../citations/content.js';
import { instant } from '../instant.js';
import { checkedJson, eachOnce, id, int32, optional, safeInt, text } from '../parse.js';

/** The kinds that this version knows, as they are stored; GraphQL shows them in upper case. */
export const KNOWN_KINDS = [
  'user_message',
  'agent_message',
  'methods',
  'question',
  'activity',
  'artifacts_delivered',
  'delivered_outputs',
  'error',
  'session_idle',
  'session_paused',
  'session_resumed',
  'stop_requested',
  'session_stopped',
] as const;
export type KnownKind = (typeof KNOWN_KINDS)[number];

export const isKnownKind = (kind: string): kind is KnownKind =>
  (KNOWN_KINDS as readonly string[]).includes(kind);

export const RESPONSE_FORMATS = ['TEXT', 'FILE', 'SINGLE_SELECT', 'MULTI_SELECT'] as const;
export const MESSAGE_COMPLETIONS = ['COMPLETE', 'TRUNCATED', 'ABORTED'] as const;
export const ACTIVITY_STATUSES = ['STARTED', 'COMPLETED', 'FAILED'] as const;
export const AGENT_ERROR_CODES = ['AGENT_TIMED_OUT', 'AGENT_API_ERROR', 'AGENT_FAILED'] as const;

const line = () => text(4_096);

/** The most files that one message may bring. */
export const MAX_FILES = 500;

export const uploadedFile = z.strictObject({
  filename: text(1_024, 1),
  contentType: optional(text(256)),
  sizeBytes: optional(safeInt()),
});
export type UploadedFile = z.output<typeof uploadedFile>;

/** What every event carries. `createdAt` absent: the database's clock. `historical` without `createdAt`: none. */
const occurrence = {
  eventId: id(),
  createdAt: optional(instant()),
  historical: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
};

/** What a question by itself and one of a form have in common. */
const asked = {
  questionId: id(),
  text: text(),
  responseFormat: z.enum(RESPONSE_FORMATS),
  options: optional(
    z
      .array(z.strictObject({ optionId: id(), label: line() }))
      .max(500)
      .superRefine(eachOnce('optionId', 'a question, got it twice')),
  ),
};
const formQuestion = z.strictObject(asked).superRefine(refuseEmptyChoice);
export type FormQuestion = z.output<typeof formQuestion>;

type Choice = Pick<FormQuestion, 'responseFormat' | 'options'>;

/** Nobody can answer a choice of nothing. */
function refuseEmptyChoice<T extends Choice>(
  { responseFormat, options = [] }: T,
  context: z.RefinementCtx<T>,
) {
  if (!responseFormat.endsWith('_SELECT') || options.length > 0) return;
  const message = `expected at least one option for ${responseFormat}, got none`;
  context.addIssue({ code: 'custom', path: ['options'], message });
}

const kind = <K extends string, S extends z.ZodRawShape>(name: K, shape: S) =>
  z.strictObject({ kind: z.literal(name), ...occurrence, ...shape });

/**
 * An event as its writer sends it, one schema a kind. Everything that appends goes through this one door, whichever
 * way it came: a mutation, a raw stream, the demo.
 */
export const eventContent = z.discriminatedUnion('kind', [
  kind('user_message', {
    messageId: id(),
    text: text(),
    isInitial: z
      .boolean()
      .nullish()
      .transform((value) => value ?? false),
    files: z
      .array(uploadedFile)
      .max(MAX_FILES)
      .nullish()
      .transform((value) => value ?? []),
  }),
  kind('agent_message', {
    messageId: id(),
    text: text(),
    citations: citationsContent,
    suggestedFollowUps: z.array(line()).max(100),
    completion: z
      .enum(MESSAGE_COMPLETIONS)
      .nullish()
      .transform((value) => value ?? 'COMPLETE'),
  }),
  kind('methods', {
    messageId: id(),
    approach: text(65_536),
    summary: optional(text(65_536)),
    sections: z.array(z.strictObject({ heading: line(), body: text() })).max(500),
    keyJudgments: z.array(text(65_536)).max(500),
    searches: z
      .array(
        z.strictObject({
          source: line(),
          query: text(65_536),
          maxResults: optional(int32()),
          resultsCount: optional(int32()),
          searchedAt: optional(instant()),
        }),
      )
      .max(5_000),
    evidenceBase: optional(
      z.strictObject({
        sourceCount: int32(),
        earliestYear: optional(int32()),
        latestYear: optional(int32()),
      }),
    ),
    artifacts: z.array(z.strictObject({ artifactId: optional(id()), title: line() })).max(500),
  }),
  kind('question', {
    ...asked,
    prefilledText: optional(text()),
    questions: optional(
      z.array(formQuestion).max(100).superRefine(eachOnce('questionId', 'a form, got it twice')),
    ),
  }).superRefine((question, context) => {
    // Of a form only its own questions are answered.
    if ((question.questions ?? []).length === 0) refuseEmptyChoice(question, context);
  }),
  kind('activity', {
    activityId: id(),
    status: z.enum(ACTIVITY_STATUSES),
    title: line(),
    summary: optional(text(65_536)),
  }),
  kind('artifacts_delivered', { artifacts: artifactsContent }),
  kind('delivered_outputs', { deliveredOutputs: deliveredOutputsContent }),
  kind('error', { code: z.enum(AGENT_ERROR_CODES), message: text(65_536), retryable: z.boolean() }),
  kind('session_idle', {}),
  kind('session_paused', {}),
  kind('session_resumed', {}),
  kind('stop_requested', {}),
  kind('session_stopped', {}),
  kind('unknown', {
    rawKind: text(200, 1).refine((value) => !isKnownKind(value), {
      message: 'expected a kind that this version does not know; send a known kind as itself',
    }),
    payload: z.unknown().transform((value) => checkedJson(value ?? null)),
  }),
]);

/** As it is sent: what a reducer or a resolver builds. */
export type EventInput = z.input<typeof eventContent>;
/** As it was understood: what the store writes. */
export type EventContent = z.output<typeof eventContent>;
export type EventKind = EventContent['kind'];
