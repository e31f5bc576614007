import type { Operation } from '../accounts/operation.js';
import type { Listing } from '../graphql/connections.js';
import { denseListing } from '../sessions/part-pages.js';
import type { SessionRow } from '../sessions/store.js';
import { citationCountOf, citationsOfSource, citedSourcesOf } from './loaders.js';
import { type CitationNode, type SourceNode, toCitationNode, toSourceNode } from './nodes.js';
import type { CitationRow, SourceKey, SourceRow } from './store.js';

/** A session's cited sources in the order of their first citation. */
export const citedSources = (
  operation: Operation,
  { id, sourceHead: head }: SessionRow,
): Listing<SourceRow, SourceNode> =>
  denseListing({
    log: `sources:${id}`,
    head,
    read: (stretch) => citedSourcesOf(operation).load({ sessionId: id, ...stretch }),
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
