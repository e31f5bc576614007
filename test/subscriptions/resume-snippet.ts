import type { Client } from 'graphql-ws';

const SESSION_EVENTS = /* GraphQL */ `
  subscription ($sessionId: ID!, $after: String) {
    sessionEvents(sessionId: $sessionId, after: $after) {
      edges { node { ... on SessionEventOccurrence { eventId kind } } }
      checkpoint
    }
  }
`;

export interface SessionEvents {
  edges: { node: { eventId: string; kind: string } | null }[];
  checkpoint: string;
}

/** For `createClient`: come back after whatever cut the connection, each time after a longer wait of at most `longest` ms. */
export const comeBack = (longest = 30_000) => ({
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  // Half of it by chance, lest all clients come back at once.
  retryWait: (retries: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, Math.min(1_000 * 2 ** retries, longest) * (0.5 + Math.random() / 2));
    }),
});

/** Gives what happened after `checkpoint`, then what happens. Keep the last update's checkpoint to go on after a restart. */
export function followSession(
  client: Client,
  sessionId: string,
  onUpdate: (update: SessionEvents) => void,
  checkpoint?: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = client.subscribe<{ sessionEvents: SessionEvents | null }>(
      {
        query: SESSION_EVENTS,
        variables: {
          sessionId,
          // The client sends its request again whenever it reconnects. A getter makes it ask for what it has not seen yet.
          get after() {
            return checkpoint;
          },
        },
      },
      {
        next({ data, errors }) {
          if (data?.sessionEvents) {
            onUpdate(data.sessionEvents);
            checkpoint = data.sessionEvents.checkpoint;
          } else {
            // Refused, or an update could not be made: follow again from the last checkpoint, lest it be missed.
            stop();
            reject(errors);
          }
        },
        error: reject,
        complete: resolve,
      },
    );
  });
}
