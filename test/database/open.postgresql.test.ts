import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/open.js';
import { createPostgres, openTestDatabase, type TestDatabase } from '../database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

describe('PostgreSQL', () => {
  it('is opened with as many connections as were asked for, under the name of tidings', async () => {
    const postgres = await createPostgres();
    const small = await openDatabase({ url: postgres.url, poolSize: 2 });
    const work = Array.from({ length: 8 }, () => small.pool.query('SELECT pg_backend_pid() AS pid'));
    const pids = new Set((await Promise.all(work)).map(({ rows }) => rows[0].pid));
    expect(pids.size).toBe(2);
    const { rows } = await small.pool.query(
      'SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database()',
    );
    expect(rows).toEqual([{ application_name: 'tidings' }]);
    await small.close();
    await postgres.drop();
  });

  it('is fresh until an account exists', async () => {
    const { url } = database;
    expect(database).toMatchObject({ kind: 'postgresql', fresh: true });
    await database.prisma.account.create({
      data: { id: '00000000-0000-4000-8000-000000000001', name: 'Ada', createdAt: new Date() },
    });
    const again = await openDatabase({ url });
    expect(again.fresh).toBe(false);
    await again.close();
  });

  it('goes on after the server ended its connections', async () => {
    await database.pool.query('SELECT 1');
    await database.pool
      .query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()')
      .catch(() => undefined);
    await expect.poll(() => database.prisma.account.count().catch(() => -1)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['postgresql://me:secret@127.0.0.1:1/tidings', 'ECONNREFUSED'],
    ['postgresql://me:secret@nowhere.invalid/tidings', 'nowhere.invalid'],
  ])('that does not answer is named with its reason, without the password (%s)', async (url, reason) => {
    const error = await openDatabase({ url }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'DatabaseStartError', message: expect.stringContaining(reason) });
    expect(String(error)).toMatch(/DATABASE_URL does not answer/);
    expect(String(error)).not.toContain('secret');
  });

  it('that refuses is not said to be silent', async () => {
    const missing = new URL(database.url ?? '');
    missing.pathname = '/nowhere';
    const error = await openDatabase({ url: missing.href }).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/DATABASE_URL refuses: .*"nowhere".*createdb/);
  });
});
