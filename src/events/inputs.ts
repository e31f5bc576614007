import { ArtifactInput, DeliveredOutputInput } from '../artifacts/inputs.js';
import { CitationInput } from '../citations/inputs.js';
import { builder } from '../graphql/builder.js';
import { ActivityStatusRef, AgentErrorCodeRef, MessageCompletionRef, ResponseFormatRef } from './enums.js';

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** What every event brings. */
const occurrence = (t: InputFields) => ({
  eventId: t.id({
    required: true,
    description:
      'Unique within the session, 1 to 512 characters. The same again with the same content is a duplicate, with other content a CONFLICT.',
  }),
  createdAt: t.field({
    type: 'DateTime',
    description: "When it happened. Absent: the database's clock, or none for a historical event.",
  }),
  historical: t.boolean({
    defaultValue: false,
    description: 'From before the session was here: without createdAt it is stored without a time.',
  }),
});

const messageId = (t: InputFields, description: string) => t.id({ required: true, description });
const named = 'Names the message within the session: 1 to 512 characters.';

export const UploadedFileInput = builder.inputType('UploadedFileInput', {
  description: 'A file that comes with a message: its name, never its bytes.',
  fields: (t) => ({
    filename: t.string({ required: true, description: 'Its name: 1 to 1,024 characters.' }),
    contentType: t.string({ description: 'Its media type, at most 256 characters.' }),
    sizeBytes: t.field({ type: 'SafeInt', description: 'Its size in bytes, 0 or more.' }),
  }),
});

const UserMessageEventInput = builder.inputType('UserMessageEventInput', {
  description: 'A message to the agent.',
  fields: (t) => ({
    ...occurrence(t),
    messageId: messageId(t, named),
    text: t.string({ required: true, description: 'Its text, at most 2,097,152 characters.' }),
    isInitial: t.boolean({ defaultValue: false, description: 'Whether it opens the session.' }),
    files: t.field({ type: [UploadedFileInput], description: 'The files that come with it, at most 500.' }),
  }),
});

const AgentMessageEventInput = builder.inputType('AgentMessageEventInput', {
  description: 'A complete message of the agent.',
  fields: (t) => ({
    ...occurrence(t),
    messageId: messageId(t, `${named} A later snapshot has the same, and an eventId of its own.`),
    text: t.string({
      required: true,
      description: 'Its text with <citations> markup; at most 2,097,152 characters.',
    }),
    citations: t.field({
      type: [CitationInput],
      required: true,
      description: 'At most 2,000, each citationId once; may be empty.',
    }),
    suggestedFollowUps: t.stringList({
      required: true,
      description: 'What one might ask next: at most 100 of 4,096 characters; may be empty.',
    }),
    completion: t.field({
      type: MessageCompletionRef,
      defaultValue: 'COMPLETE',
      description: 'Whether it was said to the end.',
    }),
  }),
});

const MethodSectionInput = builder.inputType('MethodSectionInput', {
  description: 'A part of the description, under its heading.',
  fields: (t) => ({
    heading: t.string({ required: true, description: 'Its heading, at most 4,096 characters.' }),
    body: t.string({ required: true, description: 'Its text, at most 2,097,152 characters.' }),
  }),
});

const MethodSearchInput = builder.inputType('MethodSearchInput', {
  description: 'A search that was run.',
  fields: (t) => ({
    source: t.string({
      required: true,
      description: 'The key of what was searched, such as pubmed; at most 4,096 characters.',
    }),
    query: t.string({ required: true, description: 'What was searched for, at most 65,536 characters.' }),
    maxResults: t.int({ description: 'How many results were asked for.' }),
    resultsCount: t.int({ description: 'How many results came.' }),
    searchedAt: t.field({ type: 'DateTime', description: 'When it was run, if known.' }),
  }),
});

const EvidenceBaseInput = builder.inputType('EvidenceBaseInput', {
  description: 'The literature that an answer rests on.',
  fields: (t) => ({
    sourceCount: t.int({ required: true, description: 'Distinct sources.' }),
    earliestYear: t.int({ description: 'The earliest year of publication.' }),
    latestYear: t.int({ description: 'The latest year of publication.' }),
  }),
});

const MethodArtifactInput = builder.inputType('MethodArtifactInput', {
  description: 'Something that the method produced.',
  fields: (t) => ({
    artifactId: t.id({ description: 'The artifactId under which it was or will be delivered.' }),
    title: t.string({ required: true, description: 'What it is called, at most 4,096 characters.' }),
  }),
});

const MethodsEventInput = builder.inputType('MethodsEventInput', {
  description: 'How an answer was produced.',
  fields: (t) => ({
    ...occurrence(t),
    messageId: messageId(t, 'The messageId of the answer that it describes.'),
    approach: t.string({
      required: true,
      description: 'One sentence on the kind of research, at most 65,536 characters.',
    }),
    summary: t.string({
      description: 'What was searched, gathered and compared; at most 65,536 characters.',
    }),
    sections: t.field({
      type: [MethodSectionInput],
      required: true,
      description: 'The description: at most 500 parts.',
    }),
    keyJudgments: t.stringList({
      required: true,
      description: 'Decisions made on the way: at most 500 of 65,536 characters.',
    }),
    searches: t.field({
      type: [MethodSearchInput],
      required: true,
      description: 'Each once, in the order they were run; at most 5,000.',
    }),
    evidenceBase: t.field({ type: EvidenceBaseInput, description: 'The literature cited.' }),
    artifacts: t.field({
      type: [MethodArtifactInput],
      required: true,
      description: 'What the method produced, at most 500.',
    }),
  }),
});

const QuestionOptionInput = builder.inputType('QuestionOptionInput', {
  description: 'One of the choices that a question offers.',
  fields: (t) => ({
    optionId: t.id({ required: true, description: 'Names the option in an answer: 1 to 512 characters.' }),
    label: t.string({ required: true, description: 'What to show, at most 4,096 characters.' }),
  }),
});

/** What a question by itself and one of a form have in common. */
const asked = (t: InputFields) => ({
  questionId: t.id({ required: true, description: 'Names the question in an answer: 1 to 512 characters.' }),
  text: t.string({ required: true, description: 'What is asked, at most 2,097,152 characters.' }),
  responseFormat: t.field({
    type: ResponseFormatRef,
    required: true,
    description: 'What an answer has to bring.',
  }),
  options: t.field({
    type: [QuestionOptionInput],
    description:
      'The choices, at most 500, each optionId once; at least one for SINGLE_SELECT and MULTI_SELECT.',
  }),
});

const FormQuestionInput = builder.inputType('FormQuestionInput', {
  description: 'One of the questions of a form.',
  fields: asked,
});

const QuestionEventInput = builder.inputType('QuestionEventInput', {
  description: 'The agent needs an answer.',
  fields: (t) => ({
    ...occurrence(t),
    ...asked(t),
    prefilledText: t.string({ description: 'A draft of the answer, at most 2,097,152 characters.' }),
    questions: t.field({
      type: [FormQuestionInput],
      description:
        'All questions of a form, at most 100, each questionId once; each of them needs an answer then, and the format and options beside them count for nothing.',
    }),
  }),
});

const ActivityEventInput = builder.inputType('ActivityEventInput', {
  description: 'A step of the work.',
  fields: (t) => ({
    ...occurrence(t),
    activityId: t.id({
      required: true,
      description: 'The same when the step starts and when it ends: 1 to 512 characters.',
    }),
    status: t.field({ type: ActivityStatusRef, required: true, description: 'How far it is.' }),
    title: t.string({
      required: true,
      description: 'What is done, for people to read; at most 4,096 characters.',
    }),
    summary: t.string({ description: 'What came of it, at most 65,536 characters.' }),
  }),
});

const ArtifactsDeliveredEventInput = builder.inputType('ArtifactsDeliveredEventInput', {
  description: 'Files were produced or delivered.',
  fields: (t) => ({
    ...occurrence(t),
    artifacts: t.field({
      type: [ArtifactInput],
      required: true,
      description: 'The files: at most 500, each artifactId once.',
    }),
  }),
});

const DeliveredOutputsEventInput = builder.inputType('DeliveredOutputsEventInput', {
  description: 'Tables, texts, presentations or figures were delivered.',
  fields: (t) => ({
    ...occurrence(t),
    deliveredOutputs: t.field({
      type: [DeliveredOutputInput],
      required: true,
      description: 'The outputs: at most 500, each artifactId once.',
    }),
  }),
});

const ErrorEventInput = builder.inputType('ErrorEventInput', {
  description: 'A run failed.',
  fields: (t) => ({
    ...occurrence(t),
    code: t.field({ type: AgentErrorCodeRef, required: true, description: 'What went wrong, for programs.' }),
    message: t.string({
      required: true,
      description: 'What went wrong, for people to read, and public; at most 65,536 characters.',
    }),
    retryable: t.boolean({ required: true, description: 'Whether the same request may work later.' }),
  }),
});

const LifecycleEventInput = builder.inputType('LifecycleEventInput', {
  description: 'An event that says no more than its kind.',
  fields: occurrence,
});

const UnknownEventInput = builder.inputType('UnknownEventInput', {
  description: 'An event of a kind that this version does not know.',
  fields: (t) => ({
    ...occurrence(t),
    rawKind: t.string({
      required: true,
      description:
        'Its kind, 1 to 200 characters. One that this version knows is refused: send it as itself.',
    }),
    payload: t.field({ type: 'JSON', required: true, description: 'Its content.' }),
  }),
});

export const SessionEventInput = builder.inputType('SessionEventInput', {
  description: 'An event: exactly one of the kinds.',
  isOneOf: true,
  fields: (t) => ({
    userMessage: t.field({ type: UserMessageEventInput, description: 'A message to the agent.' }),
    agentMessage: t.field({ type: AgentMessageEventInput, description: 'A message of the agent.' }),
    methods: t.field({ type: MethodsEventInput, description: 'How an answer was produced.' }),
    question: t.field({ type: QuestionEventInput, description: 'The agent needs an answer.' }),
    activity: t.field({ type: ActivityEventInput, description: 'A step of the work.' }),
    artifactsDelivered: t.field({ type: ArtifactsDeliveredEventInput, description: 'Files.' }),
    deliveredOutputs: t.field({
      type: DeliveredOutputsEventInput,
      description: 'Tables, texts, presentations or figures.',
    }),
    error: t.field({ type: ErrorEventInput, description: 'A run failed.' }),
    sessionIdle: t.field({ type: LifecycleEventInput, description: 'Ready for the next request.' }),
    sessionPaused: t.field({ type: LifecycleEventInput, description: 'Paused until there is quota again.' }),
    sessionResumed: t.field({ type: LifecycleEventInput, description: 'Goes on after a pause or a break.' }),
    stopRequested: t.field({ type: LifecycleEventInput, description: 'Somebody asked the agent to stop.' }),
    sessionStopped: t.field({ type: LifecycleEventInput, description: 'The agent stopped, as asked.' }),
    unknown: t.field({ type: UnknownEventInput, description: 'A kind that this version does not know.' }),
  }),
});
