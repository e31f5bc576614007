import type { Database, Transaction } from '../database/database.js';
import { Prisma } from '../generated/prisma/client.js';
import type { StreamPoint } from './stream.js';

/** A stream by the name that its writer gave it. */
export interface StreamKey {
  readonly sessionId: string;
  readonly stream: string;
}

/** A named stream as far as it was read. */
export interface StoredStream extends StreamKey {
  readonly offset: number;
  readonly format: string | null;
  /** Null before anything of it was kept. */
  readonly state: string | null;
}

const COLUMNS = Prisma.sql`session_id AS "sessionId", stream, "offset"::float8 AS "offset", format, state`;
const NOW = Prisma.sql`clock_timestamp()`;
const after = (ms: number) => Prisma.sql`${NOW} + ${ms}::int * interval '1 millisecond'`;
const keyed = ({ sessionId, stream }: StreamKey) =>
  Prisma.sql`session_id = ${sessionId}::uuid AND stream = ${stream}`;

/** Who has the session has passed `sessions/` (P9). */
export async function findStream(
  tx: Pick<Transaction, '$queryRaw'>,
  key: StreamKey,
): Promise<StoredStream | undefined> {
  const [found] = await tx.$queryRaw<StoredStream[]>(
    Prisma.sql`SELECT ${COLUMNS} FROM ingest_stream WHERE ${keyed(key)}`,
  );
  return found;
}

/** From now on `writer` writes it; what was read of it stays until more is. The caller holds the session's lock. */
export async function writeClaim(
  tx: Transaction,
  key: StreamKey,
  writer: string,
  dueMs: number,
): Promise<void> {
  await tx.$executeRaw(Prisma.sql`
    INSERT INTO ingest_stream (session_id, stream, writer, updated_at)
    VALUES (${key.sessionId}::uuid, ${key.stream}, ${writer}::uuid, ${NOW})
    ON CONFLICT (session_id, stream) DO UPDATE SET writer = EXCLUDED.writer, updated_at = EXCLUDED.updated_at,
      due_at = CASE WHEN ingest_stream.due_at IS NOT NULL THEN ${after(dueMs)} END`);
}

/**
 * Keeps where the stream is, due in so many ms unless more comes; one that is over stays so until more was read. False if another writes
 * it. The caller holds the session's lock.
 */
export async function writePoint(
  tx: Transaction,
  key: StreamKey,
  writer: string,
  { offset, format, state }: StreamPoint,
  dueMs: number,
): Promise<boolean> {
  const written = await tx.$executeRaw(Prisma.sql`
    UPDATE ingest_stream SET "offset" = ${offset}::float8, format = ${format}, state = ${state}, updated_at = ${NOW},
      due_at = CASE WHEN due_at IS NOT NULL OR state IS NULL OR "offset" <> ${offset}::float8 THEN ${after(dueMs)} END
    WHERE ${keyed(key)} AND writer = ${writer}::uuid`);
  return written > 0;
}

/** It is over, where it is. False if another writes it. The caller holds the session's lock. */
export async function writeEnd(tx: Transaction, key: StreamKey, writer?: string): Promise<boolean> {
  const byWriter = writer === undefined ? Prisma.empty : Prisma.sql`AND writer = ${writer}::uuid`;
  const written = await tx.$executeRaw(Prisma.sql`
    UPDATE ingest_stream SET due_at = NULL, updated_at = ${NOW} WHERE ${keyed(key)} ${byWriter}`);
  return written > 0;
}

/** Those that are due, longest first. Unscoped, for what the gateway does by itself, as is all below. */
export const findDue = ({ prisma }: Pick<Database, 'prisma'>, limit: number): Promise<StreamKey[]> =>
  prisma.$queryRaw<StreamKey[]>(Prisma.sql`
    SELECT session_id AS "sessionId", stream FROM ingest_stream
    WHERE due_at <= ${NOW} ORDER BY due_at LIMIT ${limit}::int`);

/** This one, if it is due. The caller holds the session's lock. */
export async function findIfDue(tx: Transaction, key: StreamKey): Promise<StoredStream | undefined> {
  const [found] = await tx.$queryRaw<StoredStream[]>(
    Prisma.sql`SELECT ${COLUMNS} FROM ingest_stream WHERE ${keyed(key)} AND due_at <= ${NOW}`,
  );
  return found;
}

export async function postpone(
  { prisma }: Pick<Database, 'prisma'>,
  key: StreamKey,
  ms: number,
): Promise<void> {
  await prisma.$executeRaw(
    Prisma.sql`UPDATE ingest_stream SET due_at = ${after(ms)} WHERE ${keyed(key)} AND due_at IS NOT NULL`,
  );
}

/** Forgets what was over so long ago: its writer would have to begin anew, which adds nothing. */
export async function dropOld(
  { prisma }: Pick<Database, 'prisma'>,
  ms: number,
  limit: number,
): Promise<number> {
  return prisma.$executeRaw(Prisma.sql`
    DELETE FROM ingest_stream WHERE (session_id, stream) IN (
      SELECT session_id, stream FROM ingest_stream
      WHERE due_at IS NULL AND updated_at < ${NOW} - ${ms}::int * interval '1 millisecond' LIMIT ${limit}::int)`);
}
