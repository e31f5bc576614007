import type { ServerResponse } from 'node:http';
import type { Database } from '../database/database.js';
import type { Bus } from '../live/bus.js';
import { answerJson } from './responses.js';

/** How long, in ms, the database may take to say that it is there. */
const PATIENCE = 2_000;

/** The process answers. */
export const answerHealth = (res: ServerResponse): void => answerJson(res, { status: 'ok' });

/** The process can serve: its database answers, and the bus to the other processes works; 503 otherwise, with what does not. */
export async function answerReady(res: ServerResponse, { database, bus }: Ground): Promise<void> {
  const failing = [
    ...((await answersInTime(database)) ? [] : ['database']),
    ...(bus.connected ? [] : ['bus']),
  ];
  if (failing.length === 0) answerJson(res, { status: 'ready' });
  else answerJson(res, { status: 'unavailable', failing }, { status: 503 });
}

/** What everything stands on. */
interface Ground {
  readonly database: Database;
  readonly bus: Bus;
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
