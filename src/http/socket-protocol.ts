import { type ExecutionArgs, getOperationAST } from 'graphql';
import { makeServer, type OperationResult, type Server, type SubscribePayload } from 'graphql-ws';
import type { Viewer } from '../accounts/viewer.js';
import { asTimeout } from '../database/faults.js';
import { badUserInput, DomainError } from '../errors.js';
import { FaultyDocument } from '../graphql/documents.js';
import { Pulled } from '../live/pulled.js';
import type { Engine } from './engine.js';
import { formatError, formatResult } from './format.js';
import type { HttpParts } from './parts.js';
import { Passing } from './passing.js';
import type { Peer } from './peer.js';
import { inTrace } from './trace.js';

type Params = Record<string, unknown>;
type Run = () => OperationResult;

/**
 * graphql-transport-ws with our credentials, engine and errors. `initTimeout` is how long a client may take to send connection_init, in
 * ms.
 */
export function createProtocol(parts: HttpParts, engine: Engine, initTimeout: number): Server<Peer> {
  const operations = new Operations(parts, engine);
  return makeServer<Params, Peer>({
    connectionInitWaitTimeout: initTimeout,
    onConnect: ({ connectionParams, extra }) => connect(parts, extra, connectionParams),
    onSubscribe: ({ extra }, id, payload) =>
      inTrace(extra.traceparent, () => operations.prepare(extra, id, payload)),
    execute: (args) => operations.run(args),
    subscribe: (args) => operations.run(args),
    onNext: (_context, _id, _payload, _args, result) => formatResult(result),
    onError: (_context, _id, _payload, errors) => errors.map((error) => formatError(engine.mask(error))),
  });
}

/** Finds out who the peer is, or closes with 4401, or with 1013 where that could not be found out. */
async function connect(
  { authenticate, authority, limits, log }: HttpParts,
  peer: Peer,
  params: Params = {},
): Promise<boolean> {
  const { authorization = peer.request.headers.authorization } = params;
  peer.traceparent = params.traceparent ?? peer.traceparent;
  try {
    const viewer = await authenticate(typeof authorization === 'string' ? authorization : undefined);
    peer.hold(limits.streams.ofCredential.claim(viewer.credentialId));
    peer.admit(viewer, authority);
    return true;
  } catch (error) {
    const known = error instanceof DomainError ? error : asTimeout(error);
    if (known?.code === 'RATE_LIMITED') {
      peer.close(1013, `${known.code}: ${known.message.split('. ')[0]}`);
    } else if (known !== null && known.code !== 'TIMEOUT') {
      peer.close(4401, known.code);
      peer.isCounted = true;
      await limits.rates.countUnknown(peer.address).catch(() => undefined);
    } else {
      const level = known === null ? 'error' : 'warn';
      log[level]({ err: error }, 'a credential could not be looked up');
      peer.close(1013, 'Try again later');
    }
    return false;
  }
}

class Operations {
  readonly #schema: HttpParts['schema'];
  readonly #authority: HttpParts['authority'];
  readonly #rates: HttpParts['limits']['rates'];
  readonly #engine: Engine;
  /** How each prepared operation is run: the engine's functions belong to the context that it made for it. */
  readonly #runs = new WeakMap<ExecutionArgs, Run>();

  constructor({ schema, authority, limits }: HttpParts, engine: Engine) {
    this.#schema = schema;
    this.#authority = authority;
    this.#rates = limits.rates;
    this.#engine = engine;
  }

  async prepare(peer: Peer, id: string, payload: SubscribePayload) {
    const schema = this.#schema;
    try {
      const gone = peer.goneFrom(id);
      const viewer = await this.#admit(peer);
      const document = await this.#read(peer, payload);
      const { contextFactory, execute } = this.#engine.getEnveloped({ viewer, gone });
      const { operationName, variables: variableValues } = payload;
      const contextValue = await contextFactory();
      const args: ExecutionArgs = { schema, document, operationName, variableValues, contextValue };
      const isSubscription = getOperationAST(document, operationName)?.operation === 'subscription';
      if (isSubscription) peer.streams(id);
      const run = () => (isSubscription ? this.#follow(peer, id, args) : execute(args));
      this.#runs.set(args, () => inTrace(peer.traceparent, run));
      return args;
    } catch (error) {
      return error instanceof FaultyDocument ? error.errors : [this.#engine.mask(error)];
    }
  }

  /** As over HTTP: what is blocked is refused before anything is looked up, and each operation counts. */
  async #admit(peer: Peer): Promise<Viewer> {
    peer.isCounted = true;
    await this.#rates.refuseBlocked(peer.address);
    const viewer = await this.#viewerOf(peer);
    await this.#rates.count(peer.address, viewer);
    return viewer;
  }

  async #read(peer: Peer, payload: SubscribePayload) {
    const found = await this.#engine.documents.read(payload, peer.credentialId);
    if (found === undefined)
      throw badUserInput('query: expected a document, or the hash of one.', { path: 'query' });
    return found.document;
  }

  /** Each operation is its credential's as that is now, as over HTTP, whatever it was when the socket was opened. */
  async #viewerOf(peer: Peer): Promise<Viewer> {
    try {
      return await this.#authority.viewerOf(peer.credentialId);
    } catch (error) {
      if (error instanceof DomainError && error.code !== 'TIMEOUT') peer.expel(error);
      throw error;
    }
  }

  async #follow(peer: Peer, id: string, args: ExecutionArgs): Promise<Awaited<OperationResult>> {
    const result = await this.#engine.subscribe(args);
    return result instanceof Pulled ? new Passing(peer, id, result) : result;
  }

  async run(args: ExecutionArgs): Promise<Awaited<OperationResult>> {
    try {
      const run = this.#runs.get(args);
      if (run === undefined) throw new Error('An operation runs that was not prepared (ws-2).');
      return await run();
    } catch (error) {
      return { errors: [this.#engine.mask(error)] };
    }
  }
}
