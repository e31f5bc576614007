import type { Operation } from '../accounts/operation.js';
import type { ConversationEntryType } from '../generated/prisma/enums.js';
import { builder } from '../graphql/builder.js';
import { followFrom, resumable } from '../graphql/following.js';
import type { Update } from '../live/follow.js';
import { requireConversation } from './access.js';
import type { EntryChange } from './entry.js';
import { ConversationEntryTypeRef } from './enums.js';
import { changeCursor, edgeOf, typeFilter } from './listing.js';
import { ownConversationOf } from './loaders.js';
import { conversationLog } from './log.js';
import { ConversationEntryEdgeRef } from './types.js';

/** A stretch of a conversation's log of changes. */
type ConversationUpdate = Update<EntryChange> & { readonly sessionId: string };

const ConversationEntriesUpdateRef = builder
  .objectRef<ConversationUpdate>('ConversationEntriesUpdate')
  .implement({
    description: "The next stretch of a conversation's log of changes.",
    fields: (t) => ({
      edges: t.field({
        type: [ConversationEntryEdgeRef],
        description:
          'New entries, and known ones of which a later snapshot came, whether or not it says anything new, in that order; at most 200. A cursor is the place in `entries`; to resume there is the checkpoint.',
        resolve: ({ entries }) => entries.map(({ entry }) => edgeOf(entry)),
      }),
    }),
  });

resumable(ConversationEntriesUpdateRef, ({ sessionId, position }) => changeCursor(sessionId, position));

interface FollowArgs {
  readonly after?: string | null | undefined;
  readonly types?: readonly ConversationEntryType[] | null | undefined;
}

/**
 * Access and cursor are judged before the stream starts, against the database as it is now (P2).
 * @throws FORBIDDEN, BAD_USER_INPUT, INVALID_CURSOR.
 */
async function followConversation(operation: Operation, { after, types }: FollowArgs) {
  const { id, changeHead } = await ownConversationOf(operation);
  const filter = typeFilter(types);
  return followFrom(operation, conversationLog(operation.database, id), { after, head: changeHead, filter });
}

builder.subscriptionField('conversationEntries', (t) =>
  t.field({
    type: ConversationEntriesUpdateRef,
    nullable: true,
    description:
      "What appeared and was written again in one's own conversation, then what is, each time once and in order; of several snapshots of one entry all may show the last. Without `after` from the start. The first update comes at once, empty if there is nothing to replay; an empty one now and then tells how far the log was read. FORBIDDEN as `conversation`, BAD_USER_INPUT, INVALID_CURSOR.",
    args: {
      after: t.arg.string({
        description:
          'The checkpoint of `entries` or of an update: only what came later. No cursor of an entry.',
      }),
      types: t.arg({
        type: [ConversationEntryTypeRef],
        defaultValue: ['MESSAGE'],
        description: 'Only these; at least one.',
      }),
    },
    subscribe: (_, args, { operation }) => followConversation(operation, args),
    resolve: (update, _, { operation }) => ({
      ...update,
      sessionId: requireConversation(operation.viewer),
    }),
  }),
);
