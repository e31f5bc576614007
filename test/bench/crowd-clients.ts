import { once } from 'node:events';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** What the process of the clients is told to do. */
export interface CrowdOrder {
  readonly url: string;
  readonly token: string;
  readonly sessionId: string;
  readonly subscribers: number;
  readonly sockets: number;
  /** How many events will come. */
  readonly events: number;
}

export interface CrowdReport {
  /** Everyone has had a first update; or every event. */
  readonly what: 'ready' | 'done';
  readonly updates: number;
}

const QUERY = `subscription ($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) {
    edges { cursor node { ... on AgentMessageEvent { eventId createdAt messageId text } } } checkpoint caughtUp
  }
}`;

interface Update {
  readonly sessionEvents: { readonly edges: readonly { readonly node: { readonly eventId: string } }[] };
}

const tell = (report: CrowdReport) => process.send?.(report);

async function run({ url, token, sessionId, subscribers, sockets, events }: CrowdOrder): Promise<void> {
  const socketUrl = `${url.replace('http', 'ws')}/graphql`;
  const authorization = `Bearer ${token}`;
  const payload = { query: QUERY, variables: { sessionId } };
  await openStuck(socketUrl, authorization, payload);
  const clients = Array.from({ length: sockets }, () =>
    createClient({ url: socketUrl, webSocketImpl: WebSocket, connectionParams: { authorization } }),
  );
  let [updates, ready, done] = [0, 0, 0];
  for (let index = 0; index < subscribers; index++) {
    let seen = 0;
    let begun = false;
    clients[index % sockets]?.subscribe<Update>(payload, {
      next: ({ data }) => {
        if (!begun) {
          begun = true;
          ready += 1;
          if (ready === subscribers) tell({ what: 'ready', updates });
          return;
        }
        updates += 1;
        for (const { node } of data?.sessionEvents.edges ?? []) {
          seen += 1;
          if (node.eventId !== `e${seen}`) throw new Error(`Expected e${seen}, got ${node.eventId}.`);
        }
        if (seen === events) done += 1;
        if (done === subscribers) tell({ what: 'done', updates });
      },
      error: (error) => {
        throw error;
      },
      complete: () => {},
    });
  }
}

/** A socket that subscribes 50 times and never reads. */
async function openStuck(url: string, authorization: string, payload: object): Promise<void> {
  const stuck = new WebSocket(url, 'graphql-transport-ws');
  await once(stuck, 'open');
  stuck.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
  await once(stuck, 'message');
  for (let id = 0; id < 50; id++) stuck.send(JSON.stringify({ type: 'subscribe', id: `${id}`, payload }));
  stuck.pause();
}

process.once('disconnect', () => process.exit());
process.once('message', (order) => void run(order as CrowdOrder));
