import { GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { transact } from '../../src/database/transact.js';
import type { Context } from '../../src/graphql/context.js';
import { onPostgres } from '../database.js';
import { startTestGateway, type TestGateway } from '../gateway.js';

type Database = Context['operation']['database'];

const sleep = ({ prisma }: Database) => prisma.$queryRaw`SELECT 1 AS slow FROM pg_sleep(4)`;

/** What works in the database for longer than an operation may, and then goes on. */
const schema = new GraphQLSchema({
  query: new GraphQLObjectType<unknown, Context>({
    name: 'Query',
    fields: {
      slow: {
        type: GraphQLInt,
        resolve: async (_, __, { operation: { database } }) => {
          await sleep(database);
          await database.prisma.$queryRaw`SELECT 2 AS later`;
        },
      },
      slowInside: {
        type: GraphQLInt,
        resolve: (_, __, { operation: { database } }) =>
          transact(database, async (tx) => {
            await tx.$queryRaw`SELECT 1 AS slow FROM pg_sleep(4)`;
            await tx.$queryRaw`SELECT 2 AS later`;
            return 1;
          }),
      },
      quick: { type: GraphQLInt, resolve: () => 1 },
    },
  }),
  mutation: new GraphQLObjectType<unknown, Context>({
    name: 'Mutation',
    fields: {
      commits: {
        type: GraphQLInt,
        resolve: async (_, __, { operation: { database } }) => {
          await transact(database, (tx) => tx.$executeRaw`UPDATE session SET title = title`);
          await sleep(database);
        },
      },
      writes: {
        type: GraphQLInt,
        resolve: async (_, __, { operation: { database } }) => {
          await sleep(database);
          return 1;
        },
      },
    },
  }),
});

let gateway: TestGateway;
let token: string;
beforeAll(async () => {
  gateway = await startTestGateway({ schema, env: { TIDINGS_OPERATION_TIMEOUT: '1' } });
  token = await (await gateway.createAccount()).createToken();
});
afterAll(() => gateway.close());

/** Statements that PostgreSQL works at for them; the embedded database cannot be asked meanwhile. */
async function sleeping(): Promise<number> {
  if (!onPostgres) return 0;
  const [row] = await gateway.database.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'`;
  return row?.count ?? 0;
}

const patiently = { timeout: 3_000, interval: 20 };

describe('an operation that takes too long', () => {
  it.each(['slow', 'slowInside'])(
    'is answered with TIMEOUT, and no more is done for it: %s',
    async (field) => {
      const statements = await gateway.database.statementsOf(async () => {
        const { status, headers, body } = await gateway.request(`{ ${field} }`, { token });
        expect(status).toBe(503);
        expect(headers.get('retry-after')).toBe('1');
        expect(body.errors).toMatchObject([
          { extensions: { code: 'TIMEOUT', seconds: 1, retry: 'UNCHANGED' } },
        ]);
        expect(body.errors?.[0]?.message).toContain('at most 1 seconds');
        await vi.waitFor(async () => expect(await sleeping()).toBe(0), patiently);
        // On the embedded database it waits for the one that could not be stopped.
        expect((await gateway.request<{ quick: number }>('{ quick }', { token })).body.data).toEqual({
          quick: 1,
        });
      });
      expect(statements.filter((sql) => sql.includes('slow'))).toHaveLength(1);
      expect(statements.filter((sql) => sql.includes('later'))).toEqual([]);
      expect(gateway.logged).toEqual([]);
    },
  );

  it('is answered so over WebSocket', async () => {
    const { value } = await gateway.subscribe('{ slow }', { token }).next();
    expect(value).toMatchObject({ data: null, errors: [{ extensions: { code: 'TIMEOUT', seconds: 1 } }] });
  });

  it('says whether a write took effect', async () => {
    const { body } = await gateway.request('mutation { commits }', { token });
    expect(body.errors).toMatchObject([{ extensions: { code: 'TIMEOUT', tookEffect: true } }]);
    const { body: unknown } = await gateway.request('mutation { writes }', { token });
    expect(unknown.errors?.[0]?.extensions).toEqual({ code: 'TIMEOUT', seconds: 1, retry: 'UNCHANGED' });
  });
});

describe('an operation whose client has gone', () => {
  const begin = async (query: string, patience: () => Promise<void>) => {
    const leave = new AbortController();
    const asked = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
      signal: leave.signal,
    }).catch(() => undefined);
    await patience();
    leave.abort();
    await asked;
  };

  it.runIf(onPostgres)('is stopped within its statement, over HTTP and WebSocket alike', async () => {
    const under = () => vi.waitFor(async () => expect(await sleeping()).toBe(1), patiently);
    const over = () =>
      vi.waitFor(async () => expect(await sleeping()).toBe(0), { timeout: 900, interval: 10 });
    await begin('{ slow }', under);
    await over();
    const updates = gateway.subscribe('{ slow }', { token });
    const update = updates.next().catch(() => undefined);
    await under();
    await updates.return?.();
    await over();
    await update;
  });
});
