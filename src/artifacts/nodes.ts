import type { PartId } from '../sessions/part-ids.js';
import type { ArtifactSnapshot, DeliveredOutputSnapshot } from './snapshots.js';
import type { ArtifactRow, DeliveredOutputRow } from './store.js';

/** Where it is shown: under one event, or (null) under the session, whose latest snapshot it is. */
interface Place {
  readonly sessionId: string;
  readonly eventNumber: number | null;
}

/** What the schema's Artifact shows. */
export type ArtifactNode = Place & { readonly fields: ArtifactSnapshot | ArtifactRow };

/** What the schema's DeliveredOutput shows. */
export type DeliveredOutputNode = Place & { readonly fields: DeliveredOutputSnapshot | DeliveredOutputRow };

export const partIdOf = ({ sessionId, eventNumber, fields }: ArtifactNode | DeliveredOutputNode): PartId => ({
  sessionId,
  eventNumber,
  key: fields.artifactId,
});

export const toArtifactNode = (row: ArtifactRow): ArtifactNode => ({
  sessionId: row.sessionId,
  eventNumber: null,
  fields: row,
});

export const toDeliveredOutputNode = (row: DeliveredOutputRow): DeliveredOutputNode => ({
  sessionId: row.sessionId,
  eventNumber: null,
  fields: row,
});

/** A file as an event shows it, from what its payload keeps. */
export const artifactFromPayload = (
  sessionId: string,
  eventNumber: number,
  fields: ArtifactSnapshot,
): ArtifactNode => ({ sessionId, eventNumber, fields });

/** A delivered output as an event shows it, from what its payload keeps. */
export const deliveredOutputFromPayload = (
  sessionId: string,
  eventNumber: number,
  fields: DeliveredOutputSnapshot,
): DeliveredOutputNode => ({ sessionId, eventNumber, fields });

/** The column holds what passed the door, one of the kinds; one that a later version added fails its own node alone. */
export const artifactKindOf = ({ fields }: ArtifactNode) => fields.kind as ArtifactSnapshot['kind'];
export const outputKindOf = ({ fields }: DeliveredOutputNode) =>
  fields.kind as DeliveredOutputSnapshot['kind'];
