import type { ServerResponse } from 'node:http';
import type { Database } from '../database/database.js';
import { answerJson } from './responses.js';

/** How long, in ms, the database may take to say that it is there. */
const PATIENCE = 2_000;

/** The process answers. */
export const answerHealth = (res: ServerResponse): void => answerJson(res, { status: 'ok' });

/** The process can serve: its database answers; 503 otherwise. */
export async function answerReady(res: ServerResponse, database: Database): Promise<void> {
  const ready = await answersInTime(database);
  answerJson(res, { status: ready ? 'ready' : 'unavailable' }, { status: ready ? 200 : 503 });
}

function answersInTime({ prisma }: Database): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE);
    prisma.$queryRaw`SELECT 1`
      .then(
        () => resolve(true),
        () => resolve(false),
      )
      .finally(() => clearTimeout(timer));
  });
}
