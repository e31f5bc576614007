import { builder } from '../graphql/builder.js';
import type { Context } from '../graphql/context.js';
import { ownConversation } from './access.js';
import type { EntryContent, EntryOf, EntryRow } from './entry.js';
import {
  ArtifactDirectionRef,
  ConversationEntryTypeRef,
  MessageRoleRef,
  ToolCallStatusRef,
} from './enums.js';
import { entryByNumber } from './loaders.js';

const TYPE_NAMES = {
  MESSAGE: 'MessageEntry',
  TOOL_CALL: 'ToolCallEntry',
  ARTIFACT: 'ArtifactEntry',
} as const satisfies Record<EntryRow['type'], string>;

/** The type that shows an entry; one whose event this version cannot read fails alone, its edge and its page stay. */
function typeNameOf({ content }: EntryRow): string {
  if (content === null) throw new Error('The event of an entry could not be read (conversations-2).');
  return TYPE_NAMES[content.type];
}

const ItemRef = builder.interfaceRef<EntryRow>('ConversationItem').implement({
  description:
    'What all entries have in common, so that a client written today reads a type that is added tomorrow.',
  resolveType: typeNameOf,
  fields: (t) => ({
    id: t.globalID({
      description: 'Global and opaque: ask for it again with `node`.',
      resolve: (entry) => ({ type: typeNameOf(entry), id: nodeIdOf(entry) }),
    }),
    type: t.expose('type', { type: ConversationEntryTypeRef, description: 'What it is.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it first appeared; null for a historical one without a time. The order is that of the list.',
    }),
  }),
});

const nodeIdOf = ({ sessionId, number }: EntryRow): string => `${sessionId}:${number}`;

const NODE_ID = /^([\da-f-]{36}):([1-9]\d{0,8})$/;

/** The ref of an entry type, and what its `builder.node` has in common with the others. */
function entryType<T extends EntryContent['type']>(type: T) {
  const ref = builder.objectRef<EntryOf<T>>(TYPE_NAMES[type]);
  const node = {
    interfaces: [ItemRef],
    id: { resolve: nodeIdOf },
    /** Null for what is malformed, of another conversation or of another type: it looks like what does not exist (P9). */
    loadManyWithoutCache: (ids: readonly string[], { operation }: Context) =>
      Promise.all(
        ids.map(async (id) => {
          const [, sessionId, number] = NODE_ID.exec(id) ?? [];
          if (sessionId === undefined || sessionId !== ownConversation(operation.viewer)) return null;
          const entry = await entryByNumber(operation).load(Number(number));
          return entry !== null && isOf(entry, type) ? entry : null;
        }),
      ),
  };
  return { ref, node };
}

const isOf = <T extends EntryContent['type']>(entry: EntryRow, type: T): entry is EntryOf<T> =>
  entry.content?.type === type;

const message = entryType('MESSAGE');

builder.node(message.ref, {
  ...message.node,
  description:
    'A message: one entry however often it comes again, which shows what it says now. It keeps its place.',
  fields: (t) => ({
    role: t.field({
      type: MessageRoleRef,
      description: 'Who speaks.',
      resolve: ({ content }) => content.role,
    }),
    content: t.string({
      description: 'Its text without citation markup, which the event keeps. Empty if it only brought files.',
      resolve: ({ content }) => content.content,
    }),
  }),
});

const toolCall = entryType('TOOL_CALL');

builder.node(toolCall.ref, {
  ...toolCall.node,
  description:
    'A tool call that has settled, redacted: never its arguments, never its result. Every activity that has settled is one, also work without a tool, such as thinking.',
  fields: (t) => ({
    title: t.string({
      description: 'What was done, in plain words, without citation markup.',
      resolve: ({ content }) => content.title,
    }),
    status: t.field({
      type: ToolCallStatusRef,
      description: 'How it ended.',
      resolve: ({ content }) => content.status,
    }),
    summary: t.string({
      nullable: true,
      description: 'What came of it, in plain words, if that was told.',
      resolve: ({ content }) => content.summary,
    }),
  }),
});

const artifact = entryType('ARTIFACT');

builder.node(artifact.ref, {
  ...artifact.node,
  description:
    'A file that the user sent or got, by its metadata: never its bytes, never a URL. AGENT_SAVED_FILE and REPORT_CITATION are none.',
  fields: (t) => ({
    direction: t.field({
      type: ArtifactDirectionRef,
      description: 'Which way it went.',
      resolve: ({ content }) => content.direction,
    }),
    filename: t.string({ description: 'Its name.', resolve: ({ content }) => content.filename }),
    contentType: t.string({
      nullable: true,
      description: 'Its media type, if known.',
      resolve: ({ content }) => content.contentType,
    }),
    sizeBytes: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Its size in bytes, if known.',
      resolve: ({ content }) => content.sizeBytes,
    }),
  }),
});

export const ConversationEntryRef = builder.unionType('ConversationEntry', {
  description:
    'Something in a conversation. Ask for `... on ConversationItem` too, to read types that are added later.',
  types: [message.ref, toolCall.ref, artifact.ref],
  resolveType: typeNameOf,
});
