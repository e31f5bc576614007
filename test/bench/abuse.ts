import { randomUUID } from 'node:crypto';
import { createAccount } from '../../src/accounts/actions.js';
import { newSecret } from '../../src/accounts/secrets.js';
import { createToken, revokeToken } from '../../src/accounts/tokens.js';
import { type BenchOptions, openBenchHouse } from './house.js';

/**
 * Whether time tells what an answer does not: that an id is somebody else's and not nobody's, that a credential was one once. What is
 * compared is asked for in turns, so that both meet the same moments.
 */
export async function abuse({ quick }: BenchOptions): Promise<void> {
  const house = await openBenchHouse();
  const { id: accountId } = await createAccount(house.database, { name: 'Stranger' });
  const stranger = await createToken(house.database, { kind: 'PERSONAL', accountId });
  const revoked = await createToken(house.database, { kind: 'PERSONAL', accountId });
  await revokeToken(house.database, { credentialId: revoked.credential.id });
  const rounds = quick ? 50 : 2_000;
  console.log(`${house.kind}, ${rounds} of each, in ms\n`);
  const session = (sessionId: string) => () =>
    ask(house.url, stranger.secret, 'query ($id: ID!) { session(sessionId: $id) { title } }', {
      id: sessionId,
    });
  await compare('a session by its id', rounds, {
    "somebody else's": session(house.sessionId),
    unknown: () => session(randomUUID())(),
  });
  const rename = (sessionId: string) => () =>
    ask(
      house.url,
      stranger.secret,
      'mutation ($i: UpdateSessionInput!) { updateSession(input: $i) { session { id } } }',
      { i: { sessionId, title: 'Mine' } },
    );
  await compare('a session to rename', rounds, {
    "somebody else's": rename(house.sessionId),
    unknown: () => rename(randomUUID())(),
  });
  await compare('a credential', rounds, {
    revoked: () => ask(house.url, revoked.secret, '{ viewer { role } }'),
    unknown: () => ask(house.url, newSecret(), '{ viewer { role } }'),
  });
  await house.close();
}

type Ask = () => Promise<unknown>;

async function compare(what: string, rounds: number, asks: Readonly<Record<string, Ask>>): Promise<void> {
  const times = new Map(Object.keys(asks).map((name) => [name, [] as number[]]));
  // The first requests meet cold code.
  for (let round = -rounds / 10; round < rounds; round++) {
    for (const [name, ask] of Object.entries(asks)) {
      const begun = performance.now();
      await ask();
      if (round >= 0) times.get(name)?.push(performance.now() - begun);
    }
  }
  console.log(what);
  for (const [name, taken] of times) console.log(`  ${name.padEnd(16)} ${distribution(taken)}`);
  console.log('');
}

function distribution(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return [0.01, 0.1, 0.5, 0.9, 0.99]
    .map((part) => `p${part * 100} ${(sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2)}`)
    .join('  ');
}

async function ask(url: string, token: string, query: string, variables: object = {}): Promise<void> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  await response.arrayBuffer();
}
