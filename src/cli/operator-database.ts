import { pino } from 'pino';
import type { Config } from '../config.js';
import { backfillConversations } from '../conversations/backfill.js';
import { projectConversation } from '../conversations/projection.js';
import { openDatabase } from '../database/open.js';
import { registerProjection } from '../events/projections.js';
import { readTitles } from '../gateway.js';
import { openBus } from '../live/open-bus.js';
import { Tails } from '../live/tails.js';
import { openOperatorSocket } from './operator-socket.js';

/** The database in this process, with all that appending needs, behind a socket in `directory` that is as a server's. */
export async function openOperator(config: Config, directory: string) {
  const log = pino({ level: 'warn' }, pino.destination(2));
  const onError = (error: unknown, doing: string) => log.warn({ err: error }, doing);
  const titles = await readTitles(config.titlesFile);
  const database = await openDatabase({
    url: config.databaseUrl,
    directory: config.dataDir,
    poolSize: config.databasePool,
  });
  registerProjection(database, projectConversation);
  await backfillConversations(database);
  const bus = await openBus(config, onError);
  const tails = new Tails({ bus, onError });
  const means = { database, bus, tails, maxAnswer: config.maxAnswer };
  const socket = await openOperatorSocket(directory, { means, titles, config }, log);
  return {
    /** Which database it is, in words; undefined for one that was named by its URL. */
    which: database.kind === 'embedded' ? whichOf(database) : undefined,
    close: async () => {
      await socket.close();
      tails.close(new Error('The import is over.'));
      await bus.close();
      await database.close();
    },
  };
}

const whichOf = ({ fresh }: { readonly fresh: boolean }): string =>
  fresh ? 'a new database, without accounts,' : 'the database';
