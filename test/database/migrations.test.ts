import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Migration, migrate, readMigrations } from '../../src/database/migrations.js';
import { openTestDatabase, type TestDatabase } from '../database.js';

let database: TestDatabase;
let released: readonly Migration[];

beforeAll(async () => {
  database = await openTestDatabase();
  released = await readMigrations();
});
afterAll(() => database?.close());
beforeEach(async () => {
  await database.pool.query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '9%'`);
  await database.pool.query('DROP TABLE IF EXISTS one, two');
});

const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
});
const one = migration('91_one', 'CREATE TABLE one (id INT)');
const broken = migration('92_two', 'CREATE TABLE two (id INT); SELECT 1 / 0');

async function tables(): Promise<readonly string[]> {
  const { rows } = await database.pool.query(
    `SELECT tablename FROM pg_tables WHERE tablename IN ('one', 'two') ORDER BY 1`,
  );
  return rows.map((row) => row.tablename);
}

const history = async () => {
  const { rows } = await database.pool.query(
    'SELECT migration_name, checksum, applied_steps_count FROM _prisma_migrations ORDER BY migration_name',
  );
  return rows;
};

describe('the migrations at start', () => {
  it('are written down as prisma migrate writes them', async () => {
    const { rows } = await database.pool.query('SELECT * FROM _prisma_migrations ORDER BY migration_name');
    expect(rows).toEqual(
      released.map(({ name }) => {
        const file = readFileSync(new URL(`../../prisma/migrations/${name}/migration.sql`, import.meta.url));
        return {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          checksum: createHash('sha256').update(file).digest('hex'),
          finished_at: expect.any(Date),
          migration_name: name,
          logs: null,
          rolled_back_at: null,
          started_at: expect.any(Date),
          applied_steps_count: 1,
        };
      }),
    );
  });

  it('take no lock and change nothing where all are applied', async () => {
    const statements = await database.statementsOf(() => migrate(database.pool, released));
    expect(statements.filter((sql) => /BEGIN|LOCK|INSERT|CREATE/i.test(sql))).toEqual([]);
    expect(statements.length).toBeLessThanOrEqual(2);
  });

  it('keep those before one that fails, and undo all of the one', async () => {
    const run = migrate(database.pool, [...released, one, broken]);
    await expect(run).rejects.toMatchObject({
      name: 'DatabaseStartError',
      message: expect.stringContaining('92_two failed and was undone: division by zero'),
    });
    expect(await tables()).toEqual(['one']);
    expect(await history()).toHaveLength(released.length + 1);
  });

  it('go on where an older version stopped', async () => {
    await migrate(database.pool, [...released, one]);
    await migrate(database.pool, [...released, one, migration('92_two', 'CREATE TABLE two (id INT)')]);
    expect(await tables()).toEqual(['one', 'two']);
  });

  it('refuse a database that a newer version wrote, before they change anything', async () => {
    await migrate(database.pool, [...released, one]);
    const older = [...released, migration('90_other', 'CREATE TABLE two (id INT)')];
    await expect(migrate(database.pool, older)).rejects.toThrow(
      '91_one, which this version of Tidings does not know',
    );
    expect(await tables()).toEqual(['one']);
  });

  it('refuse a file that is not the one that was applied', async () => {
    await migrate(database.pool, [...released, one]);
    const changed = migration(one.name, `${one.sql} -- changed`);
    await expect(migrate(database.pool, [...released, changed])).rejects.toThrow('its checksum differs');
  });

  it('refuse what prisma migrate began and did not finish, until it is marked as rolled back', async () => {
    await database.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('begun', $1, $2)`,
      [one.checksum, one.name],
    );
    await expect(migrate(database.pool, [...released, one])).rejects.toThrow('did not finish');
    await database.pool.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'begun'`);
    await migrate(database.pool, [...released, one]);
    expect(await tables()).toEqual(['one']);
  });
});
