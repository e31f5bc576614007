import { WebSocket } from 'ws';
import { type Following, type FollowState, follow } from '../../src/client/follow.js';
import { SESSION_EVENTS, type Update } from '../subscriptions/streams.js';

export const TRANSPORTS = ['ws', 'sse'] as const;
export type Way = (typeof TRANSPORTS)[number];

export interface Wanted {
  readonly url: string;
  readonly token: string | (() => string | Promise<string>);
  readonly variables: Readonly<Record<string, unknown>>;
  readonly query?: string;
  readonly buffer?: number;
  readonly signal?: AbortSignal;
}

/** Follows by the client, with what it did meanwhile, and no wait worth the name before it tries again. */
export function followBy(transport: Way, { url, query = SESSION_EVENTS, ...wanted }: Wanted) {
  const states: FollowState[] = [];
  const following = follow<Update>({
    ...wanted,
    url: `${url}/graphql`,
    query,
    transport,
    webSocket: WebSocket,
    longestWait: 20,
    onState: (state) => states.push(state),
  });
  return {
    following,
    states,
    /** Why it has waited, each time. */
    waits: () => states.flatMap((state) => (state.is === 'waiting' ? [state.because.code] : [])),
  };
}

/** The ids of the next events, as many as are wanted or a few more. */
export async function take(following: Following<Update>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { done, value } = await following.next();
    if (done) throw new Error(`Expected ${count} events, got the end after ${ids.length}.`);
    ids.push(...value.edges.map(({ node }) => node?.eventId ?? 'nothing'));
  }
  return ids;
}
