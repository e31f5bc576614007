import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { withSocketPath } from '../database/socket-path.js';
import { DomainError } from '../errors.js';
import { perform } from './operator.js';
import { MAX_COMMAND, SOCKET } from './operator-client.js';

/** Opens the socket for as long as the server runs. The caller holds the directory, so one that is there is left over. */
export async function openOperatorSocket(
  directory: string,
  database: Database,
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((req, res) => void answer(req, res, database, log));
  await withSocketPath(directory, SOCKET, async (path) => {
    await rm(path, { force: true });
    // The socket is made when it listens, so there is no moment in which others may open it.
    const before = process.umask(0o177);
    server.listen(path);
    process.umask(before);
    await once(server, 'listening');
    await chmod(path, 0o600);
  });
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await rm(join(directory, SOCKET), { force: true });
    },
  };
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  database: Database,
  log: Logger,
): Promise<void> {
  const reply = (body: object) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    const { command, input } = JSON.parse(await readCommand(req));
    reply({ result: await perform(database, command, input) });
  } catch (error) {
    if (error instanceof DomainError) return void reply({ error: error.message });
    log.error({ err: error }, "an operator's command failed");
    reply({ error: 'The server could not do that; its log says why.' });
  }
}

async function readCommand(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_COMMAND) throw new DomainError('PAYLOAD_TOO_LARGE', 'Expected a shorter command.');
  }
  return text;
}
