import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Tries whether the port can be had, so that a server that cannot listen makes no database first. Who takes it a moment later is
 * found out when the server listens.
 * @throws Node's listening error, such as EADDRINUSE.
 */
export async function requireFreePort({
  port,
  host,
}: {
  readonly port: number;
  readonly host: string;
}): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
