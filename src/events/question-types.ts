import { builder } from '../graphql/builder.js';
import { ResponseFormatRef } from './enums.js';
import type { EventOf } from './event.js';
import { replyTo } from './loaders.js';
import { UserMessageEventRef } from './message-types.js';
import { eventType } from './occurrence.js';

type Question = EventOf<'question'>;
type Option = NonNullable<Question['options']>[number];

const QuestionOptionRef = builder.objectRef<Option>('QuestionOption').implement({
  description: 'One of the choices that a question offers.',
  fields: (t) => ({
    optionId: t.exposeID('optionId', { description: 'Names the option in an answer.' }),
    label: t.exposeString('label', { description: 'What to show.' }),
  }),
});

const FormQuestionRef = builder
  .objectRef<NonNullable<Question['questions']>[number]>('FormQuestion')
  .implement({
    description: 'One of the questions of a form.',
    fields: (t) => ({
      questionId: t.exposeID('questionId', { description: 'Names the question in an answer.' }),
      text: t.exposeString('text', { description: 'What is asked.' }),
      responseFormat: t.expose('responseFormat', {
        type: ResponseFormatRef,
        description: 'What an answer has to bring.',
      }),
      options: t.expose('options', {
        type: [QuestionOptionRef],
        nullable: true,
        description: 'The choices; null where none are offered.',
      }),
    }),
  });

const question = eventType('question');
export const QuestionEventRef = question.ref;

builder.node(QuestionEventRef, {
  ...question.node,
  description: 'The agent needs an answer. Answer it with `answerQuestion`, once.',
  fields: (t) => ({
    questionId: t.exposeID('questionId', { description: 'Names the question within the session.' }),
    text: t.exposeString('text', { description: 'What is asked.' }),
    responseFormat: t.expose('responseFormat', {
      type: ResponseFormatRef,
      description: 'What an answer has to bring.',
    }),
    options: t.expose('options', {
      type: [QuestionOptionRef],
      nullable: true,
      description: 'The choices; null where none are offered.',
    }),
    prefilledText: t.exposeString('prefilledText', { nullable: true, description: 'A draft of the answer.' }),
    questions: t.expose('questions', {
      type: [FormQuestionRef],
      nullable: true,
      description: 'All questions of a form: then each of them needs an answer. Null for a single question.',
    }),
    reply: t.field({
      type: UserMessageEventRef,
      nullable: true,
      description:
        'The message that answers it, as of now; null while nobody has. The way back is `UserMessageEvent.repliesTo`.',
      resolve: (event, _, { operation }) => replyTo(operation, event),
    }),
  }),
});
