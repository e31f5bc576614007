import type { Logger } from 'pino';
import { type Config, readConfig } from '../config.js';
import { tokensFile } from '../demo/tokens.js';
import { type Gateway, startGateway } from '../gateway.js';
import { requireFreePort } from '../http/port.js';
import { openOperatorSocket } from './operator-socket.js';
import { createLog } from './terminal-log.js';
import type { Environment } from './usage.js';

/** How long, in ms, a server that was told to stop may take, whatever hangs: less than most supervisors wait before they kill. */
const STOP_LIMIT = 9_500;

/** Runs the gateway until a signal says stop. */
export async function serve(env: Environment): Promise<number> {
  const config = readConfig(env);
  const isTerminal = process.stdout.isTTY === true;
  const log = createLog(config.logLevel, isTerminal);
  // Asked for before anything is open, so that no signal finds the process without an answer.
  const stop = stopSignal(log);
  await requireFreePort(config);
  const gateway = await startGateway(config, { log });
  const operator = await openOperator(config, gateway, log);
  if (isTerminal) console.log(welcome(config, gateway));
  else log.info({ url: `${gateway.url}/graphql` }, 'listening');
  const signal = await stop;
  log.info({ signal }, 'stopping');
  await operator?.close();
  await gateway.close();
  return 0;
}

/** Commands reach PostgreSQL themselves; the embedded database only through its holder. */
function openOperator(config: Config, { means, titles }: Gateway, log: Logger) {
  if (means.database.kind !== 'embedded') return undefined;
  return openOperatorSocket(config.dataDir, { means, titles, config }, log);
}

/** The first signal asks to stop, a second one insists. */
function stopSignal(log: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(130);
      asked = true;
      leaveInTime(log);
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Ends the process when its time is over, whether something still has to be closed or was left open. */
function leaveInTime(log: Logger): void {
  const leave = () => {
    const left = [...new Set(process.getActiveResourcesInfo())];
    log.fatal({ left }, `not everything ended within ${STOP_LIMIT} ms; leaving it as it is`);
    process.exit(1);
  };
  // What keeps the process alive until then must be something else: that it was told to stop is no reason to wait.
  setTimeout(leave, STOP_LIMIT).unref();
}

function welcome(config: Config, { url, hasDemo }: Gateway): string {
  const open = config.graphiql
    ? `Open ${url}/graphql${hasDemo ? ', press play and choose Live: the demo at work. Ask sends it a message.' : ''}`
    : `GraphQL is at ${url}/graphql`;
  const credentials = hasDemo
    ? `Credentials to try it with: ${tokensFile(config.dataDir)}`
    : 'Credentials: node dist/cli.js account create, then token create';
  return ['', `  ${open}`, `  ${credentials}`, '  Stop with Ctrl+C', ''].join('\n');
}
