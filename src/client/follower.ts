import { type Followed, readDocument } from './document.js';
import { overEventStream } from './event-stream.js';
import { FollowError, faultOf } from './fault.js';
import type { FollowState, Options, Settings } from './options.js';
import type { Result, Transport } from './transport.js';
import { backOff, unlessAborted, wait } from './waiting.js';
import { overWebSocket, type WebSocketConstructor } from './web-socket.js';

/** What is known of every update. */
export interface Update {
  readonly checkpoint: string;
}

/** Updates, each once and in order. Ends with `return()`, with its signal, or by throwing a `FollowError`. */
export interface Following<U> extends AsyncIterableIterator<U, undefined> {
  /** Of the update that was taken last; before that, where it begins. Whoever keeps it can go on from there later. */
  readonly checkpoint: string | undefined;
  return(): Promise<IteratorReturnResult<undefined>>;
}

const LONGEST_WAIT = 30_000;
const BUFFER = 64;

export class Follower implements Following<Update> {
  readonly #options: Options;
  readonly #followed: Followed;
  readonly #transport: Transport;
  readonly #url: URL;
  readonly #leaving = new AbortController();
  readonly #updates = this.#follow();
  #checkpoint: string | undefined;
  /** In a row: since an update was taken. */
  #failures = 0;
  /** Those among them that are not met with another try for ever. */
  #refusals = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#followed = readDocument(options.query);
    this.#transport = transportOf(options);
    this.#url = addressOf(options);
    const beginning: unknown = Reflect.get(options.variables ?? {}, this.#followed.variable);
    this.#checkpoint = typeof beginning === 'string' ? beginning : undefined;
  }

  get checkpoint(): string | undefined {
    return this.#checkpoint;
  }

  next(): Promise<IteratorResult<Update, undefined>> {
    return this.#updates.next();
  }

  /** Settles what is pending at once: a generator's own `return()` would wait for it. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#leaving.abort();
    await this.#updates.return(undefined);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#follow(): AsyncGenerator<Update, undefined> {
    const { signal } = this.#options;
    const leave = () => this.#leaving.abort();
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    let because: FollowError | undefined;
    try {
      while (!this.#leaving.signal.aborted) {
        try {
          yield* this.#connect(this.#leaving.signal);
        } catch (fault) {
          if (fault instanceof FollowError) because = fault;
          await this.#overcome(fault);
          because = undefined;
        }
      }
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#tell({ is: 'ended', ...(because && { because }) });
    }
  }

  /** The updates of one connection. @throws FollowError when it fails. */
  async *#connect(signal: AbortSignal): AsyncGenerator<Update, void> {
    this.#tell({ is: 'connecting' });
    const authorization = await unlessAborted(authorizationOf(this.#options), signal);
    if (signal.aborted) return;
    let isFirst = true;
    const request = () => this.#request();
    for await (const result of this.#transport({ url: this.#url, authorization, request, signal })) {
      const update = this.#updateOf(result);
      if (isFirst) this.#tell({ is: 'following' });
      isFirst = false;
      this.#checkpoint = update.checkpoint;
      this.#failures = 0;
      this.#refusals = 0;
      yield update;
    }
  }

  #request() {
    const { query, variable } = this.#followed;
    return { query, variables: { ...this.#options.variables, [variable]: this.#checkpoint } };
  }

  #updateOf({ data, errors = [] }: Result): Update {
    const { field } = this.#followed;
    const update = data?.[field];
    const checkpoint: unknown = Reflect.get(Object(update), 'checkpoint');
    const isWhole = typeof checkpoint === 'string';
    if (errors.length > 0) throw faultOf(errors, isWhole ? { checkpoint } : {});
    if (!isWhole)
      throw new FollowError('BAD_DOCUMENT', `Expected ${field}.checkpoint in an update, got none.`);
    return update as Update;
  }

  /** Waits for another try. @throws the fault when there is to be none. */
  async #overcome(fault: unknown): Promise<void> {
    const { signal } = this.#leaving;
    if (signal.aborted) return;
    if (!(fault instanceof FollowError)) throw fault;
    this.#failures += 1;
    if (Number.isFinite(fault.tolerated)) this.#refusals += 1;
    if (this.#refusals > fault.tolerated) throw fault;
    const { longestWait = LONGEST_WAIT } = this.#options;
    const ms = Math.max(fault.retryAfter, backOff(this.#failures, longestWait));
    this.#tell({ is: 'waiting', ms, because: fault });
    await wait(ms, signal);
  }

  #tell(state: FollowState): void {
    this.#options.onState?.(state);
  }
}

function transportOf({ transport, buffer = BUFFER, fetch, webSocket }: Settings): Transport {
  if (transport === 'sse') return overEventStream(fetch ?? globalThis.fetch);
  const chosen = webSocket ?? globalWebSocket();
  if (chosen === undefined)
    throw new TypeError('Expected a WebSocket here, or one as `webSocket`, such as that of the package ws.');
  return overWebSocket(chosen, buffer);
}

/** Node has had one since version 22, and browsers have always. */
const globalWebSocket = () => Reflect.get(globalThis, 'WebSocket') as WebSocketConstructor | undefined;

/** @throws TypeError for what is no URL. */
function addressOf({ url, transport }: Settings): URL {
  const address = new URL(url, Reflect.get(globalThis, 'location')?.href);
  const scheme = transport === 'sse' ? 'http' : 'ws';
  address.protocol = `${scheme}${/^(https|wss):$/.test(address.protocol) ? 's' : ''}:`;
  return address;
}

async function authorizationOf({ token }: Settings): Promise<string | undefined> {
  try {
    const secret = typeof token === 'function' ? await token() : token;
    return secret === undefined ? undefined : `Bearer ${secret}`;
  } catch (cause) {
    throw new FollowError('NO_TOKEN', 'Expected `token` to give a secret, but it failed.', { cause });
  }
}
