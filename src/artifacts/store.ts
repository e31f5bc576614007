import { readCounted } from '../accounts/answer-limit.js';
import type { Operation } from '../accounts/operation.js';
import { directionOf, type NumberStretch } from '../accounts/ranges.js';
import type { Transaction } from '../database/database.js';
import { type Artifact, type DeliveredOutput, Prisma } from '../generated/prisma/client.js';
import { type Asked, idsBySession, type Placed } from '../sessions/part-pages.js';
import type { SessionRow } from '../sessions/store.js';
import type { ArtifactContent, DeliveredOutputContent } from './content.js';

// Every read here is of one session, whose row the viewer was shown before: that is where access is checked (P9).

/** A session's latest snapshot of a file. */
export type ArtifactRow = Artifact;
/** A session's latest snapshot of a delivered output. */
export type DeliveredOutputRow = DeliveredOutput;

/** Names a session's file or output. */
export interface ArtifactKey {
  readonly sessionId: string;
  readonly artifactId: string;
}

interface SessionKey {
  readonly sessionId: string;
}

/** Names a session's event. */
export interface EventKey {
  readonly sessionId: string;
  readonly eventNumber: number;
}

/** A field, its column and the column's type. */
type Field = readonly [name: string, column: string, type: string];

interface SnapshotTable {
  readonly name: Prisma.Sql;
  readonly fields: readonly Field[];
}

const ARTIFACTS: SnapshotTable = {
  name: Prisma.raw('artifact'),
  fields: [
    ['kind', 'kind', 'text'],
    ['format', 'format', 'text'],
    ['filename', 'filename', 'text'],
    ['contentType', 'content_type', 'text'],
    ['sizeBytes', 'size_bytes', 'bigint'],
    ['createdAt', 'created_at', 'timestamptz'],
  ],
};

const DELIVERED_OUTPUTS: SnapshotTable = {
  name: Prisma.raw('delivered_output'),
  fields: [
    ['kind', 'kind', 'text'],
    ['title', 'title', 'text'],
    ['caption', 'caption', 'text'],
    ['rowCount', 'row_count', 'int'],
    ['createdAt', 'created_at', 'timestamptz'],
  ],
};

/**
 * Keeps the latest snapshot of each file, in one statement whatever the number; a file's place is where it first appeared.
 * The caller holds the session's lock (P1). Returns the session's new head.
 */
export async function writeArtifacts(
  tx: Transaction,
  session: Pick<SessionRow, 'id' | 'artifactHead'>,
  artifacts: readonly ArtifactContent[],
): Promise<Pick<SessionRow, 'artifactHead'>> {
  return { artifactHead: await writeSnapshots(tx, ARTIFACTS, session.id, session.artifactHead, artifacts) };
}

/** As `writeArtifacts`, for delivered outputs. */
export async function writeDeliveredOutputs(
  tx: Transaction,
  session: Pick<SessionRow, 'id' | 'deliveredOutputHead'>,
  outputs: readonly DeliveredOutputContent[],
): Promise<Pick<SessionRow, 'deliveredOutputHead'>> {
  const { id, deliveredOutputHead: head } = session;
  return { deliveredOutputHead: await writeSnapshots(tx, DELIVERED_OUTPUTS, id, head, outputs) };
}

/** A known one is written with the number that it has: the conflict is then on its id, and its snapshot is replaced whole. */
async function writeSnapshots(
  tx: Transaction,
  { name: table, fields }: SnapshotTable,
  sessionId: string,
  head: number,
  contents: readonly { readonly artifactId: string }[],
): Promise<number> {
  const snapshots = latestSnapshots(contents);
  if (snapshots.length === 0) return head;
  const listed = (format: (field: Field) => string) => Prisma.raw(fields.map(format).join(', '));
  const written = await tx.$queryRaw<{ number: number }[]>`
    INSERT INTO ${table} (session_id, artifact_id, number, ${listed(([, column]) => column)})
    SELECT ${sessionId}::uuid, "artifactId",
      COALESCE(known.number, ${head}::int + row_number() OVER (PARTITION BY known.number IS NULL ORDER BY ordinal)),
      ${listed(([name, , type]) => `sent."${name}"::${type}`)}
    FROM json_to_recordset(${JSON.stringify(snapshots)}::json)
      AS sent (ordinal int, "artifactId" text, ${listed(([name, , type]) => `"${name}" ${type}`)})
    LEFT JOIN ${table} known ON known.session_id = ${sessionId}::uuid AND known.artifact_id = sent."artifactId"
    ON CONFLICT (session_id, artifact_id) DO UPDATE
      SET ${listed(([, column]) => `${column} = excluded.${column}`)}
    RETURNING number`;
  return written.reduce((last, { number }) => Math.max(last, number), head);
}

/** The last snapshot of each, in order of first appearance. */
function latestSnapshots(contents: readonly { readonly artifactId: string }[]) {
  const latest = new Map(contents.map((content) => [content.artifactId, content]));
  return [...latest.values()].map((content, ordinal) => ({ ...content, ordinal }));
}

/** The latest snapshots of these files, in no order. */
export const findArtifacts = (
  { database }: Operation,
  keys: readonly ArtifactKey[],
): Promise<ArtifactRow[]> => database.prisma.artifact.findMany({ where: { OR: oneOf(keys) } });

export const findDeliveredOutputs = (
  { database }: Operation,
  keys: readonly ArtifactKey[],
): Promise<DeliveredOutputRow[]> => database.prisma.deliveredOutput.findMany({ where: { OR: oneOf(keys) } });

/** A stretch of each session's files. */
export const listArtifacts = (
  operation: Operation,
  order: NumberStretch['order'],
  asked: readonly Asked<SessionKey>[],
): Promise<Placed<ArtifactRow>[]> => listSnapshots<ArtifactRow>(operation, ARTIFACTS, order, asked);

/** A stretch of each session's delivered outputs. */
export const listDeliveredOutputs = (
  operation: Operation,
  order: NumberStretch['order'],
  asked: readonly Asked<SessionKey>[],
): Promise<Placed<DeliveredOutputRow>[]> =>
  listSnapshots<DeliveredOutputRow>(operation, DELIVERED_OUTPUTS, order, asked);

/** `Row` is the table's. */
function listSnapshots<Row>(
  { database }: Operation,
  { name: table, fields }: SnapshotTable,
  order: NumberStretch['order'],
  asked: readonly Asked<SessionKey>[],
): Promise<Placed<Row>[]> {
  const direction = directionOf(order);
  const columns = Prisma.raw(fields.map(([name, column]) => `${column} AS "${name}"`).join(', '));
  return database.prisma.$queryRaw<Placed<Row>[]>`
    SELECT asked.place, snapshot.*
    FROM json_to_recordset(${JSON.stringify(asked)}::json)
      AS asked (place int, "sessionId" uuid, above int, below int, "limit" int)
    CROSS JOIN LATERAL (
      SELECT session_id AS "sessionId", artifact_id AS "artifactId", number, ${columns} FROM ${table}
      WHERE session_id = asked."sessionId" AND number > asked.above AND number < asked.below
      ORDER BY number ${direction} LIMIT asked."limit"
    ) snapshot
    ORDER BY asked.place, snapshot.number ${direction}`;
}

/** The kinds of events that keep snapshots, as they are stored. */
export type SnapshotEventKind = 'artifacts_delivered' | 'delivered_outputs';

/** What events of one kind keep, for ids that name an event's own snapshot; in no order. */
export const findPayloads = (
  operation: Operation,
  kind: SnapshotEventKind,
  keys: readonly EventKey[],
): Promise<(EventKey & { readonly payload: unknown })[]> =>
  readCounted(
    operation,
    Prisma.sql`
    SELECT "sessionId", "eventNumber", payload
    FROM json_to_recordset(${JSON.stringify(keys)}::json) AS asked ("sessionId" uuid, "eventNumber" int)
    JOIN event ON session_id = asked."sessionId" AND number = asked."eventNumber" AND kind = ${kind}`,
  );

const oneOf = (keys: readonly ArtifactKey[]) =>
  idsBySession(keys, ({ artifactId }) => artifactId).map(([sessionId, ids]) => ({
    sessionId,
    artifactId: { in: ids },
  }));
