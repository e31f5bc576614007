/** The page by Mercurius, compiled by its jit, with its loaders. */
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { findCitations, findEvents, findSession, findSources, schema, standingOf } from './page-data.js';

const app = Fastify();
await app.register(mercurius, {
  schema,
  jit: 1,
  context: async ({ headers }) => ({ standing: await standingOf(headers.authorization) }),
  resolvers: {
    Query: { session: (_, { sessionId }, { standing }) => findSession(sessionId, standing) },
    Session: { events: async ({ id }, { first }) => ({ nodes: await findEvents(id, first) }) },
  },
  loaders: {
    AgentMessageEvent: { citations: (asked) => findCitations(asked.map(({ obj }) => obj)) },
    Citation: { source: (asked) => findSources(asked.map(({ obj }) => obj)) },
  },
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
