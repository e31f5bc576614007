import type { FormattedExecutionResult } from 'graphql';
import { expect } from 'vitest';
import { sessionCursor } from '../../src/events/listing.js';
import type { House } from '../events/house.js';

export interface Update {
  readonly edges: readonly {
    readonly cursor: string;
    readonly node: { readonly eventId: string; readonly kind: string } | null;
  }[];
  readonly checkpoint: string;
  readonly caughtUp: boolean;
}

export type Result = Pick<
  FormattedExecutionResult<{ readonly sessionEvents: Update | null }, unknown>,
  'data' | 'errors'
>;
/** Of the official clients, or of any other that gives results as they come. */
export type Stream = AsyncIterator<Result>;

export interface FollowVariables {
  readonly sessionId: string;
  readonly after?: string | null | undefined;
  readonly kinds?: readonly string[] | undefined;
}

export const SESSION_EVENTS = `subscription ($sessionId: ID!, $after: String, $kinds: [SessionEventKind!]) {
  sessionEvents(sessionId: $sessionId, after: $after, kinds: $kinds) {
    edges { cursor node { ... on SessionEventOccurrence { eventId kind } } } checkpoint caughtUp
  }
}`;

/** Follows a session with the official client, over a socket of its own. */
export const follow = (
  house: House,
  variables: FollowVariables,
  who: keyof House['tokens'] = 'member',
): Stream =>
  house.subscribe<{ sessionEvents: Update | null }>(SESSION_EVENTS, {
    token: house.tokens[who],
    variables: { ...variables },
  });

/** The next update of a stream that must not have ended, and in which nothing failed. */
export async function pull(stream: Stream): Promise<Update> {
  const { done, value } = await stream.next();
  if (done) throw new Error('Expected an update, got the end of the stream.');
  return updateOf(value);
}

/** Pulls until the stream has come to this number of the session's log. */
export async function pullTo(stream: Stream, sessionId: string, number: number): Promise<Update[]> {
  const end = sessionCursor(sessionId, number);
  const updates: Update[] = [];
  while (updates.at(-1)?.checkpoint !== end) updates.push(await pull(stream));
  return updates;
}

export function updateOf({ data, errors }: Result): Update {
  expect(errors ?? []).toEqual([]);
  if (!data?.sessionEvents) throw new Error('Expected an update, got a result without one.');
  return data.sessionEvents;
}

export const eventIds = (updates: readonly Update[]) =>
  updates.flatMap(({ edges }) => edges.map(({ node }) => node?.eventId));

/** e`from` … e`to`, as `House.newSession` names its events. */
export const named = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `e${from + index}`);
