import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, type Server } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { Corks } from './corks.js';
import type { Draining } from './draining.js';
import type { Engine } from './engine.js';
import type { HttpParts } from './parts.js';
import { Peer, type PeerOptions } from './peer.js';
import { createProtocol } from './socket-protocol.js';

/** How long, in ms, a client that was told goodbye may take to answer before it is cut. */
const GOODBYE = 2_000;

export interface WebSocketTimes {
  /** A client that has not answered a ping when the next is due has vanished; ms, 12 s by default. */
  readonly heartbeat?: number;
  /** Bytes a second: reading what was sent may take so long before an answer is due; 16 KB by default. */
  readonly slowest?: number;
  /** How long a client may take to send connection_init before 4408; ms, 3 s by default. */
  readonly init?: number;
}

/** GraphQL over WebSocket (graphql-transport-ws): who is connected. */
export class WebSockets {
  readonly #sockets: WebSocketServer;
  readonly #protocol: Server<Peer>;
  readonly #options: PeerOptions;
  readonly #rates: HttpParts['limits']['rates'];
  readonly #heartbeat: NodeJS.Timeout;
  /** Every open one, with the end of its clean-up. */
  readonly #peers = new Map<Peer, Promise<void>>();

  constructor(
    parts: HttpParts,
    engine: Engine,
    draining: Draining,
    { heartbeat = 12_000, slowest = 16 * 1024, init = 3_000 }: WebSocketTimes = {},
  ) {
    const { log, config } = parts;
    const options = {
      noServer: true,
      perMessageDeflate: false,
      // A larger message is closed with 1009 before it is parsed.
      maxPayload: config.maxFrame,
      // Not in the library's types yet.
      closeTimeout: GOODBYE,
      handleProtocols,
    };
    this.#sockets = new WebSocketServer(options);
    this.#rates = parts.limits.rates;
    this.#protocol = createProtocol(parts, engine, init);
    this.#options = {
      log,
      draining,
      corks: new Corks(),
      slowest,
      maxHeld: 2 * config.maxFrame,
      maxOperations: config.socketOperations,
      maxSubscriptions: config.socketSubscriptions,
    };
    // After what has come was read: a process that stood still must not take all its clients for vanished.
    this.#heartbeat = setInterval(() => setImmediate(() => this.#beat()), heartbeat);
  }

  /** How many are open. */
  get size(): number {
    return this.#peers.size;
  }

  /** Takes over a connection that asks to become a WebSocket. */
  accept(request: IncomingMessage, connection: Duplex, head: Buffer, address: string): void {
    this.#sockets.handleUpgrade(request, connection, head, (socket) => {
      const peer = new Peer(socket, { request, connection, address }, this.#options);
      const ended = peer
        .serve(this.#protocol)
        .catch((error) => this.#options.log.error({ err: error }, 'a subscription did not end well'))
        .then(() => this.#countIdle(peer))
        .finally(() => this.#peers.delete(peer));
      this.#peers.set(peer, ended);
    });
  }

  /** One that asked for nothing counts as a request: otherwise opening and closing them would be free. */
  async #countIdle({ isCounted, address, viewer }: Peer): Promise<void> {
    if (isCounted) return;
    const counted =
      viewer === undefined ? this.#rates.countUnknown(address) : this.#rates.count(address, viewer);
    // Whom it would be refused to has gone.
    await counted.catch(() => undefined);
  }

  /** Waits until nothing is left of any that was open when draining began. */
  async close(): Promise<void> {
    await Promise.all(this.#peers.values());
    clearInterval(this.#heartbeat);
    this.#sockets.close();
  }

  /** Cuts all that are left. */
  terminate(): void {
    for (const peer of this.#peers.keys()) peer.terminate();
  }

  /** Two heartbeats after a client has vanished without a word, nothing of it is left (case 15). */
  #beat(): void {
    for (const peer of this.#peers.keys()) peer.beat();
  }
}
