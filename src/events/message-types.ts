import { citationsOf } from '../citations/loaders.js';
import { segments, stripMarkup } from '../citations/markup.js';
import { CitationRef, TextSegmentRef } from '../citations/types.js';
import { builder } from '../graphql/builder.js';
import { MessageCompletionRef } from './enums.js';
import type { EventOf } from './event.js';
import { eventType } from './occurrence.js';

type File = EventOf<'user_message'>['files'][number];

const UploadedFileRef = builder.objectRef<File>('UploadedFile').implement({
  description: 'A file that came with a message: its name, never its bytes or a URL.',
  fields: (t) => ({
    filename: t.exposeString('filename', { description: 'Its name.' }),
    contentType: t.exposeString('contentType', { nullable: true, description: 'Its media type, if known.' }),
    sizeBytes: t.expose('sizeBytes', {
      type: 'SafeInt',
      nullable: true,
      description: 'Its size in bytes, if known.',
    }),
  }),
});

const userMessage = eventType('user_message');
export const UserMessageEventRef = userMessage.ref;

builder.node(UserMessageEventRef, {
  ...userMessage.node,
  description: 'A message to the agent: a request, or the reply to a question.',
  fields: (t) => ({
    messageId: t.exposeID('messageId', { description: 'Names the message within the session.' }),
    text: t.exposeString('text', { description: 'Its text, as it was sent.' }),
    isInitial: t.exposeBoolean('isInitial', { description: 'Whether it opened the session.' }),
    files: t.expose('files', {
      type: [UploadedFileRef],
      description: 'The files that came with it; may be empty.',
    }),
    repliesTo: t.exposeID('repliesTo', {
      nullable: true,
      description:
        'The questionId of the question that it answers; null for a message of its own. The way back is `QuestionEvent.reply`.',
    }),
  }),
});

const agentMessage = eventType('agent_message');
export const AgentMessageEventRef = agentMessage.ref;

builder.node(AgentMessageEventRef, {
  ...agentMessage.node,
  description:
    'A message of the agent, complete. When its citations change, it comes again as a new event of the same messageId; the earlier one stays as it is.',
  fields: (t) => ({
    messageId: t.exposeID('messageId', { description: 'Names the message within the session.' }),
    text: t.exposeString('text', { description: 'With its <citations> markup, as it was sent.' }),
    displayText: t.string({
      description: 'The text without its markup.',
      resolve: ({ text }) => stripMarkup(text),
    }),
    segments: t.field({
      type: [TextSegmentRef],
      description:
        'displayText in order: a stretch of text up to a group of citations, then what that group cites. Their texts joined are displayText.',
      resolve: async ({ sessionId, number, text }, _, { operation }) =>
        segments(text, await citationsOf(operation, sessionId, number)),
    }),
    citations: t.field({
      type: [CitationRef],
      description: "In their writer's order; may be empty.",
      resolve: ({ sessionId, number }, _, { operation }) => citationsOf(operation, sessionId, number),
    }),
    suggestedFollowUps: t.exposeStringList('suggestedFollowUps', {
      description: 'What one might ask next; may be empty.',
    }),
    completion: t.expose('completion', {
      type: MessageCompletionRef,
      description: 'Whether it was said to the end.',
    }),
  }),
});
