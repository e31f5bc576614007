import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError, notFound } from '../errors.js';
import { answerError, answerInternal, shuttingDown, statusOf } from './answer.js';
import { drain } from './body.js';
import { type Engine, GRAPHQL_PATH } from './engine.js';
import { handleGraphQL } from './graphql.js';
import { answerHealth, answerReady } from './health.js';
import { refuseCrossSite } from './origin.js';
import type { HttpParts } from './parts.js';
import type { WebSockets } from './web-sockets.js';

/** Which request goes where, and what becomes of one that fails. */
export class Doors {
  readonly #parts: HttpParts;
  readonly #engine: Engine;
  readonly #sockets: WebSockets;
  readonly #closing: AbortSignal;

  constructor(parts: HttpParts, engine: Engine, sockets: WebSockets, closing: AbortSignal) {
    this.#parts = parts;
    this.#engine = engine;
    this.#sockets = sockets;
    this.#closing = closing;
  }

  /** Answers a request, always: what is thrown on the way is shown as it may be shown. */
  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await this.#route(req, res);
    } catch (error) {
      if (res.headersSent) res.destroy();
      else if (error instanceof DomainError) answerError(res, error);
      else answerInternal(res, this.#report(error, req));
    }
    drain(req);
  }

  /** Takes a WebSocket in at the GraphQL path, and nowhere else. */
  upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): void {
    connection.once('error', () => connection.destroy());
    try {
      if (this.#closing.aborted) throw shuttingDown();
      if (pathOf(req) !== GRAPHQL_PATH) throw nothingHere();
      refuseCrossSite(req, this.#parts.publicUrl);
      this.#sockets.accept(req, connection, head);
    } catch (error) {
      const status = error instanceof DomainError ? statusOf(error) : 500;
      if (status === 500) this.#report(error, req);
      connection.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
    }
  }

  async #route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = pathOf(req);
    if (path === '/health') return answerHealth(res);
    if (this.#closing.aborted) throw shuttingDown();
    if (path === '/ready') return answerReady(res, this.#parts.means.database);
    refuseCrossSite(req, this.#parts.publicUrl);
    if (path !== GRAPHQL_PATH) throw nothingHere();
    const viewer = await this.#parts.authenticate(req.headers.authorization);
    return handleGraphQL(this.#engine, viewer, req, res, this.#closing);
  }

  #report(error: unknown, { method, url = '' }: IncomingMessage): string {
    const id = randomUUID();
    this.#parts.log.error({ err: error, id, method, path: url.split('?')[0] }, 'internal error');
    return id;
  }
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split(/[?#]/, 1)[0] ?? '/';

const nothingHere = () => notFound('Nothing is here; GraphQL is at /graphql.');
