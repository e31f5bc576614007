import { once } from 'node:events';
import { createServer } from 'node:net';
import { ConfigError } from '../config.js';

/**
 * Tries whether the port can be had, so that a server that cannot listen makes no database first. Who takes it a moment later is
 * found out when the server listens.
 * @throws ConfigError for a host or a port that this process cannot listen on; EADDRINUSE as Node has it.
 */
export async function requireFreePort({
  port,
  host,
}: {
  readonly port: number;
  readonly host: string;
}): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw misconfigured(error, host, port);
  }
  probe.close();
  await once(probe, 'close');
}

function misconfigured(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EADDRINUSE':
    case '':
      return error;
    case 'EACCES':
      return faulty('PORT', 'a port that this user may open', String(port), code);
    default:
      return faulty('HOST', 'a name or address of this machine', JSON.stringify(host), code);
  }
}

const faulty = (variable: string, expected: string, got: string, code: string) =>
  new ConfigError([{ variable, expected, got: `${got} (${code})` }]);
