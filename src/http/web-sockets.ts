import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError, getOperationAST } from 'graphql';
import {
  handleProtocols,
  makeServer,
  type OperationResult,
  type Server,
  type Context as SocketContext,
  type SubscribePayload,
} from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Viewer } from '../accounts/viewer.js';
import { DomainError } from '../errors.js';
import { coded } from '../graphql/errors.js';
import type { Engine } from './engine.js';
import { formatError, formatResult } from './format.js';
import type { HttpParts } from './parts.js';
import { Pulse } from './pulse.js';

/** How long, in ms, sockets have to say goodbye when the server stops, before they are cut. */
const GOODBYE = 2_000;

export interface WebSocketTimes {
  /** A client that has not answered a ping when the next is due has vanished; ms, 12 s by default. */
  readonly heartbeat?: number;
  /** Bytes a second: reading what was sent may take so long before an answer is due; 16 KB by default. */
  readonly slowest?: number;
  /** How long a client may take to send connection_init before 4408; ms, 3 s by default. */
  readonly init?: number;
}

/** What a socket knows beside the protocol's own state; `viewer` once its credential was found good. */
interface Extra {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  viewer?: Viewer;
}
type Params = Record<string, unknown>;
type Run = () => OperationResult;

/**
 * GraphQL over WebSocket (graphql-transport-ws). A message is awaited until the socket has taken it, and the next update is asked
 * for only then: a slow reader waits, nothing queues (P5).
 */
export class WebSockets {
  readonly #sockets: WebSocketServer;
  readonly #protocol: Server<Extra>;
  readonly #parts: HttpParts;
  readonly #engine: Engine;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #slowest: number;
  /** Every open socket, with the end of its clean-up. */
  readonly #open = new Map<WebSocket, { readonly pulse: Pulse; readonly ended: Promise<void> }>();
  /** How each prepared operation is run: the engine's functions belong to the context that it made for it. */
  readonly #runs = new WeakMap<ExecutionArgs, Run>();

  constructor(
    parts: HttpParts,
    engine: Engine,
    { heartbeat = 12_000, slowest = 16 * 1024, init = 3_000 }: WebSocketTimes = {},
  ) {
    this.#parts = parts;
    this.#slowest = slowest;
    this.#sockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      // A larger message is closed with 1009 before it is parsed.
      maxPayload: parts.config.maxFrame,
      handleProtocols,
    });
    this.#engine = engine;
    // After what has come was read: a process that stood still must not take all its clients for vanished.
    this.#heartbeat = setInterval(() => setImmediate(() => this.#beat()), heartbeat);
    this.#protocol = makeServer<Params, Extra>({
      connectionInitWaitTimeout: init,
      onConnect: (context) => this.#connect(context),
      onSubscribe: ({ extra }, _id, payload) => this.#prepare(extra, payload),
      execute: (args) => this.#run(args),
      subscribe: (args) => this.#run(args),
      onNext: (_context, _id, _payload, _args, result) => formatResult(result),
      onError: (_context, _id, _payload, errors) => errors.map((error) => formatError(engine.mask(error))),
    });
  }

  /** How many sockets are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Takes over a connection that asks to become a WebSocket. */
  accept(request: IncomingMessage, connection: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, connection, head, (socket) => this.#serve(socket, request));
  }

  /** Closes every socket with 1001, so that its client comes back elsewhere, and waits until nothing of any is left. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const goodbye = setTimeout(() => {
      for (const socket of this.#open.keys()) socket.terminate();
    }, GOODBYE);
    for (const socket of this.#open.keys()) socket.close(1001, 'Going away');
    await Promise.all([...this.#open.values()].map(({ ended }) => ended));
    clearTimeout(goodbye);
    this.#sockets.close();
  }

  #serve(socket: WebSocket, request: IncomingMessage): void {
    // Faults of the connection end in 'close'; ws has answered them (1009 for a message that is too large) when it reports them.
    socket.on('error', (error) => this.#parts.log.debug({ err: error }, 'WebSocket fault'));
    const pulse = new Pulse(this.#slowest);
    socket.on('pong', () => pulse.answer());
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => {
          pulse.send(data.length);
          return send(socket, data);
        },
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) =>
          socket.on(
            'message',
            (data) => void handle(String(data)).catch((error) => this.#fail(socket, error)),
          ),
      },
      { socket, request },
    );
    const ended = new Promise<void>((resolve) => {
      socket.once('close', (code, reason) => {
        const cleanUp = closed(code, String(reason)).catch((error) =>
          this.#parts.log.error({ err: error }, 'a subscription did not end well'),
        );
        resolve(cleanUp.then(() => void this.#open.delete(socket)));
      });
    });
    this.#open.set(socket, { pulse, ended });
  }

  /** Two heartbeats after a client has vanished without a word, nothing of it is left (case 15). */
  #beat(): void {
    for (const [socket, { pulse }] of this.#open) {
      if (pulse.isOverdue) socket.terminate();
      else if (!pulse.waits && socket.readyState === socket.OPEN) {
        pulse.ask();
        socket.ping();
      }
    }
  }

  async #connect({ connectionParams, extra }: SocketContext<Params, Extra>): Promise<boolean> {
    const { authorization = extra.request.headers.authorization } = connectionParams ?? {};
    try {
      extra.viewer = await this.#parts.authenticate(
        typeof authorization === 'string' ? authorization : undefined,
      );
      return true;
    } catch (error) {
      this.#refuse(extra.socket, error);
      return false;
    }
  }

  #refuse(socket: WebSocket, error: unknown): void {
    if (error instanceof DomainError && error.code !== 'TIMEOUT') {
      socket.close(4401, error.code);
      return;
    }
    this.#parts.log.error({ err: error }, 'a credential could not be looked up');
    socket.close(1013, 'Try again later');
  }

  /** What the protocol's own code throws: on a message that only a server sends. Everything of ours is caught before. */
  #fail(socket: WebSocket, error: unknown): void {
    if (socket.readyState !== socket.OPEN) return;
    this.#parts.log.debug({ err: error }, 'WebSocket message refused');
    socket.close(4400, 'Invalid message received');
  }

  async #prepare({ viewer }: Extra, payload: SubscribePayload) {
    if (viewer === undefined)
      throw new Error('A subscribe came before its credential was found good (ws-1).');
    const { schema } = this.#parts;
    const { parse, validate, contextFactory, execute, subscribe } = this.#engine.getEnveloped({ viewer });
    try {
      const document = parse(payload.query);
      const faults = validate(schema, document);
      if (faults.length > 0) return faults;
      const { operationName, variables: variableValues } = payload;
      const contextValue = await contextFactory();
      const args: ExecutionArgs = { schema, document, operationName, variableValues, contextValue };
      const isSubscription = getOperationAST(document, operationName)?.operation === 'subscription';
      this.#runs.set(args, () => (isSubscription ? subscribe(args) : execute(args)));
      return args;
    } catch (error) {
      return [parseFailure(error) ?? this.#engine.mask(error)];
    }
  }

  async #run(args: ExecutionArgs): Promise<Awaited<OperationResult>> {
    try {
      const run = this.#runs.get(args);
      if (run === undefined) throw new Error('An operation runs that was not prepared (ws-2).');
      return await run();
    } catch (error) {
      return { errors: [this.#engine.mask(error)] };
    }
  }
}

/** Over HTTP the engine gives this code itself. */
const parseFailure = (error: unknown): GraphQLError | undefined =>
  error instanceof GraphQLError && error.message.startsWith('Syntax Error')
    ? coded(error, 'GRAPHQL_PARSE_FAILED')
    : undefined;

/**
 * Resolves when the socket has taken the data. One that is closing takes nothing more, and then this never resolves: who waits asks
 * for no further update, and is let go with the socket.
 */
function send(socket: WebSocket, data: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(data, (error) => {
      if (!error) resolve();
    });
  });
}
