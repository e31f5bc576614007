import { builder } from '../graphql/builder.js';
import type { Context } from '../graphql/context.js';
import { requireSession } from '../sessions/loaders.js';
import { SessionRef } from '../sessions/types.js';
import type { EventKind } from './content.js';
import { SessionEventKindRef } from './enums.js';
import type { EventOf, EventRow } from './event.js';
import { eventByNumber } from './loaders.js';

/** The type that shows each kind. */
const TYPE_NAMES = {
  user_message: 'UserMessageEvent',
  agent_message: 'AgentMessageEvent',
  methods: 'MethodsEvent',
  question: 'QuestionEvent',
  activity: 'ActivityEvent',
  artifacts_delivered: 'ArtifactsDeliveredEvent',
  delivered_outputs: 'DeliveredOutputsEvent',
  error: 'ErrorEvent',
  session_idle: 'SessionIdleEvent',
  session_paused: 'SessionPausedEvent',
  session_resumed: 'SessionResumedEvent',
  stop_requested: 'StopRequestedEvent',
  session_stopped: 'SessionStoppedEvent',
  unknown: 'UnknownEvent',
} as const satisfies Record<EventKind, string>;

export const typeNameOf = ({ kind }: EventRow): string => TYPE_NAMES[kind];

const OccurrenceRef = builder.interfaceRef<EventRow>('SessionEventOccurrence').implement({
  description:
    'What all events have in common, so that a client written today reads a kind that is added tomorrow.',
  resolveType: typeNameOf,
  fields: (t) => ({
    id: t.globalID({
      description: 'Global and opaque: ask for it again with `node`.',
      resolve: (event) => ({ type: typeNameOf(event), id: nodeIdOf(event) }),
    }),
    eventId: t.exposeID('eventId', {
      description:
        'As its writer gave it, unique within the session. A client that sees it twice has seen one event.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it happened; null for a historical event without a time. The order is that of the list.',
    }),
    kind: t.expose('kind', { type: SessionEventKindRef, description: 'What kind of event it is.' }),
    session: t.field({
      type: SessionRef,
      description: 'The session that it belongs to, as it is now.',
      resolve: ({ sessionId }, _, { operation }) => requireSession(operation, sessionId),
    }),
  }),
});

const NODE_ID = /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}):([1-9]\d{0,8})$/;

const nodeIdOf = ({ sessionId, number }: EventRow): string => `${sessionId}:${number}`;

/** The ref of an event type, and what its `builder.node` has in common with the others. */
export function eventType<K extends EventKind>(kind: K) {
  const ref = builder.objectRef<EventOf<K>>(TYPE_NAMES[kind]);
  const node = {
    interfaces: [OccurrenceRef],
    id: { resolve: nodeIdOf },
    /** Null for what is malformed, foreign or of another kind: it looks like what does not exist (P9). */
    loadManyWithoutCache: (ids: readonly string[], { operation }: Context) =>
      Promise.all(
        ids.map(async (id) => {
          const [, sessionId, value] = NODE_ID.exec(id) ?? [];
          if (sessionId === undefined || value === undefined) return null;
          const event = await eventByNumber(operation).load({ sessionId, value });
          return event !== null && isOf(event, kind) ? event : null;
        }),
      ),
  };
  return { ref, node };
}

const isOf = <K extends EventKind>(event: EventRow, kind: K): event is EventOf<K> => event.kind === kind;
