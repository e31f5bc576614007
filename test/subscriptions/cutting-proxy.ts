import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;

/**
 * Stands between clients and the gateway and cuts connections without a word, amid a frame too. `allowance` says how many bytes the
 * next connection may bring to its client before it is cut.
 */
export async function startCuttingProxy(target: string, allowance: () => number) {
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const gateway = connect(Number(new URL(target).port), '127.0.0.1');
    const left = () => {
      client.destroy();
      gateway.destroy();
    };
    let remaining = allowance();
    gateway.on('data', (chunk) => {
      client.write(chunk.subarray(0, remaining));
      remaining -= chunk.length;
      if (remaining > 0) return;
      cuts += 1;
      gateway.destroy();
      // What was let through arrives; then the line is dead.
      client.destroySoon();
    });
    client.pipe(gateway);
    for (const socket of [client, gateway]) {
      open.add(socket);
      socket.once('error', left).once('close', () => {
        open.delete(socket);
        left();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many connections it has cut. */
    cuts: () => cuts,
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
