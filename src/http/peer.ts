import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MessageType, type Server, stringifyMessage } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Viewer } from '../accounts/viewer.js';
import { badUserInput, DomainError } from '../errors.js';
import { readJson } from '../json.js';
import { Corked, type Corks } from './corks.js';
import type { Draining } from './draining.js';
import { lengthOf, type SharedMessage, writeFrame } from './frames.js';
import type { HttpParts } from './parts.js';
import { Pulse } from './pulse.js';
import { errorOf, shuttingDown } from './responses.js';

/** Bytes that may come before the connection is acknowledged: room for connection_init and its secret, not for holding memory. */
const MAX_EARLY = 8 * 1024;

/** Bytes that wait to be read by the peer; beyond them nothing more of it is read, so that what it asks for cannot pile up. */
const MAX_UNREAD = 1024 * 1024;

/** Bytes that wait to be read by the peer; up to here the next update is made before this one has gone out. */
const ROOM = 128 * 1024;

/** Operations beyond that which are refused one by one; whoever goes on nevertheless does not listen. */
const MAX_REFUSED = 50_000;

export interface PeerOptions {
  readonly log: Logger;
  readonly draining: Draining;
  readonly corks: Corks;
  /** Bytes a second; see Pulse. */
  readonly slowest: number;
  /** Bytes that the messages of all operations under way may have together. */
  readonly maxHeld: number;
  /** Operations at once, and subscriptions among them. */
  readonly maxOperations: number;
  readonly maxSubscriptions: number;
}

/** Where a WebSocket comes from. */
export interface Caller {
  /** What asked for it. */
  readonly request: IncomingMessage;
  readonly connection: Duplex;
  readonly address: string;
}

/** A subscribe message that was handed on and is not dealt with to its end: while its answer is not sent, or its updates go on. */
interface Operation {
  readonly size: number;
  /** Its client has let it go. */
  completed: boolean;
  isStream: boolean;
  /** Aborted when its client lets it go, or is gone itself. */
  readonly gone: AbortController;
  /** The next operation of this id, which begins when nothing is left of this one. */
  next: string | undefined;
}

/**
 * Who is at the other end of a WebSocket, and how much of this server's memory it may take. A message is awaited until the socket has
 * taken it, and the next update is asked for only then: a slow reader waits, nothing queues (P5).
 */
export class Peer {
  readonly request: IncomingMessage;
  /** What it is counted under. */
  readonly address: string;
  /** It has asked for something, or was counted otherwise. */
  isCounted = false;
  /** What it says of the trace that its operations belong to, if anything. */
  traceparent: unknown;
  readonly #socket: WebSocket;
  readonly #options: PeerOptions;
  readonly #connection: Duplex;
  readonly #corked: Corked;
  readonly #pulse: Pulse;
  readonly #operations = new Map<string, Operation>();
  #handle: (text: string) => Promise<void> = async () => undefined;
  #isLeaving = false;
  #refused = 0;
  #viewer: Viewer | undefined;
  #release: (() => void) | undefined;

  constructor(socket: WebSocket, { request, connection, address }: Caller, options: PeerOptions) {
    this.request = request;
    this.traceparent = request.headers.traceparent;
    this.address = address;
    this.#socket = socket;
    this.#connection = connection;
    this.#corked = new Corked(connection);
    this.#options = options;
    this.#pulse = new Pulse(options.slowest);
  }

  /** Speaks the protocol until the socket closes; resolves when nothing of it is left. */
  async serve(protocol: Server<Peer>): Promise<void> {
    const socket = this.#socket;
    // Faults of the connection end in 'close'; ws has answered them (1009 for a message that is too large) when it reports them.
    socket.on('error', (error) => this.#options.log.debug({ err: error }, 'WebSocket fault'));
    socket.on('pong', () => this.#pulse.answer());
    this.#limitEarly();
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => this.#send(data),
        close: (code, reason) => this.close(code, reason),
        onMessage: (handle) => {
          this.#handle = handle;
          socket.on('message', (data) => this.#receive(String(data)));
        },
      },
      this,
    );
    const release = this.#options.draining.onTurn(() => this.#leave());
    const [code, reason] = await new Promise<[number, string]>((resolve) => {
      socket.once('close', (code, reason) => resolve([code, String(reason)]));
    });
    release();
    this.#release?.();
    for (const { gone } of this.#operations.values()) gone.abort();
    await closed(code, reason);
  }

  /** Set once its credential was found good. */
  get viewer(): Viewer | undefined {
    return this.#viewer;
  }

  get credentialId(): string {
    if (this.#viewer === undefined)
      throw new Error('A subscribe came before its credential was found good (ws-1).');
    return this.#viewer.credentialId;
  }

  /** Lets the peer speak for this viewer, until its credential ends. */
  admit(viewer: Viewer, authority: HttpParts['authority']): void {
    this.#viewer = viewer;
    // One that has left meanwhile would never be let go.
    if (this.#isOpen) {
      this.#release = authority.watch(viewer, { ended: (reason) => this.expel(reason) });
    }
  }

  /** Its credential has ended. A client may come back with another one, and its subscriptions go on where they were. */
  expel({ code, message }: DomainError): void {
    this.close(4403, `${code}: ${message.split('. ')[0]}`);
  }

  /** Says goodbye; what comes after that is not looked at. */
  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  /** Cuts the connection. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Asks whether the client is still there, and cuts one that did not answer in time (case 15). */
  beat(): void {
    if (this.#pulse.isOverdue) this.terminate();
    else if (!this.#pulse.waits && this.#isOpen) {
      this.#pulse.ask();
      this.#socket.ping();
    }
  }

  /**
   * Sends an update's message, and calls back when the next may come: at once, unless much waits to be read. To one that is closing
   * nothing is sent and it is never called.
   */
  pass(message: SharedMessage, next: () => void): void {
    if (!this.#isOpen) return;
    const length = lengthOf(message);
    this.#pulse.send(length);
    this.#options.corks.write(this.#corked);
    const hasRoom = this.#socket.bufferedAmount + length <= ROOM;
    writeFrame(this.#connection, message, hasRoom ? undefined : (error) => this.#taken(error, next));
    if (hasRoom) next();
    else this.#regulate();
  }

  /** The operation of this id, which is about to begin, has no single answer. @throws BAD_USER_INPUT for one too many. */
  streams(id: string): void {
    const maximum = this.#options.maxSubscriptions;
    if ([...this.#operations.values()].filter(({ isStream }) => isStream).length >= maximum) {
      throw badUserInput(
        `Expected at most ${maximum} subscriptions at once on a WebSocket. Complete some first, or open another WebSocket.`,
        { maximum },
      );
    }
    const operation = this.#operations.get(id);
    if (operation !== undefined) operation.isStream = true;
  }

  /** Aborted when nobody waits for the answer to the operation of this id any more. */
  goneFrom(id: string): AbortSignal | undefined {
    return this.#operations.get(id)?.gone.signal;
  }

  /** Calls `release` when nothing of the connection is left. */
  hold(release: () => void): void {
    if (this.#connection.destroyed) release();
    else this.#connection.once('close', release);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Counted as they come, since a frame, or the pieces of one, would be held before anything could be said of it. */
  #limitEarly(): void {
    const connection = this.#connection;
    let bytes = 0;
    const count = (chunk: Buffer) => {
      if (this.viewer !== undefined) {
        connection.off('data', count);
        return;
      }
      bytes += chunk.length;
      if (bytes <= MAX_EARLY) return;
      this.close(1009, `Expected connection_init in ${MAX_EARLY} bytes`);
      this.#socket.pause();
    };
    connection.on('data', count);
  }

  /** The protocol's own messages are its own affair, and so is everything before the credential was found good. */
  #receive(text: string): void {
    if (!this.#isOpen) return;
    const { type, id, fault } = envelope(text);
    if (fault !== undefined) {
      this.close(4400, fault);
      return;
    }
    if (this.viewer === undefined) void this.#hand(text);
    else if (type === 'subscribe' && id !== undefined) this.#subscribe(id, text);
    else if (type === 'complete' && id !== undefined) this.#complete(id, text);
    else void this.#hand(text);
  }

  /**
   * graphql-ws knows an operation by its id alone. One that is completed ends a little later, and would then take away the next of its
   * id, which nobody would ever let go: so that one waits until it is gone.
   */
  #subscribe(id: string, text: string): void {
    const earlier = this.#operations.get(id);
    if (earlier !== undefined && !(earlier.completed && earlier.next === undefined)) {
      this.close(4409, 'Subscriber already exists');
      return;
    }
    const refusal = this.#refusalOf(text.length);
    if (refusal !== undefined) void this.#refuse(id, refusal);
    else if (earlier === undefined) this.#begin(id, text);
    else earlier.next = text;
  }

  #refusalOf(size: number): DomainError | undefined {
    const { draining, maxHeld, maxOperations } = this.#options;
    if (draining.hasBegun) return shuttingDown();
    const operations = [...this.#operations.values()];
    const held = operations.reduce((sum, { size, next }) => sum + size + (next?.length ?? 0), 0);
    if (operations.length < maxOperations && held + size <= maxHeld) return undefined;
    return badUserInput(
      `Expected at most ${maxOperations} operations at once on a WebSocket, with messages of at most ${maxHeld} bytes together. Complete some first, or open another WebSocket.`,
      { maximum: maxOperations },
    );
  }

  #refuse(id: string, refusal: DomainError): Promise<void> {
    this.#refused += 1;
    if (this.#refused > MAX_REFUSED) this.close(4400, 'Too many operations');
    return this.#send(stringifyMessage({ id, type: MessageType.Error, payload: [errorOf(refusal)] }));
  }

  #complete(id: string, text: string): void {
    const operation = this.#operations.get(id);
    if (operation === undefined) return;
    if (operation.completed) {
      operation.next = undefined;
      return;
    }
    operation.completed = true;
    operation.gone.abort();
    void this.#hand(text);
  }

  #begin(id: string, text: string): void {
    const operation: Operation = {
      size: text.length,
      completed: false,
      isStream: false,
      gone: new AbortController(),
      next: undefined,
    };
    this.#operations.set(id, operation);
    void this.#hand(text).then(() => this.#ended(id, operation));
  }

  #ended(id: string, { next }: Operation): void {
    this.#operations.delete(id);
    if (next !== undefined && this.#isOpen) this.#begin(id, next);
    this.#closeIfAnswered();
  }

  /** What the protocol's own code throws: on a message that only a server sends. Everything of ours is caught before. */
  async #hand(text: string): Promise<void> {
    try {
      await this.#handle(text);
    } catch (error) {
      if (!this.#isOpen) return;
      this.#options.log.debug({ err: error }, 'WebSocket message refused');
      this.close(4400, 'Invalid message received');
    }
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#closeIfAnswered();
  }

  /** Its client comes back elsewhere, with nothing lost: streams have their position, and what was asked for is answered. */
  #closeIfAnswered(): void {
    if (!this.#isLeaving) return;
    if ([...this.#operations.values()].every(({ isStream }) => isStream)) this.close(1001, 'Going away');
  }

  /**
   * Resolves when the socket has taken the data. One that is closing takes nothing more, and then this never resolves: who waits asks
   * for no further update, and is let go with the socket.
   */
  #send(data: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isOpen) return;
      this.#pulse.send(data.length);
      this.#socket.send(data, (error) => this.#taken(error, resolve));
      this.#regulate();
    });
  }

  #taken(error: Error | undefined | null, next: () => void): void {
    this.#regulate();
    if (!error) next();
  }

  /** Listens only while the peer listens too. */
  #regulate(): void {
    if (!this.#isOpen) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD) this.#socket.pause();
    else if (this.#socket.isPaused) this.#socket.resume();
  }
}

interface Envelope {
  readonly type?: string;
  readonly id?: string;
  /** Why it is not read any further; fits into a close frame. */
  readonly fault?: string;
}

/** Of which kind a message is, and which operation it is about. Whether it is one of the protocol's is for the protocol. */
function envelope(text: string): Envelope {
  try {
    const { type, id } = Object(readJson(text, 'message'));
    return { type, ...(typeof id === 'string' && { id }) };
  } catch (error) {
    if (error instanceof DomainError) return { fault: error.message };
    throw error;
  }
}
