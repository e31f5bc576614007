import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { begin } from '../cli/command.js';
import { activity, type House, openHouse } from '../events/house.js';
import { eventually } from '../subscriptions/eventually.js';
import { named, type Result, SESSION_EVENTS, updateOf } from '../subscriptions/streams.js';

const SOCKETS = 10;
const EACH = 10;

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** One who follows a session, wherever its client leads. */
class Follower {
  readonly seen: (string | undefined)[] = [];
  readonly #sessionId: string;
  #checkpoint: string | undefined;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get hasBegun(): boolean {
    return this.#checkpoint !== undefined;
  }

  follow(client: Client): void {
    client.subscribe(
      { query: SESSION_EVENTS, variables: { sessionId: this.#sessionId, after: this.#checkpoint ?? null } },
      {
        next: (result) => {
          const { edges, checkpoint } = updateOf(result as Result);
          this.seen.push(...edges.map(({ node }) => node?.eventId));
          this.#checkpoint = checkpoint;
        },
        error: () => undefined,
        complete: () => undefined,
      },
    );
  }
}

const connect = (url: string, closed: (code: number) => void = () => undefined): Client =>
  createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${house.tokens.member}` },
    on: { closed: (event) => closed((event as { code: number }).code) },
  });

it('a process that gets SIGTERM with 100 subscriptions lets them go, ends, and they go on elsewhere without a loss (case 30)', async () => {
  const sessionId = await house.newSession(10);
  const leaving = begin(['serve'], {
    DATABASE_URL: house.database.url ?? '',
    PORT: '0',
    RATE_LIMIT: 'off',
    TIDINGS_DRAIN: '3',
  });
  try {
    let url = '';
    await eventually(() => {
      url = /"url":"([^"]+)\/graphql"/.exec(leaving.output.out)?.[1] ?? '';
      expect(url, leaving.output.err).not.toBe('');
    });
    const codes: number[] = [];
    const clients = Array.from({ length: SOCKETS }, () => connect(url, (code) => codes.push(code)));
    const followers = Array.from({ length: SOCKETS * EACH }, () => new Follower(sessionId));
    for (const [index, follower] of followers.entries()) {
      const client = clients[index % SOCKETS];
      if (client !== undefined) follower.follow(client);
    }
    await eventually(() => expect(followers.filter(({ seen }) => seen.length < 10)).toEqual([]));
    leaving.child.kill('SIGTERM');
    await eventually(() => expect(codes.length).toBeGreaterThan(0));
    // Some have been let go, the last not yet: what comes now is told to these here, and to those elsewhere.
    await house.append(sessionId, named(11, 15).map(activity));
    const refused = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${house.tokens.member}` },
      body: '{"query":"{ viewer { role } }"}',
    });
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('SHUTTING_DOWN')]);
    const { code } = await leaving.ended;
    // It would be another had it not been done in time.
    expect(code).toBe(0);
    await eventually(() => expect(codes).toEqual(Array(SOCKETS).fill(1001)));
    const elsewhere = Array.from({ length: SOCKETS }, () => connect(house.url));
    for (const [index, follower] of followers.entries()) {
      const client = elsewhere[index % SOCKETS];
      if (client !== undefined) follower.follow(client);
    }
    await house.append(sessionId, named(16, 20).map(activity));
    await eventually(() => expect(followers.filter(({ seen }) => seen.length < 20)).toEqual([]));
    for (const { seen } of followers) expect(seen).toEqual(named(1, 20));
    await Promise.all([...clients, ...elsewhere].map((client) => client.dispose()));
  } finally {
    leaving.child.kill('SIGKILL');
    await leaving.ended;
  }
});
