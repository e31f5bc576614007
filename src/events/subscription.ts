import type { Operation } from '../accounts/operation.js';
import { builder } from '../graphql/builder.js';
import { followFrom, resumable } from '../graphql/following.js';
import type { Update } from '../live/follow.js';
import { requireSession } from '../sessions/loaders.js';
import type { SessionRow } from '../sessions/store.js';
import { SessionRef } from '../sessions/types.js';
import type { EventKind } from './content.js';
import { SessionEventKindRef } from './enums.js';
import type { EventRow } from './event.js';
import { edgeOf, kindFilter, sessionCursor } from './listing.js';
import { sessionLog } from './log.js';
import { SessionEventEdgeRef } from './types.js';

/** A stretch of a session's log, and the session as it is read after that. */
type SessionUpdate = Update<EventRow> & { readonly sessionId: string };

const SessionEventsUpdateRef = builder.objectRef<SessionUpdate>('SessionEventsUpdate').implement({
  description: "The next stretch of a session's log.",
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description:
        "At least as new as the edges. Go on from this update's checkpoint, not from the session's.",
      resolve: ({ sessionId }, _, { operation }): Promise<SessionRow> => requireSession(operation, sessionId),
    }),
    edges: t.field({
      type: [SessionEventEdgeRef],
      description: 'In the order of the log, at most 200.',
      resolve: ({ entries }) => entries.map(edgeOf),
    }),
  }),
});

resumable(SessionEventsUpdateRef, ({ sessionId, position }) => sessionCursor(sessionId, position));

interface FollowArgs {
  readonly sessionId: string;
  readonly after?: string | null | undefined;
  readonly kinds?: readonly EventKind[] | null | undefined;
}

/**
 * Access and cursor are judged before the stream starts, against the database as it is now (P2).
 * @throws NOT_FOUND, BAD_USER_INPUT, INVALID_CURSOR.
 */
async function followSession(operation: Operation, { sessionId, after, kinds }: FollowArgs) {
  const filter = kindFilter(kinds);
  const { id, eventHead } = await requireSession(operation, sessionId);
  return followFrom(operation, sessionLog(operation.database, id), { after, head: eventHead, filter });
}

builder.subscriptionField('sessionEvents', (t) =>
  t.field({
    type: SessionEventsUpdateRef,
    nullable: true,
    description:
      'What happened in a session, then what happens, each event once and in order. Without `after` from the start. The first update comes at once, empty if there is nothing to replay; narrowed to kinds, an empty one now and then tells how far the log was read. NOT_FOUND, BAD_USER_INPUT, INVALID_CURSOR.',
    args: {
      sessionId: t.arg.id({ required: true, description: 'The session to follow.' }),
      after: t.arg.string({ description: 'A checkpoint or cursor of this session: only what came later.' }),
      kinds: t.arg({ type: [SessionEventKindRef], description: 'Only these; at least one. Absent: all.' }),
    },
    subscribe: (_, args, { operation }) => followSession(operation, args),
    resolve: (update, { sessionId }) => ({ ...update, sessionId: sessionId.toLowerCase() }),
  }),
);
