import type { Operation } from '../accounts/operation.js';
import type { Listing } from '../graphql/connections.js';
import type { SessionRow } from '../sessions/store.js';
import { citationCountOf, citationsOfSource, citedSourcesOf } from './loaders.js';
import { type CitationNode, type SourceNode, toCitationNode, toSourceNode } from './nodes.js';
import type { CitationRow, SourceKey, SourceRow } from './store.js';

/** A session's cited sources in the order of their first citation. */
export const citedSources = (
  operation: Operation,
  { id, sourceHead }: SessionRow,
): Listing<SourceRow, SourceNode> => ({
  log: `sources:${id}`,
  head: sourceHead,
  dense: true,
  read: (stretch) => citedSourcesOf(operation).load({ sessionId: id, ...stretch }),
  count: () => Promise.resolve(sourceHead),
  numberOf: ({ number }) => number ?? 0,
  toNode: toSourceNode,
});

/** The citations of one source among all of its session, in their order. */
export const citedBy = (
  operation: Operation,
  { citationHead }: SessionRow,
  { sessionId, sourceRef }: SourceKey,
): Listing<CitationRow, CitationNode> => ({
  log: `cited-by:${sessionId}:${sourceRef}`,
  head: citationHead,
  dense: false,
  read: (stretch) => citationsOfSource(operation).load({ sessionId, sourceRef, ...stretch }),
  count: () => citationCountOf(operation).load({ sessionId, sourceRef, upTo: citationHead }),
  numberOf: ({ number }) => number,
  toNode: toCitationNode,
});
