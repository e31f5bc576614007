import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Gate = Awaited<ReturnType<typeof openGate>>;

/** Stands before a server on this machine and does to connections what networks do. `port` is asked at each new connection. */
export async function openGate(port: () => number) {
  const pairs = new Set<readonly [client: Socket, server: Socket]>();
  let taken = 0;
  const gate = createServer((client) => {
    taken += 1;
    const server = connect(port(), '127.0.0.1');
    const pair = [client, server] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    client.pipe(server);
    server.pipe(client);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const cut = (pair: readonly [Socket, Socket]) => {
    for (const socket of pair) socket.destroy();
  };
  return {
    port: (gate.address() as AddressInfo).port,
    /** Connections that were taken in so far, and that are open. */
    taken: () => taken,
    open: () => pairs.size,
    /** From now on those that are open carry nothing in either direction, and nobody is told: half-open for both sides. */
    freeze(): void {
      for (const [client, server] of pairs) {
        client.unpipe(server).pause();
        server.unpipe(client).pause();
      }
    },
    /** Cuts those that are open, or each of them with this probability. */
    cut(probability = 1): number {
      const chosen = [...pairs].filter(() => Math.random() < probability);
      for (const pair of chosen) cut(pair);
      return chosen.length;
    },
    async close(): Promise<void> {
      for (const pair of pairs) cut(pair);
      gate.close();
      await once(gate, 'close');
    },
  };
}
