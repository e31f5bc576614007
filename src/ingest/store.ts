import type { Transaction } from '../database/database.js';
import { Prisma } from '../generated/prisma/client.js';

/** An activity that a broken stream left behind as failed. */
export interface FailedActivity {
  readonly activityId: string;
  readonly title: string;
}

/** How far a turn was ever read. */
export interface KnownTurn {
  readonly turn: string;
  readonly objects: number;
  /** Not null if it was told as ended there, for its stream had: then the activities that failed with it. */
  readonly failed: readonly FailedActivity[] | null;
}

/** Those of these turns that are known. The caller holds the session's lock. */
export const findTurns = (
  tx: Transaction,
  sessionId: string,
  turns: readonly string[],
): Promise<KnownTurn[]> =>
  tx.$queryRaw<KnownTurn[]>(Prisma.sql`
    SELECT turn, objects, failed FROM ingest_turn
    WHERE session_id = ${sessionId}::uuid AND turn = ANY(${[...turns]}::text[])`);

/** Each turn once. The caller holds the session's lock. */
export async function writeTurns(
  tx: Transaction,
  sessionId: string,
  turns: readonly KnownTurn[],
): Promise<void> {
  await tx.$executeRaw(Prisma.sql`
    INSERT INTO ingest_turn (session_id, turn, objects, failed)
    SELECT ${sessionId}::uuid, turn, objects, failed
    FROM json_to_recordset(${JSON.stringify(turns)}::json) AS t (turn text, objects int, failed jsonb)
    ON CONFLICT (session_id, turn) DO UPDATE SET objects = EXCLUDED.objects, failed = EXCLUDED.failed`);
}
