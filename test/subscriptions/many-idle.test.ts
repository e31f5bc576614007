import { type Client, createClient } from 'graphql-ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { activity, type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { named, type Result, SESSION_EVENTS, updateOf } from './streams.js';

const SESSIONS = 20;
/** Of a socket, at most. */
const EACH = 100;
const ROUNDS = 5;

let house: House;
let sessions: readonly string[];
const clients: Client[] = [];

async function open(recheckPace: number): Promise<void> {
  house = await openHouse({ recheckPace });
  sessions = await Promise.all(Array.from({ length: SESSIONS }, () => house.newSession(1)));
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  await house.close();
});

/** Subscribes so often, spread over these sessions; gives how many events each was told. */
async function subscribe(count: number, over = sessions): Promise<number[]> {
  const told = Array.from({ length: count }, () => 0);
  let begun = 0;
  for (let index = 0; index < count; index++) {
    if (index % EACH === 0) {
      clients.push(
        createClient({
          url: `${house.url.replace('http', 'ws')}/graphql`,
          webSocketImpl: WebSocket,
          retryAttempts: 0,
          connectionParams: { authorization: `Bearer ${house.tokens.member}` },
        }),
      );
    }
    clients.at(-1)?.subscribe(
      { query: SESSION_EVENTS, variables: { sessionId: over[index % over.length] } },
      {
        next: (result) => {
          const { edges, caughtUp } = updateOf(result as Result);
          if (told[index] === 0 && caughtUp) begun += 1;
          told[index] = (told[index] ?? 0) + edges.length;
        },
        error: () => undefined,
        complete: () => undefined,
      },
    );
  }
  await eventually(() => expect(begun).toBe(count));
  return told;
}

/** The statements of so many re-checks. */
async function statementsOfRounds(): Promise<readonly string[]> {
  const rounds = vi.spyOn(house.means.tails, 'recheck');
  const statements = await house.database.statementsOf(() =>
    eventually(() => expect(rounds.mock.calls.length).toBeGreaterThanOrEqual(ROUNDS)),
  );
  expect(statements.length).toBeLessThanOrEqual(rounds.mock.calls.length);
  rounds.mockRestore();
  return statements;
}

describe('what nobody writes to', () => {
  it.each([1, 100, 1_000])('costs one statement a re-check with %i subscriptions', async (count) => {
    await open(100);
    await subscribe(count);
    expect(house.means.tails.size).toBe(Math.min(count, SESSIONS));
    for (const statement of await statementsOfRounds()) expect(statement).toMatch(/ANY/);
  });

  it('costs nothing when the last subscriber has left, and there is no tail', async () => {
    await open(100);
    await subscribe(100);
    await Promise.all(clients.splice(0).map((client) => client.dispose()));
    await eventually(() => expect(house.means.tails.size).toBe(0));
    const rounds = vi.spyOn(house.means.tails, 'recheck');
    const statements = await house.database.statementsOf(
      () => new Promise((resolve) => setTimeout(resolve, 500)),
    );
    expect([statements, rounds.mock.calls]).toEqual([[], []]);
  });
});

it('eight writers cost at most one read a call more with 100 subscribers than without (case 29)', async () => {
  await open(3_600_000);
  const [sessionId = ''] = sessions;
  const write = async (round: string) => {
    const writer = async (name: string) => {
      for (let call = 0; call < 10; call++)
        await house.append(sessionId, [activity(`${round}-${name}-${call}`)]);
    };
    await Promise.all(named(1, 8).map(writer));
  };
  const without = await house.countStatements(() => write('without'));
  const told = await subscribe(100, [sessionId]);
  const withThem = await house.countStatements(async () => {
    await write('with');
    await eventually(() => expect(new Set(told)).toEqual(new Set([161])));
  });
  expect((withThem - without) / 80).toBeLessThanOrEqual(1);
});
