import { setTimeout as sleep } from 'node:timers/promises';
import { APPEND, activity } from '../events/house.js';
import type { World } from './world.js';

interface Reply {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

/** Posts a document; undefined when no whole answer came. */
export async function post(
  { url, tokens }: World,
  query: string,
  variables: object,
): Promise<Reply | undefined> {
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.writer}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(20_000),
    });
    return JSON.parse(await response.text()) as Reply;
  } catch {
    return undefined;
  }
}

/** Appends to one session until it is told to stop, each event of an id of its own. */
export class Writer {
  /** The events that a gateway has acknowledged, in the order in which this writer wrote them. */
  readonly acknowledged: string[] = [];
  /** The codes of what was refused, and how often. */
  readonly refusals = new Map<string, number>();
  readonly #world: World;
  readonly sessionId: string;
  readonly name: string;
  #count = 0;

  constructor(world: World, sessionId: string, name: string) {
    this.#world = world;
    this.sessionId = sessionId;
    this.name = name;
  }

  async writeUntil(stop: AbortSignal): Promise<void> {
    for (let call = 0; !stop.aborted; call++) {
      const ids = Array.from({ length: 1 + (call % 3) }, () => `${this.name}-${++this.#count}`);
      // One in ten gives up after the first fault, as some do: whether it took effect is for the database to say.
      const tries = call % 10 === 0 ? 1 : Number.POSITIVE_INFINITY;
      if (await this.#write(ids, tries)) this.acknowledged.push(...ids);
      await sleep(10);
    }
  }

  async #write(ids: readonly string[], tries: number): Promise<boolean> {
    const input = { sessionId: this.sessionId, events: ids.map(activity) };
    for (let made = 0; made < tries; made++) {
      const reply = await post(this.#world, APPEND, { input });
      if (reply?.data && reply.errors === undefined) return true;
      for (const { extensions } of reply?.errors ?? []) count(this.refusals, extensions?.code ?? 'none');
      await sleep(100);
    }
    return false;
  }
}

export const count = (counts: Map<string, number>, what: string): void => {
  counts.set(what, (counts.get(what) ?? 0) + 1);
};
