import { builder } from '../graphql/builder.js';
import { connection } from '../graphql/connections.js';
import { renew } from '../graphql/context.js';
import { readChange, updateSession, watchSessions } from './actions.js';
import { sessionListing } from './listing.js';
import { requireSession, shownAsWritten } from './loaders.js';
import type { SessionRow } from './store.js';
import { SessionChangeRef, SessionConnection, SessionRef, SessionStatusRef } from './types.js';

builder.queryField('session', (t) =>
  t.field({
    type: SessionRef,
    nullable: true,
    description: 'A session by its id. NOT_FOUND, the same for unknown, malformed and foreign ids.',
    args: { sessionId: t.arg.id({ required: true, description: 'A UUID.' }) },
    resolve: (_, { sessionId }, { operation }) => requireSession(operation, sessionId),
  }),
);

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionConnection,
    nullable: true,
    description:
      "Newest first by creation: a person's own, an admin's also its organisation's, a SERVICE credential's those of its organisation or account. FORBIDDEN for RUN.",
    args: {
      ...t.arg.connectionArgs(),
      status: t.arg({ type: [SessionStatusRef], description: 'Only these; at least one. Absent: all.' }),
    },
    resolve: async (_, { status, ...args }, { operation }) =>
      connection(await sessionListing(operation, status), args),
  }),
);

const UpdateSessionInput = builder.inputType('UpdateSessionInput', {
  description: 'What to change of a session.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'One that the viewer may write to.' }),
    title: t.string({ description: '1 to 1,000 characters. Absent: it stays as it is.' }),
  }),
});

const UpdateSessionPayload = builder.objectRef<{ session: SessionRow }>('UpdateSessionPayload').implement({
  description: 'The session, changed.',
  fields: (t) => ({
    session: t.expose('session', { type: SessionRef, description: 'The session as it is after the change.' }),
  }),
});

builder.mutationField('updateSession', (t) =>
  t.field({
    type: UpdateSessionPayload,
    nullable: true,
    description:
      'Gives a session another title. For its owner and for runtimes that write to it; NOT_FOUND for others, FORBIDDEN for RUN.',
    args: {
      input: t.arg({
        type: UpdateSessionInput,
        required: true,
        description: 'The session and what to change.',
      }),
    },
    resolve: async (_, { input }, context) => {
      const session = await updateSession(context.operation, input);
      return shownAsWritten(renew(context), { session });
    },
  }),
);

builder.subscriptionField('sessionChanged', (t) =>
  t.field({
    type: SessionChangeRef,
    nullable: true,
    description:
      'News for `sessions`: a signal, not a log. `resync: true` comes first, after every interruption and once a minute. FORBIDDEN for RUN.',
    subscribe: (_, __, { operation }) => watchSessions(operation),
    resolve: (signal, _, { operation }) => readChange(operation, signal),
  }),
);
