import type { Operation } from '../accounts/operation.js';
import type { Listing } from '../graphql/connections.js';
import type { SessionRow } from '../sessions/store.js';
import { artifactsOf, deliveredOutputsOf } from './loaders.js';
import {
  type ArtifactNode,
  type DeliveredOutputNode,
  toArtifactNode,
  toDeliveredOutputNode,
} from './nodes.js';
import type { ArtifactRow, DeliveredOutputRow } from './store.js';

/** The latest snapshots of a session's files, in order of first appearance. */
export const artifactListing = (
  operation: Operation,
  { id, artifactHead: head }: SessionRow,
): Listing<ArtifactRow, ArtifactNode> => ({
  log: `artifacts:${id}`,
  head,
  dense: true,
  read: (stretch) => artifactsOf(operation).load({ sessionId: id, ...stretch }),
  count: () => Promise.resolve(head),
  numberOf: ({ number }) => number,
  toNode: toArtifactNode,
});

/** The latest snapshots of a session's delivered outputs, in order of first appearance. */
export const deliveredOutputListing = (
  operation: Operation,
  { id, deliveredOutputHead: head }: SessionRow,
): Listing<DeliveredOutputRow, DeliveredOutputNode> => ({
  log: `delivered-outputs:${id}`,
  head,
  dense: true,
  read: (stretch) => deliveredOutputsOf(operation).load({ sessionId: id, ...stretch }),
  count: () => Promise.resolve(head),
  numberOf: ({ number }) => number,
  toNode: toDeliveredOutputNode,
});
