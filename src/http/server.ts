import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Doors } from './doors.js';
import { createEngine } from './engine.js';
import type { HttpParts } from './parts.js';
import { WebSockets, type WebSocketTimes } from './web-sockets.js';

/** How long, in ms, requests that are being answered have when the server stops, before they are cut. */
const GRACE = 5_000;

export interface HttpOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  readonly webSockets?: WebSocketTimes;
}

export interface HttpServer {
  readonly port: number;
  /** Refuses what is new, ends every stream, lets answers finish, and returns when nothing is left open. May be called again. */
  close(): Promise<void>;
}

/**
 * Opens every door: GraphQL over HTTP, event streams and WebSockets, and what people, probes and agents ask for beside it.
 * @throws Node's listening error, such as EADDRINUSE.
 */
export async function startHttp(
  parts: HttpParts,
  { port, host, webSockets }: HttpOptions,
): Promise<HttpServer> {
  const closing = new AbortController();
  // One listener for each open stream.
  setMaxListeners(0, closing.signal);
  const engine = createEngine(parts);
  // An ingest body may take hours; every other body has its own limit.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 });
  server.listen(port, host);
  await once(server, 'listening');
  const sockets = new WebSockets(parts, engine, webSockets);
  const doors = new Doors(parts, engine, sockets, closing.signal);
  server.on('request', (req, res) => {
    res.once('close', () => closing.signal.aborted && setImmediate(() => server.closeIdleConnections()));
    void doors.answer(req, res);
  });
  server.on('upgrade', (req, connection, head) => doors.upgrade(req, connection, head));
  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    const ended = once(server, 'close');
    server.close();
    const grace = setTimeout(() => server.closeAllConnections(), GRACE);
    await Promise.all([sockets.close(), ended]);
    clearTimeout(grace);
  };
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
