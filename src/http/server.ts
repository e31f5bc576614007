import { once } from 'node:events';
import { createServer, IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Doors } from './doors.js';
import { Draining } from './draining.js';
import { createEngine } from './engine.js';
import { Metrics } from './metrics.js';
import type { HttpParts } from './parts.js';
import { inTrace } from './trace.js';
import { WebSockets, type WebSocketTimes } from './web-sockets.js';

/** How long, in ms, what is open has when the server stops, before it is cut; longer than the longest window. */
const GRACE = 7_000;

export interface HttpOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  readonly webSockets?: WebSocketTimes;
}

/** Without a public URL it is the address that is listened on, which a port of 0 leaves open until then. */
export type HttpSettings = Omit<HttpParts, 'publicUrl'> & { readonly publicUrl: string | undefined };

export interface HttpServer {
  /** Where it is reached, without a slash at the end. */
  readonly url: string;
  /**
   * Refuses what is new, and goes on saying so for the configured window unless nothing is open; lets every stream go within it, and
   * answers finish. Returns when nothing is left open. May be called again.
   */
  close(): Promise<void>;
}

/**
 * Opens every door: GraphQL over HTTP, event streams and WebSockets, and what people, probes and agents ask for beside it.
 * @throws Node's listening error, such as EADDRINUSE.
 */
export async function startHttp(
  { publicUrl, ...rest }: HttpSettings,
  { port, host, webSockets }: HttpOptions,
): Promise<HttpServer> {
  const draining = new Draining();
  // An ingest body may take hours; every other body has its own limit.
  const server = createServer({
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    IncomingMessage: WebSocketsOnly,
  });
  server.listen(port, host);
  await once(server, 'listening');
  const url = originOf(host, (server.address() as AddressInfo).port);
  const parts: HttpParts = { ...rest, publicUrl: publicUrl ?? url };
  const engine = createEngine(parts);
  const sockets = new WebSockets(parts, engine, draining, webSockets);
  const metrics = new Metrics(parts, () => ({
    sockets: sockets.size,
    // A socket is counted a moment longer than it has a turn.
    eventStreams: Math.max(0, draining.size - sockets.size),
  }));
  const doors = new Doors(parts, engine, sockets, draining, metrics);
  const answers = new Set<Promise<void>>();
  server.on('request', (req, res) => {
    metrics.durations.time(req, res);
    if (draining.hasBegun) res.setHeader('connection', 'close');
    res.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    const answer = inTrace(req.headers.traceparent, () => doors.answer(req, res)).finally(() =>
      answers.delete(answer),
    );
    answers.add(answer);
  });
  server.on('upgrade', (req, connection, head) => void doors.upgrade(req, connection, head));
  let closed: Promise<void> | undefined;
  const close = async () => {
    const window = (await connectionsOf(server)) > 0 ? parts.config.drainMs : 0;
    draining.begin(window);
    const cut = setTimeout(() => {
      server.closeAllConnections();
      sockets.terminate();
    }, GRACE);
    await delay(window);
    const ended = once(server, 'close');
    server.close();
    await Promise.all([sockets.close(), ended, ...answers]);
    clearTimeout(cut);
    metrics.close();
  };
  return {
    url,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))();

/**
 * A request that upgrades to nothing but a WebSocket: an offer of anything else, such as curl's of HTTP/2, is ignored, and the request
 * answered (RFC 9110, 7.8). Node asks its `upgrade`, which it has set before, when the headers are there.
 */
class WebSocketsOnly extends IncomingMessage {
  // Declared only: Node's constructor sets `upgrade` before any field of this class would exist.
  declare private asks: boolean;

  get upgrade(): boolean {
    return this.asks && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(asks: boolean) {
    this.asks = asks;
  }
}

/** Whoever listens everywhere is reached on this machine too. */
function originOf(host: string, port: number): string {
  if (['0.0.0.0', '::'].includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
