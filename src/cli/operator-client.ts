import { type IncomingMessage, request } from 'node:http';
import { withSocketPath } from '../database/socket-path.js';
import { DomainError } from '../errors.js';

/**
 * While a server holds the embedded database, commands reach it through a socket in DATA_DIR, which the operator alone may open: that
 * permission is the whole authority. HTTP over a path, never over a port.
 */
export const SOCKET = 'operator.sock';

/** UTF-16 units of a command, which is a few names. */
export const MAX_COMMAND = 64 * 1024;

/**
 * Has the server that holds the directory do it; undefined when there is no server to ask.
 * @throws DomainError with what the server said.
 */
export async function askServer(
  directory: string,
  command: string,
  input: object,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const body = JSON.stringify({ command, input });
  if (body.length > MAX_COMMAND) {
    throw new DomainError('PAYLOAD_TOO_LARGE', `Expected at most ${MAX_COMMAND} characters, got more.`);
  }
  const text = await withSocketPath(directory, SOCKET, (socketPath) => post(socketPath, body)).catch(
    (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(error.code ?? '')) return undefined;
      throw error;
    },
  );
  if (text === undefined) return undefined;
  const { result, error } = JSON.parse(text);
  if (typeof error === 'string') throw new DomainError('BAD_USER_INPUT', error);
  return result;
}

/** Whether a server holds the directory, and listens. */
export async function hasServer(directory: string): Promise<boolean> {
  return (await askServer(directory, 'ping', {})) !== undefined;
}

function post(socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method: 'POST', path: '/' }, (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then((chunks) => resolve(chunks.join('')), reject);
    });
    asked.once('error', reject).end(body);
  });
}

/** @throws PAYLOAD_TOO_LARGE */
export async function readText(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_COMMAND) throw new DomainError('PAYLOAD_TOO_LARGE', 'Expected a shorter command.');
  }
  return text;
}
