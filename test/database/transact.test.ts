import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asTimeout } from '../../src/database/faults.js';
import { transact } from '../../src/database/transact.js';
import { PrismaClient } from '../../src/generated/prisma/client.js';
import { openTestDatabase, type TestDatabase } from '../database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(() => database.prisma.account.deleteMany());

const newAccount = (id = randomUUID()) => ({ data: { id, name: 'Ada', createdAt: new Date() } });

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('expected a failure'),
    (error: unknown) => error,
  );

/** A statement that fails with this SQLSTATE. */
const raise = (state: string) =>
  transact(database, (tx) =>
    tx.$executeRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION 'secret detail' USING ERRCODE = '${state}'; END $$`),
  );

describe('a transaction', () => {
  it('gives what its work gave, and is committed then', async () => {
    const { data } = newAccount();
    expect((await transact(database, (tx) => tx.account.create({ data }))).id).toBe(data.id);
    expect(await database.prisma.account.count()).toBe(1);
  });

  it('is undone by what its work throws, which comes out as it is', async () => {
    const own = new Error('own');
    const run = transact(database, async (tx) => {
      await tx.account.create(newAccount());
      throw own;
    });
    expect(await failure(run)).toBe(own);
    expect(await database.prisma.account.count()).toBe(0);
  });

  it('costs a BEGIN and a COMMIT beside its own statements', async () => {
    const statements = await database.statementsOf(() => transact(database, (tx) => tx.account.count()));
    expect(statements).toEqual(['BEGIN', expect.stringContaining('SELECT'), 'COMMIT']);
  });

  it('runs at the isolation that it asks for', async () => {
    const level = await transact(
      database,
      async (tx) => tx.$queryRaw`SELECT current_setting('transaction_isolation') AS level`,
      { isolation: 'RepeatableRead' },
    );
    expect(level).toEqual([{ level: 'repeatable read' }]);
  });

  it.each([
    ['55P03', 'a lock that was not free in time'],
    ['57014', 'a statement that took too long'],
    ['40001', 'a change that others made impossible'],
    ['40P01', 'a deadlock'],
  ])('tells %s (%s) as a TIMEOUT that may be tried again, and nothing of the database', async (state) => {
    const error = await failure(raise(state));
    expect(error).toMatchObject({ name: 'DomainError', code: 'TIMEOUT', details: { retry: 'UNCHANGED' } });
    expect(String(error)).toMatch(/again in a moment/);
    expect(String(error)).not.toMatch(/secret|prisma|sql/i);
  });

  it('leaves other faults to the log', async () => {
    expect(await failure(raise('22012'))).not.toMatchObject({ name: 'DomainError' });
  });
});

describe('a fault of the database', () => {
  it('is a TIMEOUT when a transaction takes longer than it may', async () => {
    const run = database.prisma.$transaction(
      async (tx) => {
        for (;;) await tx.account.count();
      },
      { timeout: 20 },
    );
    expect(asTimeout(await failure(run))).toMatchObject({ code: 'TIMEOUT' });
  });

  it.each([
    ['by hand', (client: PrismaClient) => client.$queryRaw`SELECT 1`],
    ['of Prisma', (client: PrismaClient) => client.account.count()],
  ])('is a TIMEOUT when there is no connection for a query %s', async (_name, ask) => {
    const adapter = new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' });
    const client = new PrismaClient({ adapter });
    expect(asTimeout(await failure(ask(client)))).toMatchObject({ code: 'TIMEOUT' });
    await client.$disconnect();
  });

  it.each([
    { kind: 'ConnectionClosed' },
    { kind: 'postgres', originalCode: '57P01', code: '57P01', severity: 'FATAL', message: 'terminating' },
  ] as const)('is a TIMEOUT when a connection is lost where a transaction begins or ends: %o', (cause) => {
    const told = { detail: undefined, column: undefined, hint: undefined, ...cause };
    expect(asTimeout(new DriverAdapterError(told))).toMatchObject({ code: 'TIMEOUT' });
  });

  it('is no TIMEOUT when a row breaks a constraint, whichever way it was written', async () => {
    const { data } = newAccount();
    await database.prisma.account.create({ data });
    const insert = `INSERT INTO account (id, name, created_at) VALUES ('${data.id}', 'Ada', now())`;
    const orphan = { ...newAccount().data, organizationId: randomUUID() };
    const failures = [
      failure(database.prisma.account.create({ data })),
      failure(database.prisma.$executeRawUnsafe(insert)),
      failure(database.pool.query(insert)),
      failure(transact(database, (tx) => tx.account.create({ data }))),
      failure(database.prisma.account.create({ data: orphan })),
    ];
    for (const error of await Promise.all(failures)) {
      expect(error).toBeInstanceOf(Error);
      expect(asTimeout(error)).toBeNull();
    }
  });

  it('is none where the fault is ours', () => {
    for (const error of [new Error('own'), 'text', null, undefined, { code: '55P03' }])
      expect(asTimeout(error)).toBeNull();
  });
});

describe('a connection', () => {
  it('ends every wait by itself', async () => {
    const { rows } = await database.pool.query(`
      SELECT name, setting::int AS milliseconds FROM pg_settings
      WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')`);
    expect(rows).toHaveLength(3);
    for (const { milliseconds } of rows) expect(milliseconds).toBeGreaterThan(0);
  });

  it('reports the statements of Prisma and of the pool alike', async () => {
    const statements = await database.statementsOf(async () => {
      await database.prisma.account.count();
      await database.pool.query('SELECT 1');
      await database.pool.query({ text: 'SELECT 2' });
    });
    expect(statements).toEqual([expect.stringContaining('COUNT'), 'SELECT 1', 'SELECT 2']);
  });
});
