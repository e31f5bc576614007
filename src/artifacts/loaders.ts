import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import { defineLoader, rowByKey } from '../database/loaders.js';
import { sessionById } from '../sessions/loaders.js';
import { definePages } from '../sessions/part-pages.js';
import {
  type ArtifactNode,
  artifactFromPayload,
  type DeliveredOutputNode,
  deliveredOutputFromPayload,
  toArtifactNode,
  toDeliveredOutputNode,
} from './nodes.js';
import { artifactSnapshot, deliveredOutputSnapshot } from './snapshots.js';
import {
  type ArtifactKey,
  type EventKey,
  findArtifacts,
  findDeliveredOutputs,
  findPayloads,
  listArtifacts,
  listDeliveredOutputs,
  type SnapshotEventKind,
} from './store.js';

const artifactKey = ({ sessionId, artifactId }: ArtifactKey): string => `${sessionId}:${artifactId}`;
const eventKey = ({ sessionId, eventNumber }: EventKey): string => `${sessionId}:${eventNumber}`;

/** A stretch of a session's files. */
export const artifactsOf = definePages(listArtifacts);

/** A stretch of a session's delivered outputs. */
export const deliveredOutputsOf = definePages(listDeliveredOutputs);

const latestArtifact = defineLoader(
  async (keys: readonly ArtifactKey[], operation: Operation) =>
    rowByKey(keys.map(artifactKey), await findArtifacts(operation, keys), artifactKey),
  { key: artifactKey },
);

const latestDeliveredOutput = defineLoader(
  async (keys: readonly ArtifactKey[], operation: Operation) =>
    rowByKey(keys.map(artifactKey), await findDeliveredOutputs(operation, keys), artifactKey),
  { key: artifactKey },
);

/** The latest snapshot of a session's file; null where there is none yet, or the session is not the viewer's to see. */
export async function artifactById(operation: Operation, key: ArtifactKey): Promise<ArtifactNode | null> {
  const [session, row] = await Promise.all([
    sessionById(operation).load(key.sessionId),
    latestArtifact(operation).load(key),
  ]);
  return session === null || row === null || row.number > session.artifactHead ? null : toArtifactNode(row);
}

/** As `artifactById`, for a delivered output. */
export async function deliveredOutputById(
  operation: Operation,
  key: ArtifactKey,
): Promise<DeliveredOutputNode | null> {
  const [session, row] = await Promise.all([
    sessionById(operation).load(key.sessionId),
    latestDeliveredOutput(operation).load(key),
  ]);
  const shown = session !== null && row !== null && row.number <= session.deliveredOutputHead;
  return shown ? toDeliveredOutputNode(row) : null;
}

/** What an event's payload keeps under `list`; none where it cannot be read. */
const snapshotsOf = <T>(kind: SnapshotEventKind, list: string, snapshot: z.ZodType<T>) => {
  const stored = z.object({ [list]: z.array(snapshot) });
  return defineLoader(
    async (keys: readonly EventKey[], operation: Operation): Promise<(readonly T[])[]> => {
      const payloads = await findPayloads(operation, kind, keys);
      return rowByKey(keys.map(eventKey), payloads, eventKey).map(
        (event) => stored.safeParse(event?.payload).data?.[list] ?? [],
      );
    },
    { key: eventKey },
  );
};

const artifactsOfEvent = snapshotsOf('artifacts_delivered', 'artifacts', artifactSnapshot);
const outputsOfEvent = snapshotsOf('delivered_outputs', 'deliveredOutputs', deliveredOutputSnapshot);

/** A file as one event shows it; the caller has checked that the viewer sees the event. */
export async function artifactOfEvent(
  operation: Operation,
  { sessionId, eventNumber, artifactId }: ArtifactKey & EventKey,
): Promise<ArtifactNode | null> {
  const snapshots = await artifactsOfEvent(operation).load({ sessionId, eventNumber });
  const snapshot = snapshots.find((candidate) => candidate.artifactId === artifactId);
  return snapshot === undefined ? null : artifactFromPayload(sessionId, eventNumber, snapshot);
}

/** As `artifactOfEvent`, for a delivered output. */
export async function deliveredOutputOfEvent(
  operation: Operation,
  { sessionId, eventNumber, artifactId }: ArtifactKey & EventKey,
): Promise<DeliveredOutputNode | null> {
  const snapshots = await outputsOfEvent(operation).load({ sessionId, eventNumber });
  const snapshot = snapshots.find((candidate) => candidate.artifactId === artifactId);
  return snapshot === undefined ? null : deliveredOutputFromPayload(sessionId, eventNumber, snapshot);
}
