import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

/** The server's end of every WebSocket that is opened from here on, with what each has been given and not yet sent. */
export function watchServerSockets() {
  const sockets = new Set<WebSocket>();
  const handleUpgrade = WebSocketServer.prototype.handleUpgrade;
  vi.spyOn(WebSocketServer.prototype, 'handleUpgrade').mockImplementation(function (
    this: WebSocketServer,
    request,
    connection,
    head,
    serve,
  ) {
    handleUpgrade.call(this, request, connection, head, (socket, upgraded) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      serve(socket, upgraded);
    });
  });
  return {
    /** How many are open. */
    get size() {
      return sockets.size;
    },
    /** Bytes that wait in this process to be sent. */
    get held() {
      return [...sockets].reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0);
    },
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this thread's JavaScript holds, its buffers included. */
export async function memoryInUse(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
