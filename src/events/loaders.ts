import { loadCounted } from '../accounts/answer-limit.js';
import type { Operation } from '../accounts/operation.js';
import { defineLoader } from '../database/loaders.js';
import { sessionById } from '../sessions/loaders.js';
import { type EventOf, type EventRow, toEventRow } from './event.js';
import { type EventStretch, findUnknownKinds, readStretches } from './page-store.js';
import { type EventKey, type Found, findBy, findLatest } from './store.js';

/** An event of a session by something that names it there. */
export interface EventName {
  readonly sessionId: string;
  readonly value: string;
}

/** The session is a UUID or what another loader gave, so no two names have one text. */
const nameKey = ({ sessionId, value }: EventName) => `${sessionId}:${value}`;

type Find = (operation: Operation, keys: readonly EventKey[]) => Promise<readonly Found[]>;

/**
 * Events by name, null for what is not there, lies beyond the session's head in this operation, or is of a session that the viewer
 * may not see (P9). One statement a batch, beside the one for the sessions.
 */
const eventLoader = (find: Find) =>
  defineLoader(
    async (names: readonly EventName[], operation: Operation): Promise<(EventRow | null)[]> => {
      const sessions = await sessionById(operation).loadMany(names.map(({ sessionId }) => sessionId));
      const asked = names.flatMap(({ value }, place) => {
        const session = sessions[place];
        if (session instanceof Error) throw session;
        return session ? [{ place, session, value }] : [];
      });
      const events: (EventRow | null)[] = names.map(() => null);
      for (const { place, ...raw } of asked.length > 0 ? await find(operation, asked) : []) {
        const name = asked[place];
        if (name !== undefined) events[name.place] = toEventRow(raw);
      }
      return events;
    },
    { key: nameKey },
  );

/** By its number, as text. */
export const eventByNumber = eventLoader((operation, keys) => findBy(operation, 'number', keys));

/** By the eventId that its writer gave. */
export const eventById = eventLoader((operation, keys) => findBy(operation, 'event_id', keys));

const messageByQuestion = eventLoader((operation, keys) => findBy(operation, 'replies_to', keys));
const latestAgentMessage = eventLoader((operation, keys) => findLatest(operation, 'agent_message', keys));

/** The message that answers a question, or null while nobody has. */
export async function replyTo(
  operation: Operation,
  { sessionId, questionId }: EventOf<'question'>,
): Promise<EventOf<'user_message'> | null> {
  const event = await messageByQuestion(operation).load({ sessionId, value: questionId });
  return event?.kind === 'user_message' ? event : null;
}

/** The latest snapshot of the answer that a methods event describes. */
export async function answerOf(
  operation: Operation,
  { sessionId, messageId }: EventOf<'methods'>,
): Promise<EventOf<'agent_message'> | null> {
  const event = await latestAgentMessage(operation).load({ sessionId, value: messageId });
  return event?.kind === 'agent_message' ? event : null;
}

/** Stretches of visible sessions: the pages of a list of sessions are one statement, whose text grows with them. */
export const eventStretch = defineLoader(
  async (stretches: readonly EventStretch[], operation: Operation) =>
    (await loadCounted(operation, (maximum) => readStretches(operation.database, stretches, maximum))).pages,
  {
    key: ({ sessionId, above, below, limit, order, kinds }) =>
      JSON.stringify([sessionId, above, below, limit, order, kinds]),
    maxBatchSize: 200,
  },
);

/** The kinds in a visible session that this version does not know. */
export const unknownKinds = defineLoader((sessionIds: readonly string[], { database }: Operation) =>
  findUnknownKinds(database, sessionIds),
);
