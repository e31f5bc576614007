/** The page by Apollo Server, with dataloaders. */
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import { findCitations, findEvents, findSession, findSources, schema, standingOf } from './page-data.js';

const server = new ApolloServer({
  typeDefs: schema,
  resolvers: {
    Query: { session: (_, { sessionId }, { standing }) => findSession(sessionId, standing) },
    Session: { events: async ({ id }, { first }) => ({ nodes: await findEvents(id, first) }) },
    AgentMessageEvent: { citations: (event, _, { citations }) => citations.load(event) },
    Citation: { source: (citation, _, { sources }) => sources.load(citation) },
  },
});
await startStandaloneServer(server, {
  context: async ({ req }) => ({
    standing: await standingOf(req.headers.authorization),
    citations: new DataLoader(findCitations),
    sources: new DataLoader(findSources),
  }),
  listen: { port: Number(process.env.PORT), host: '127.0.0.1' },
});
