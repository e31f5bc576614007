import { loadUuids } from '../accounts/uuids.js';
import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import { connection } from '../graphql/connections.js';
import type { EntryRow } from './entry.js';
import { ConversationEntryRef } from './entry-types.js';
import { ConversationEntryTypeRef } from './enums.js';
import { changeCursor, entryListing, searchListing, typeFilter } from './listing.js';
import { conversationById, ownConversationOf } from './loaders.js';
import { parseSearch } from './search.js';
import type { ConversationRow } from './store.js';

const { edge, connection: entryConnection } = connectionTypes<EntryRow>(
  'ConversationEntry',
  ConversationEntryRef,
  "A page of a conversation's entries.",
);
export const ConversationEntryEdgeRef = edge;

builder.objectField(entryConnection, 'checkpoint', (t) =>
  t.string({
    description:
      'Where the log of changes ended before the page was read: `conversationEntries(after:)` goes on from here without a gap.',
    resolve: async (_, __, { operation }) => {
      const { id, changeHead } = await ownConversationOf(operation);
      return changeCursor(id, changeHead);
    },
  }),
);

export const ConversationRef = builder.objectRef<ConversationRow>('Conversation');

builder.node(ConversationRef, {
  description:
    'One session as the agent in it reads it: what was said, what was done, which files came and went.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { operation }) => loadUuids(ids, (id) => conversationById(operation).load(id)),
  fields: (t) => ({
    conversationId: t.exposeID('id', { description: "The session's id." }),
    entries: t.field({
      type: entryConnection,
      nullable: true,
      description:
        'Oldest first within a page. With neither `first` nor `last` the newest 50, with `after` alone the first 50 after it; `before` with the startCursor of a page walks to older ones. BAD_USER_INPUT, INVALID_CURSOR; TIMEOUT for a search that takes too long.',
      args: {
        ...t.arg.connectionArgs(),
        types: t.arg({
          type: [ConversationEntryTypeRef],
          defaultValue: ['MESSAGE'],
          description: 'Only these; at least one.',
        }),
        search: t.arg.string({
          description:
            'Only messages that contain this text, whatever `types` says: literally, upper and lower case alike; 2 to 1,000 characters.',
        }),
      },
      resolve: async (_, { types, search, ...args }, { operation }) => {
        const conversation = await ownConversationOf(operation);
        const filter = typeFilter(types);
        const listing =
          typeof search === 'string'
            ? searchListing(operation, conversation, parseSearch(search))
            : entryListing(operation, conversation, filter);
        return connection(listing, args);
      },
    }),
  }),
});
