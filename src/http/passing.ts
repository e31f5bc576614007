import type { Pulled, Taker } from '../live/pulled.js';
import type { Peer } from './peer.js';

/**
 * A subscription as graphql-ws sees it: one that gives nothing until it ends. Its updates go past the protocol's loop, which would
 * make promises and serialise for each, straight to the socket; beginning, ending and faults are the protocol's.
 */
export class Passing implements AsyncGenerator<never, undefined> {
  readonly #peer: Peer;
  readonly #bodies: Pulled<Buffer>;
  /** All of a message but its body: graphql-transport-ws's `next`. */
  readonly #head: Buffer;

  constructor(peer: Peer, id: string, bodies: Pulled<Buffer>) {
    this.#peer = peer;
    this.#bodies = bodies;
    this.#head = Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
  }

  /** Pending as long as updates pass. */
  next(): Promise<IteratorResult<never, undefined>> {
    return new Promise((resolve, reject) => {
      const taker: Taker<Buffer> = {
        give: (body) => this.#peer.pass({ before: this.#head, body, after: TAIL }, pull),
        end: () => resolve(DONE),
        fail: reject,
      };
      const pull = () => this.#bodies.pull(taker);
      pull();
    });
  }

  async return(): Promise<IteratorResult<never, undefined>> {
    await this.#bodies.return();
    return DONE;
  }

  async throw(): Promise<IteratorResult<never, undefined>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bodies.return();
  }
}

const TAIL = Buffer.from('}');
const DONE = { done: true, value: undefined } as const;
