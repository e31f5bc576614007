import { fileURLToPath } from 'node:url';
import { peerPath } from '../peers.js';

/** One way to answer the page. */
export interface Way {
  readonly name: string;
  /** The module of its server, which reads DATABASE_URL and PORT. */
  readonly module: string;
  readonly args: readonly string[];
  /** What its process is started with besides. */
  readonly imports: readonly string[];
  readonly query: string;
  /** The events in its answer's data, as all ways show them. */
  read(data: unknown): unknown;
}

const path = (module: string) => fileURLToPath(new URL(module, import.meta.url));

const QUERY = `query Page($sessionId: ID!) { session(sessionId: $sessionId) { events(first: 50) { nodes {
  ... on AgentMessageEvent { eventId createdAt messageId text citations {
    citationId quote source { sourceRef title authors year doi venue citationCount fullTextAvailable }
  } }
} } } }`;

/** PostGraphile names things by their tables; what it has only as JSON it shows whole. */
const TABLES_QUERY = `query Page($sessionId: UUID!) { session: sessionByRowId(rowId: $sessionId) { events: eventsBySessionId(first: 50) { nodes {
  eventId createdAt payload citations: citationsBySessionIdAndEventNumber { nodes {
    citationId quote source: knownSource {
      sourceRef title authors year doi venue citationCount fullTextAvailable
    }
  } }
} } } }`;

interface Page {
  readonly session: { readonly events: { readonly nodes: readonly unknown[] } };
}

interface TablesEvent {
  readonly eventId: string;
  readonly createdAt: string;
  readonly payload: string | { readonly messageId: string; readonly text: string };
  readonly citations: { readonly nodes: readonly { readonly source: { readonly citationCount: string } }[] };
}

const nodesOf = (data: unknown) => (data as Page).session.events.nodes;

const eventsOfTables = (data: unknown) =>
  (nodesOf(data) as readonly TablesEvent[]).map(({ eventId, createdAt, payload, citations }) => {
    const { messageId, text } = typeof payload === 'string' ? JSON.parse(payload) : payload;
    return {
      eventId,
      createdAt: new Date(createdAt).toISOString(),
      messageId,
      text,
      citations: citations.nodes.map((citation) => ({
        ...citation,
        source: { ...citation.source, citationCount: Number(citation.source.citationCount) },
      })),
    };
  });

const way = (name: string, module: string, more: Partial<Way> = {}): Way => ({
  name,
  module,
  args: [],
  imports: [],
  query: QUERY,
  read: nodesOf,
  ...more,
});

export const LIMIT = 'node:http + pg';
export const OURS = 'Tidings';

export const WAYS: readonly Way[] = [
  way(LIMIT, path('./limit.ts'), { imports: ['tsx'] }),
  way(OURS, path('../../../dist/cli.js'), { args: ['serve'] }),
  way('Mercurius, jit + loaders', peerPath('page-mercurius')),
  way('PostGraphile', peerPath('page-postgraphile'), { query: TABLES_QUERY, read: eventsOfTables }),
  way('Apollo Server', peerPath('page-apollo')),
];
