import type { Operation } from '../accounts/operation.js';
import type { Listing } from '../graphql/connections.js';
import { denseListing } from '../sessions/part-pages.js';
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
): Listing<ArtifactRow, ArtifactNode> =>
  denseListing({
    log: `artifacts:${id}`,
    head,
    read: (stretch) => artifactsOf(operation).load({ sessionId: id, ...stretch }),
    toNode: toArtifactNode,
  });

/** The latest snapshots of a session's delivered outputs, in order of first appearance. */
export const deliveredOutputListing = (
  operation: Operation,
  { id, deliveredOutputHead: head }: SessionRow,
): Listing<DeliveredOutputRow, DeliveredOutputNode> =>
  denseListing({
    log: `delivered-outputs:${id}`,
    head,
    read: (stretch) => deliveredOutputsOf(operation).load({ sessionId: id, ...stretch }),
    toNode: toDeliveredOutputNode,
  });
