import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Viewer } from '../accounts/viewer.js';
import { asTimeout } from '../database/faults.js';
import { DomainError, notFound } from '../errors.js';
import { drain } from './body.js';
import type { Draining } from './draining.js';
import { type Engine, GRAPHQL_PATH } from './engine.js';
import { demoFor } from './graphiql/access.js';
import { ASSET_PATH, Assets } from './graphiql/assets.js';
import { answerPage } from './graphiql/page.js';
import { handleGraphQL } from './graphql.js';
import { answerHealth, answerReady } from './health.js';
import { handleIngest, INGEST_PATH, tellOffset } from './ingest.js';
import type { Metrics } from './metrics.js';
import { allowOrigin, answerPreflight, refuseCrossSite, type Sites } from './origin.js';
import type { HttpParts } from './parts.js';
import { tellLeft } from './rate-headers.js';
import { answerError, answerInternal, answerMethod, headersOf, shuttingDown, statusOf } from './responses.js';
import type { WebSockets } from './web-sockets.js';

/** What `Session.url` leads to. */
const SESSION_PATH = /^\/sessions\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Which request goes where, and what becomes of one that fails. */
export class Doors {
  readonly #parts: HttpParts;
  readonly #engine: Engine;
  readonly #sockets: WebSockets;
  readonly #draining: Draining;
  readonly #metrics: Metrics;
  readonly #sites: Sites;
  readonly #assets = new Assets();

  constructor(parts: HttpParts, engine: Engine, sockets: WebSockets, draining: Draining, metrics: Metrics) {
    this.#parts = parts;
    this.#engine = engine;
    this.#sockets = sockets;
    this.#draining = draining;
    this.#metrics = metrics;
    this.#sites = { publicUrl: parts.publicUrl, origins: parts.config.origins };
  }

  /** Answers a request, always: what is thrown on the way is shown as it may be shown. */
  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      allowOrigin(req, res, this.#sites);
      await this.#route(req, res);
    } catch (error) {
      const known = error instanceof DomainError ? error : asTimeout(error);
      // A sender that has gone, or was cut off for its slowness, reads no answer, and is no fault of ours.
      if (known === null && req.socket.destroyed) return;
      if (res.headersSent) res.destroy();
      else if (known !== null) answerError(res, known);
      else answerInternal(res, this.#report(error, req));
    }
    drain(req);
  }

  /** Takes a WebSocket in at the GraphQL path, and nowhere else. */
  async upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    connection.once('error', () => connection.destroy());
    try {
      if (this.#draining.hasBegun) throw shuttingDown();
      if (pathOf(req) !== GRAPHQL_PATH) throw nothingHere();
      refuseCrossSite(req, this.#sites);
      const address = this.#parts.limits.addresses.of(req);
      await this.#parts.limits.rates.refuseBlocked(address);
      // Both may have happened meanwhile.
      if (this.#draining.hasBegun) throw shuttingDown();
      if (connection.destroyed) return;
      connection.once('close', this.#parts.limits.streams.ofAddress.claim(address));
      this.#sockets.accept(req, connection, head, address);
    } catch (error) {
      if (!(error instanceof DomainError)) this.#report(error, req);
      connection.end(upgradeRefusal(error));
    }
  }

  async #route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = pathOf(req);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (path === '/health') return answerHealth(res);
    if (path === '/metrics' && isRead && this.#parts.config.metrics) return this.#metrics.answer(res);
    if (this.#draining.hasBegun) throw shuttingDown();
    if (path === '/ready') return answerReady(res, this.#parts.means);
    if (isRead && this.#parts.config.graphiql && (await this.#showGraphiql(req, res, path))) return;
    if (path === GRAPHQL_PATH && answerPreflight(req, res, this.#sites)) return;
    refuseCrossSite(req, this.#sites);
    const [, ingestInto] = INGEST_PATH.exec(path) ?? [];
    if (path !== GRAPHQL_PATH && ingestInto === undefined) throw nothingHere();
    const isHead = req.method === 'HEAD';
    if (ingestInto !== undefined && req.method !== 'POST' && !isHead) return answerMethod(res, 'POST, HEAD');
    const viewer = await this.#admit(req, res);
    if (ingestInto === undefined) {
      return handleGraphQL(this.#engine, this.#parts, viewer, req, res, this.#draining);
    }
    if (isHead) return tellOffset(this.#parts, viewer, ingestInto, req, res);
    return handleIngest(this.#parts, viewer, ingestInto, req, res, this.#draining.signal);
  }

  /** Who asks, once it is counted. @throws RATE_LIMITED before anything is looked up; what `authenticate` throws, counted as well. */
  async #admit(req: IncomingMessage, res: ServerResponse): Promise<Viewer> {
    const { authenticate, limits } = this.#parts;
    const address = limits.addresses.of(req);
    await limits.rates.refuseBlocked(address);
    const viewer = await authenticate(req.headers.authorization).catch(async (error) => {
      tellLeft(res, await limits.rates.countUnknown(address));
      throw error;
    });
    tellLeft(res, await limits.rates.count(address, viewer));
    return viewer;
  }

  /** GraphiQL and what belongs to it; false when that is not what was asked for. */
  async #showGraphiql(req: IncomingMessage, res: ServerResponse, path: string): Promise<boolean> {
    const isBrowser = req.headers.accept?.includes('text/html') === true;
    if (path === '/' && isBrowser) {
      res.writeHead(302, { location: GRAPHQL_PATH }).end();
      return true;
    }
    const [, hash, name] = ASSET_PATH.exec(path) ?? [];
    if (hash !== undefined && name !== undefined) return this.#assets.answer(req, res, hash, name);
    const [, sessionId] = SESSION_PATH.exec(path) ?? [];
    if (sessionId === undefined && !(path === GRAPHQL_PATH && isBrowser)) return false;
    const demo = demoFor(req, this.#parts.config.host, this.#parts.demo);
    answerPage(req, res, { sessionId, demo, folder: await this.#assets.folder() });
    return true;
  }

  #report(error: unknown, { method, url = '' }: IncomingMessage): string {
    const id = randomUUID();
    this.#parts.log.error({ err: error, id, method, path: url.split('?')[0] }, 'internal error');
    return id;
  }
}

/** To one that asked for a WebSocket, and has no `ServerResponse`. */
function upgradeRefusal(error: unknown): string {
  const known = error instanceof DomainError ? error : undefined;
  const status = known === undefined ? 500 : statusOf(known);
  const headers = { connection: 'close', 'content-length': '0', ...(known && headersOf(known)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n');
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split(/[?#]/, 1)[0] ?? '/';

const nothingHere = () => notFound('Nothing is here; GraphQL is at /graphql.');
