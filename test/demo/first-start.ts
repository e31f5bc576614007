// A process for tests: the first start of a server, killed as the n-th statement of the demo workspace is sent, or
// `after` its credentials are written, whichever its second argument says. Otherwise it prints how many statements the workspace took.

import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { startGateway } from '../../src/gateway.js';

const [directory = '', point = ''] = process.argv.slice(2);
const dieAt = (here: string) => {
  if (here === point) process.kill(process.pid, 'SIGKILL');
};

let statements = 0;
let filling = false;
const database = await openDatabase({
  directory,
  onStatement: () => {
    if (!filling) return;
    statements += 1;
    dieAt(String(statements));
  },
});
const fill = (work: () => Promise<void>) => {
  return database.fill(async () => {
    filling = true;
    await work();
    filling = false;
    dieAt('after');
  });
};
const config = readConfig({ DATA_DIR: directory, PORT: '0' });
const gateway = await startGateway(config, {
  database: { ...database, fill },
  log: pino({ level: 'silent' }),
});
await gateway.close();
console.log(statements);
