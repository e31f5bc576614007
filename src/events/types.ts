import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import { connection } from '../graphql/connections.js';
import { parse, text } from '../parse.js';
import { requireSession } from '../sessions/loaders.js';
import { SessionRef } from '../sessions/types.js';
import { SessionEventKindRef } from './enums.js';
import type { EventRow } from './event.js';
import { eventListing, kindFilter, sessionCursor } from './listing.js';
import { eventById } from './loaders.js';
import { AgentMessageEventRef, UserMessageEventRef } from './message-types.js';
import { MethodsEventRef } from './methods-types.js';
import { typeNameOf } from './occurrence.js';
import { QuestionEventRef } from './question-types.js';
import {
  ActivityEventRef,
  ArtifactsDeliveredEventRef,
  DeliveredOutputsEventRef,
  ErrorEventRef,
  SessionIdleEventRef,
  SessionPausedEventRef,
  SessionResumedEventRef,
  SessionStoppedEventRef,
  StopRequestedEventRef,
  UnknownEventRef,
} from './work-types.js';

const SessionEventRef = builder.unionType('SessionEvent', {
  description:
    'Something that happened in a session. What an event itself says never changes; what it leads to (`session`, `reply`, `answer`, `artifact`) is shown as it is now. Ask for `... on SessionEventOccurrence` too, to read kinds that are added later.',
  types: [
    UserMessageEventRef,
    AgentMessageEventRef,
    MethodsEventRef,
    QuestionEventRef,
    ActivityEventRef,
    ArtifactsDeliveredEventRef,
    DeliveredOutputsEventRef,
    ErrorEventRef,
    SessionIdleEventRef,
    SessionPausedEventRef,
    SessionResumedEventRef,
    StopRequestedEventRef,
    SessionStoppedEventRef,
    UnknownEventRef,
  ],
  resolveType: typeNameOf,
});

const { edge, connection: eventConnection } = connectionTypes<EventRow>(
  'SessionEvent',
  SessionEventRef,
  "A page of a session's events.",
);
export const SessionEventEdgeRef = edge;

builder.objectField(eventConnection, 'checkpoint', (t) =>
  t.string({
    description:
      'How far the log was read, narrowed to kinds or not: where to go on with `events(after:)` or `sessionEvents(after:)` without a gap.',
    resolve: ({ checkpoint }) => checkpoint,
  }),
);

builder.objectFields(SessionRef, (t) => ({
  checkpoint: t.string({
    description:
      "The end of the session's log as this answer shows it: `sessionEvents(after:)` goes on from here.",
    resolve: async ({ id }, _, { operation }) =>
      sessionCursor(id, (await requireSession(operation, id)).eventHead),
  }),
  events: t.field({
    type: eventConnection,
    nullable: true,
    description: 'Its events, oldest first. BAD_USER_INPUT, INVALID_CURSOR.',
    args: {
      ...t.arg.connectionArgs(),
      kinds: t.arg({ type: [SessionEventKindRef], description: 'Only these; at least one. Absent: all.' }),
    },
    resolve: async ({ id }, { kinds, ...args }, { operation }) =>
      connection(eventListing(operation, await requireSession(operation, id), kindFilter(kinds)), args),
  }),
  event: t.field({
    type: SessionEventRef,
    nullable: true,
    description: 'The event of this eventId; null if there is none.',
    args: { eventId: t.arg.id({ required: true, description: 'As its writer gave it to the event.' }) },
    resolve: ({ id }, { eventId }, { operation }) =>
      eventById(operation).load({ sessionId: id, value: parse(text(), eventId, 'eventId') }),
  }),
}));
