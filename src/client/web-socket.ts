import { connectionLost, FollowError, faultOf, faultOfClose, type GraphQLFault } from './fault.js';
import { Inbox } from './inbox.js';
import type { Connection, Result, Transport } from './transport.js';

/** A listener that takes more than it says, as a browser's and those of `ws` do: a method's parameter is compared both ways. */
type Listener<E> = { listen(event: E): void }['listen'] | null;

/** What is used of a WebSocket, a browser's or another. */
export interface WebSocketLike {
  readonly readyState: number;
  onopen: Listener<object>;
  onmessage: Listener<{ readonly data: unknown }>;
  onclose: Listener<{ readonly code: number; readonly reason: string }>;
  onerror: Listener<object>;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export type WebSocketConstructor = new (url: string, protocol: string) => WebSocketLike;

/** From one question whether the server is still there to the next, in ms; when that is due, it must have answered. */
const HEARTBEAT = 12_000;

const OPEN = 1;

/** What a server says, of which graphql-transport-ws has no other. */
type Message =
  | { readonly type: 'connection_ack' | 'ping' | 'pong' }
  | { readonly type: 'next'; readonly id: string; readonly payload: Result }
  | { readonly type: 'error'; readonly id: string; readonly payload: readonly GraphQLFault[] }
  | { readonly type: 'complete'; readonly id: string };

/**
 * Follows over a WebSocket (graphql-transport-ws). A browser's cannot be held back: with `most` updates waiting the subscription is
 * let go, and when they have been taken there is another one, over the same connection, from there.
 */
export const overWebSocket = (WebSocket: WebSocketConstructor, most: number): Transport =>
  async function* (connection) {
    const socket = new Socket(new WebSocket(connection.url.href, 'graphql-transport-ws'), connection, most);
    try {
      for (let result = await socket.take(); result !== undefined; result = await socket.take()) yield result;
    } finally {
      socket.close();
    }
  };

class Socket {
  readonly #socket: WebSocketLike;
  readonly #connection: Connection;
  readonly #most: number;
  readonly #inbox = new Inbox<Result>();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #leave = () => this.#inbox.end();
  /** How many subscriptions there were: the id of the latest, which is open unless it was let go. */
  #subscriptions = 0;
  #isOpen = false;
  #heard = true;

  constructor(socket: WebSocketLike, connection: Connection, most: number) {
    const { authorization, signal } = connection;
    this.#socket = socket;
    this.#connection = connection;
    this.#most = most;
    socket.onopen = () =>
      this.#send({ type: 'connection_init', ...(authorization && { payload: { authorization } }) });
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#inbox.end(faultOfClose(code, reason));
    // The close that follows says what there is to say; without a listener some would throw.
    socket.onerror = () => undefined;
    signal.addEventListener('abort', this.#leave);
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT);
  }

  take(): Promise<Result | undefined> {
    // What was let go is asked for again when all that had come was taken, and so was asked from where that ends.
    if (this.#subscriptions > 0 && !this.#isOpen && this.#inbox.size === 0) this.#subscribe();
    return this.#inbox.take();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#connection.signal.removeEventListener('abort', this.#leave);
    this.#inbox.end();
    this.#socket.close(1000, 'Done');
  }

  #receive(data: unknown): void {
    const message = messageIn(data);
    // That the line is good is no answer to who is calling.
    if (message?.type !== 'pong' || this.#subscriptions > 0) this.#heard = true;
    if (message === undefined) this.#inbox.end(new FollowError('REFUSED', 'Expected graphql-transport-ws.'));
    else if (message.type === 'ping') this.#send({ type: 'pong' });
    else if (message.type === 'connection_ack') this.#subscribe();
    else if ('id' in message && this.#isOpen && message.id === String(this.#subscriptions))
      this.#take(message);
  }

  #take(message: Exclude<Message, { type: 'connection_ack' | 'ping' | 'pong' }>): void {
    if (message.type === 'error') this.#inbox.end(faultOf(message.payload));
    else if (message.type === 'complete')
      this.#inbox.end(connectionLost('The subscription ended without a word.'));
    else {
      this.#inbox.put(message.payload);
      if (this.#inbox.size >= this.#most) this.#letGo();
    }
  }

  #subscribe(): void {
    this.#isOpen = true;
    this.#subscriptions += 1;
    this.#send({ id: String(this.#subscriptions), type: 'subscribe', payload: this.#connection.request() });
  }

  #letGo(): void {
    this.#isOpen = false;
    this.#send({ id: String(this.#subscriptions), type: 'complete' });
  }

  #beat(): void {
    if (!this.#heard)
      this.#inbox.end(connectionLost(`Nothing came for ${HEARTBEAT} ms, not even an answer.`));
    this.#heard = false;
    this.#send({ type: 'ping' });
  }

  #send(message: object): void {
    if (this.#socket.readyState === OPEN) this.#socket.send(JSON.stringify(message));
  }
}

function messageIn(data: unknown): Message | undefined {
  try {
    const message = JSON.parse(String(data));
    return typeof message?.type === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
