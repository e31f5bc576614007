/**
 * Mercurius as its documentation sets it up for subscriptions, in a process of its own, which is told what to do and answers as
 * test/bench/fanout/messages.ts says.
 */
import Fastify from 'fastify';
import mercurius from 'mercurius';

const TEXT = 'x'.repeat(1_300);

const schema = `
  type Query { hello: String }
  type Event { eventId: ID! kind: String! createdAt: String! displayText: String! }
  type Edge { node: Event }
  type Update { edges: [Edge!]! checkpoint: String! }
  type Subscription { sessionEvents: Update }`;

const resolvers = {
  Subscription: { sessionEvents: { subscribe: (_root, _args, { pubsub }) => pubsub.subscribe('events') } },
};

const app = Fastify();
await app.register(mercurius, { schema, resolvers, subscription: true, jit: 1 });
await app.listen({ port: 0, host: '127.0.0.1' });

let number = 0;

function burst(events) {
  for (let sent = 0; sent < events; sent++) {
    number += 1;
    const node = {
      eventId: `n${number}`,
      kind: 'AGENT_MESSAGE',
      createdAt: new Date().toISOString(),
      displayText: TEXT,
    };
    const sessionEvents = { edges: [{ node }], checkpoint: 'c'.repeat(20) };
    app.graphql.pubsub.publish({ topic: 'events', payload: { sessionEvents } });
  }
}

process.on('message', ({ what, events }) => {
  if (what === 'end') process.exit();
  if (what === 'burst') {
    burst(events);
    process.send({ what: 'sent' });
  } else {
    const { user, system } = process.cpuUsage();
    process.send({ what: 'cpu', us: user + system, rss: process.memoryUsage().rss });
  }
});
process.on('disconnect', () => process.exit());
process.send({
  what: 'ready',
  url: `ws://127.0.0.1:${app.server.address().port}/graphql`,
  token: '',
  query:
    'subscription { sessionEvents { edges { node { eventId kind createdAt displayText } } checkpoint } }',
});
