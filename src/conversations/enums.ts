import { ConversationEntryType } from '../generated/prisma/enums.js';
import { builder } from '../graphql/builder.js';
import type { ArtifactContent, MessageContent, ToolCallContent } from './entry.js';

type Described<T extends string> = Record<T, { readonly description: string }>;

const types: Described<ConversationEntryType> = {
  [ConversationEntryType.MESSAGE]: { description: 'A message of the user or of the agent.' },
  [ConversationEntryType.TOOL_CALL]: { description: 'A tool call that has settled.' },
  [ConversationEntryType.ARTIFACT]: { description: 'A file that came or went.' },
};

export const ConversationEntryTypeRef = builder.enumType('ConversationEntryType', {
  description: 'What an entry is. Later versions may add values.',
  values: types,
});

const roles: Described<MessageContent['role']> = {
  USER: { description: 'Whom the agent works for.' },
  ASSISTANT: { description: 'The agent.' },
};

export const MessageRoleRef = builder.enumType('MessageRole', {
  description: 'Who speaks. Later versions may add values.',
  values: roles,
});

const statuses: Described<ToolCallContent['status']> = {
  COMPLETED: { description: 'It did what it was called for.' },
  FAILED: { description: 'It failed.' },
};

export const ToolCallStatusRef = builder.enumType('ToolCallStatus', {
  description: 'How a tool call ended; one that runs is no entry yet. Later versions may add values.',
  values: statuses,
});

const directions: Described<ArtifactContent['direction']> = {
  UPLOADED: { description: 'The user sent it with a message.' },
  DELIVERED: { description: 'The agent produced it.' },
};

export const ArtifactDirectionRef = builder.enumType('ArtifactDirection', {
  description: 'Which way a file went. Later versions may add values.',
  values: directions,
});
