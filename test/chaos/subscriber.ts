import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as createEventStreamClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Result, SESSION_EVENTS } from '../subscriptions/streams.js';
import type { World } from './world.js';
import { count } from './writer.js';

/** Follows a session over connections that are cut, each time from its last checkpoint. */
export class Subscriber {
  readonly sessionId: string;
  /** The ids of all that it was told, as it was told. */
  readonly seen: string[] = [];
  /** The codes of what it was refused, and how often. */
  readonly refusals = new Map<string, number>();
  connections = 0;
  readonly #world: World;
  readonly #way: 'socket' | 'stream';
  #checkpoint: string | undefined;
  #leave: () => void = () => undefined;

  constructor(world: World, sessionId: string, way: 'socket' | 'stream') {
    this.#world = world;
    this.sessionId = sessionId;
    this.#way = way;
  }

  async followUntil(stop: AbortSignal): Promise<void> {
    stop.addEventListener('abort', () => this.#leave(), { once: true });
    while (!stop.aborted) {
      this.connections += 1;
      await this.#followOnce().catch(() => undefined);
      if (!stop.aborted) await sleep(50 + Math.random() * 200);
    }
  }

  /** Ends with the connection, or with what could not be shown. */
  async #followOnce(): Promise<void> {
    const client = this.#connect();
    const request = {
      query: SESSION_EVENTS,
      variables: { sessionId: this.sessionId, after: this.#checkpoint ?? null },
    };
    try {
      await new Promise<void>((resolve, reject) => {
        this.#leave = resolve;
        const take = (result: unknown) => {
          if (!this.#take(result as Result)) resolve();
        };
        client.subscribe(request, { next: take, error: reject, complete: resolve });
      });
    } finally {
      await client.dispose();
    }
  }

  #connect() {
    const { url, tokens } = this.#world;
    const authorization = `Bearer ${tokens.reader}`;
    return this.#way === 'stream'
      ? createEventStreamClient({ url: `${url}/graphql`, headers: { authorization }, retryAttempts: 0 })
      : createClient({
          url: `${url.replace('http', 'ws')}/graphql`,
          webSocketImpl: WebSocket,
          retryAttempts: 0,
          connectionParams: { authorization },
        });
  }

  #take({ data, errors = [] }: Result): boolean {
    for (const { extensions } of errors) count(this.refusals, String(extensions?.code));
    const update = data?.sessionEvents;
    if (!update) return false;
    this.seen.push(...update.edges.map(({ node }) => node?.eventId ?? 'nothing'));
    this.#checkpoint = update.checkpoint;
    return true;
  }
}
