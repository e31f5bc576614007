/** One way to tell many subscribers of events, in a process of its own: `raw`, `documented`, `tidings`, `writing`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionArgs } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { createPubSub, createSchema, createYoga } from 'graphql-yoga';
import { type WebSocket, WebSocketServer } from 'ws';
import { messageOf, openBenchHouse } from '../house.js';
import { type ServerOrder, type ServerReport, TEXT, type WriteOrder } from './messages.js';

interface Way {
  readonly url: string;
  readonly token: string;
  readonly query: string;
  burst(events: number): Promise<void>;
}

let number = 0;
function nextId(): string {
  number += 1;
  return `n${number}`;
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

/** The limit: the same bytes to every socket, and nothing else. */
async function raw(): Promise<Way> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket: WebSocket) => {
    socket.once('message', () => socket.send('{"type":"connection_ack"}'));
  });
  return {
    url: await listen(server),
    token: '',
    query: '',
    burst: async (events) => {
      for (let sent = 0; sent < events; sent++) {
        const node = { eventId: nextId(), kind: 'AGENT_MESSAGE', createdAt: new Date(), displayText: TEXT };
        const data = { sessionEvents: { edges: [{ node }], checkpoint: 'c'.repeat(20) } };
        const message = JSON.stringify({ id: 'a5c3d1f0', type: 'next', payload: { data } });
        for (const socket of sockets.clients) socket.send(message);
      }
    },
  };
}

/** Yoga and graphql-ws as their documentation puts them together. */
async function documented(): Promise<Way> {
  const pubSub = createPubSub<{ events: [object] }>();
  const typeDefs = `
    type Query { hello: String }
    type Event { eventId: ID! kind: String! createdAt: String! displayText: String! }
    type Edge { node: Event }
    type Update { edges: [Edge!]! checkpoint: String! }
    type Subscription { sessionEvents: Update }`;
  const subscription = {
    sessionEvents: { subscribe: () => pubSub.subscribe('events'), resolve: (update: object) => update },
  };
  const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers: { Subscription: subscription } }) });
  const server = createServer(yoga);
  const sockets = new WebSocketServer({ server, path: yoga.graphqlEndpoint });
  type Functions = Pick<ReturnType<typeof yoga.getEnveloped>, 'execute' | 'subscribe'>;
  /** As `onSubscribe` put them there. */
  const functionsOf = ({ rootValue }: ExecutionArgs) => rootValue as Functions;
  useServer(
    {
      execute: (args) => functionsOf(args).execute(args),
      subscribe: (args) => functionsOf(args).subscribe(args),
      onSubscribe: async (context, _id, payload) => {
        const { schema, execute, subscribe, contextFactory, parse, validate } = yoga.getEnveloped({
          ...context,
          req: context.extra.request,
          socket: context.extra.socket,
          params: payload,
        });
        const args = {
          schema,
          operationName: payload.operationName,
          document: parse(payload.query),
          variableValues: payload.variables,
          contextValue: await contextFactory(),
          rootValue: { execute, subscribe },
        };
        const errors = validate(args.schema, args.document);
        return errors.length > 0 ? errors : args;
      },
    },
    sockets,
  );
  return {
    url: await listen(server),
    token: '',
    query: `subscription { sessionEvents { edges { node { eventId kind createdAt displayText } } checkpoint } }`,
    burst: async (events) => {
      for (let sent = 0; sent < events; sent++) {
        const node = {
          eventId: nextId(),
          kind: 'AGENT_MESSAGE',
          createdAt: new Date().toISOString(),
          displayText: TEXT,
        };
        pubSub.publish('events', { edges: [{ node }], checkpoint: 'c'.repeat(20) });
      }
    },
  };
}

type House = Awaited<ReturnType<typeof openBenchHouse>>;

const wayInto = (
  { url, token, sessionId }: House,
  append: (ids: readonly string[]) => Promise<unknown>,
): Way => ({
  url: `${url.replace('http', 'ws')}/graphql`,
  token,
  query: `subscription { sessionEvents(sessionId: "${sessionId}") {
      edges { node { ... on AgentMessageEvent { eventId kind createdAt displayText } } } checkpoint } }`,
  burst: async (events) => {
    await append(Array.from({ length: events }, nextId));
  },
});

/** This project on PostgreSQL: each event is committed by another process, heard of, read back and told. */
async function tidings(): Promise<Way> {
  const house = await openBenchHouse('postgresql');
  const { database, token, sessionId } = house;
  const writer = fork(new URL('./writer.ts', import.meta.url), [database.url ?? '', token, sessionId]);
  await once(writer, 'message');
  return wayInto(house, async (ids) => {
    const written = once(writer, 'message');
    writer.send({ ids, bytes: TEXT.length } satisfies WriteOrder);
    await written;
  });
}

/** The same with the writer in the process that tells. */
async function writing(): Promise<Way> {
  const house = await openBenchHouse('postgresql');
  return wayInto(house, (ids) => house.append(ids.map((id) => messageOf(id, TEXT.length))));
}

const ways: Readonly<Record<string, () => Promise<Way>>> = { raw, documented, tidings, writing };

const begin = ways[process.argv[2] ?? ''];
if (begin === undefined) throw new Error(`Expected one of ${Object.keys(ways).join(', ')}.`);
const way = await begin();
const report = (what: ServerReport) => process.send?.(what);

process.on('message', async (order: ServerOrder) => {
  if (order.what === 'end') process.exit();
  if (order.what === 'burst') {
    await way.burst(order.events);
    report({ what: 'sent' });
  } else {
    const { user, system } = process.cpuUsage();
    report({ what: 'cpu', us: user + system, rss: process.memoryUsage().rss });
  }
});
process.on('disconnect', () => process.exit());
report({ what: 'ready', url: way.url, token: way.token, query: way.query });
