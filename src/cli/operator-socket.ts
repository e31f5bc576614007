import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { withSocketPath } from '../database/socket-path.js';
import { DomainError } from '../errors.js';
import type { IngestParts } from '../http/parts.js';
import { answerJson } from '../http/responses.js';
import { perform } from './operator.js';
import { readText, SOCKET } from './operator-client.js';
import { answerImport } from './operator-imports.js';

/** Opens the socket for as long as the server runs. The caller holds the directory, so one that is there is left over. */
export async function openOperatorSocket(
  directory: string,
  parts: IngestParts,
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  // An import may take hours.
  const server = createServer(
    { requestTimeout: 0 },
    (req, res) => void answer(req, res, parts, closing.signal, log),
  );
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
      closing.abort();
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
  parts: IngestParts,
  closing: AbortSignal,
  log: Logger,
): Promise<void> {
  try {
    if (req.url === '/') await answerCommand(req, res, parts);
    else await answerImport(req, res, parts, closing);
  } catch (error) {
    log.error({ err: error }, "an operator's command failed");
    const message = 'The server could not do that; its log says why.';
    // A command's answer has the one, an import's the other.
    answerJson(res, { error: message, errors: [{ message }] });
  }
}

async function answerCommand(
  req: IncomingMessage,
  res: ServerResponse,
  { means }: IngestParts,
): Promise<void> {
  try {
    const { command, input } = JSON.parse(await readText(req));
    answerJson(res, { result: await perform(means, command, input) });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    answerJson(res, { error: error.message });
  }
}
