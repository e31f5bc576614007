import { builder } from '../graphql/builder.js';
import { renew } from '../graphql/context.js';
import { shownAsWritten } from '../sessions/loaders.js';
import type { SessionRow } from '../sessions/store.js';
import { SessionRef } from '../sessions/types.js';
import { appendSessionEvents, sendMessage, stopSession } from './actions.js';
import { answerQuestion } from './answer-question.js';
import type { Appended, Written } from './append.js';
import { createSession } from './create-session.js';
import { eventsOf } from './event-input.js';
import { SessionEventInput, UploadedFileInput } from './inputs.js';
import { edgeOf, sessionCursor } from './listing.js';
import { SessionEventEdgeRef } from './types.js';

const REFUSALS = 'FORBIDDEN for RUN; NOT_FOUND, BAD_USER_INPUT';

const AppendSessionEventsInput = builder.inputType('AppendSessionEventsInput', {
  description: 'What an agent did in a session.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'A session that the runtime may write to.' }),
    events: t.field({
      type: [SessionEventInput],
      required: true,
      description: '1 to 500 in their order: all are written or none.',
    }),
  }),
});

const AppendSessionEventsPayload = builder.objectRef<Appended>('AppendSessionEventsPayload').implement({
  description: 'What was appended.',
  fields: (t) => ({
    session: t.expose('session', { type: SessionRef, description: 'The session as it is after the append.' }),
    edges: t.field({
      type: [SessionEventEdgeRef],
      description:
        'One for each event of the input, in that order; for a duplicate the event that was there.',
      resolve: ({ events }) => events.map(edgeOf),
    }),
    duplicates: t.exposeIDList('duplicates', {
      description:
        'The eventIds that were there already with the same content; nothing was written for them.',
    }),
    checkpoint: t.string({
      description: "The end of the session's log after the append.",
      resolve: ({ session }) => sessionCursor(session.id, session.eventHead),
    }),
  }),
});

builder.mutationField('appendSessionEvents', (t) =>
  t.field({
    type: AppendSessionEventsPayload,
    nullable: true,
    description:
      'Appends what an agent did, all or nothing, and may be repeated: eventIds that are there with the same content are reported. SERVICE only, else FORBIDDEN; NOT_FOUND, BAD_USER_INPUT with the path, CONFLICT with `current` for an eventId with other content.',
    args: {
      input: t.arg({
        type: AppendSessionEventsInput,
        required: true,
        description: 'The session and its new events.',
      }),
    },
    resolve: async (_, { input }, context) => {
      const events = eventsOf(input.events);
      const appended = await appendSessionEvents(context.operation, input.sessionId, events);
      return shownAsWritten(renew(context), appended);
    },
  }),
);

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description: 'A new session.',
  fields: (t) => ({
    sessionId: t.id({
      description: 'A UUID of your own, so that the call may be repeated. Absent: a random one.',
    }),
    title: t.string({ description: '1 to 1,000 characters.' }),
    text: t.string({ description: 'The initial message, at most 2,097,152 characters.' }),
    accountId: t.id({
      description:
        'The owner, for a SERVICE credential: an account of its organisation. Absent: its own account.',
    }),
  }),
});

const CreateSessionPayload = builder
  .objectRef<{ readonly session: SessionRow }>('CreateSessionPayload')
  .implement({
    description: 'The session.',
    fields: (t) => ({
      session: t.expose('session', { type: SessionRef, description: 'The session as it is now.' }),
    }),
  });

builder.mutationField('createSession', (t) =>
  t.field({
    type: CreateSessionPayload,
    nullable: true,
    description:
      'Creates a session; again with the same content for the same owner it gives that session. FORBIDDEN for RUN, and for a person who names another account; NOT_FOUND for an account that is not of the organisation; CONFLICT for a sessionId that is taken.',
    args: {
      input: t.arg({
        type: CreateSessionInput,
        required: true,
        description: 'What the session begins with.',
      }),
    },
    resolve: async (_, { input }, context) => {
      const session = await createSession(context.operation, input);
      return shownAsWritten(renew(context), { session });
    },
  }),
);

/** `SendMessagePayload` and its like: one event and its session. */
const writtenType = (name: string, description: string) =>
  builder.objectRef<Written>(name).implement({
    description,
    fields: (t) => ({
      session: t.expose('session', { type: SessionRef, description: 'The session as it is after that.' }),
      edge: t.field({
        type: SessionEventEdgeRef,
        description: 'The event and its cursor.',
        resolve: ({ event }) => edgeOf(event),
      }),
    }),
  });

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A message to the agent.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'One that the viewer may write to.' }),
    text: t.string({ required: true, description: 'At most 2,097,152 characters; empty only with files.' }),
    messageId: t.id({
      description: 'A name of your own, so that the call may be repeated. Absent: a random one.',
    }),
    files: t.field({ type: [UploadedFileInput], description: 'At most 500.' }),
  }),
});

builder.mutationField('sendMessage', (t) =>
  t.field({
    type: writtenType('SendMessagePayload', 'The message, as an event.'),
    nullable: true,
    description: `Adds a user_message; again with the same messageId and content it gives that one. ${REFUSALS}, CONFLICT for a messageId with other content.`,
    args: {
      input: t.arg({ type: SendMessageInput, required: true, description: 'The session and the message.' }),
    },
    resolve: async (_, { input }, context) => {
      const written = await sendMessage(context.operation, input);
      return shownAsWritten(renew(context), written);
    },
  }),
);

const QuestionAnswerInput = builder.inputType('QuestionAnswerInput', {
  description: 'An answer to one question, as its responseFormat asks for it.',
  fields: (t) => ({
    questionId: t.id({ required: true, description: 'The question, or one of a form.' }),
    text: t.string({
      description: 'The answer for TEXT, a remark beside options or files; at most 2,097,152 characters.',
    }),
    optionIds: t.idList({
      description:
        'For SINGLE_SELECT exactly one, for MULTI_SELECT one or more, each once; of the options that the question has.',
    }),
    files: t.field({ type: [UploadedFileInput], description: 'For FILE at least one; at most 500.' }),
  }),
});

const AnswerQuestionInput = builder.inputType('AnswerQuestionInput', {
  description: 'The answer to a question.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'One that the viewer may write to.' }),
    questionId: t.id({ required: true, description: 'As the QUESTION event has it.' }),
    answers: t.field({
      type: [QuestionAnswerInput],
      required: true,
      description: 'One answer, or one for each question of a form; at most 100.',
    }),
  }),
});

builder.mutationField('answerQuestion', (t) =>
  t.field({
    type: writtenType('AnswerQuestionPayload', 'The answer, as an event.'),
    nullable: true,
    description: `Answers a question with a user_message, its \`reply\`; the same answers again give that one. ${REFUSALS} where an answer does not fit what was asked, CONFLICT with \`current\` if it has another answer.`,
    args: {
      input: t.arg({
        type: AnswerQuestionInput,
        required: true,
        description: 'The question and its answers.',
      }),
    },
    resolve: async (_, { input }, context) => {
      const written = await answerQuestion(context.operation, input);
      return shownAsWritten(renew(context), written);
    },
  }),
);

const StopSessionInput = builder.inputType('StopSessionInput', {
  description: 'The session to stop.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'One that the viewer may write to.' }),
  }),
});

builder.mutationField('stopSession', (t) =>
  t.field({
    type: writtenType('StopSessionPayload', 'The request to stop, as an event.'),
    nullable: true,
    description: `Asks the agent to stop; while an earlier request waits to be settled it gives that one. ${REFUSALS}.`,
    args: { input: t.arg({ type: StopSessionInput, required: true, description: 'The session to stop.' }) },
    resolve: async (_, { input }, context) => {
      const written = await stopSession(context.operation, input.sessionId);
      return shownAsWritten(renew(context), written);
    },
  }),
);
