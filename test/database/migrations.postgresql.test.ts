import { createHash } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, readMigrations } from '../../src/database/migrations.js';
import { createPostgres } from '../database.js';

let postgres: Awaited<ReturnType<typeof createPostgres>>;
beforeAll(async () => {
  postgres = await createPostgres();
});
afterAll(() => postgres?.drop());

describe('the migrations at start', () => {
  it('are applied once by replicas that start together', async () => {
    const sql = 'CREATE TABLE one (id INT)';
    const added = { name: '91_one', sql, checksum: createHash('sha256').update(sql).digest('hex') };
    const migrations = [...(await readMigrations()), added];
    const replicas = Array.from({ length: 5 }, () => new Pool({ connectionString: postgres.url, max: 1 }));
    await Promise.all(replicas.map((pool) => migrate(pool, migrations)));
    const { rows } = (await replicas[0]?.query('SELECT 1 FROM _prisma_migrations')) ?? { rows: [] };
    expect(rows).toHaveLength(migrations.length);
    await Promise.all(replicas.map((pool) => pool.end()));
  });

  it('say who may create an extension, where the role of DATABASE_URL may not', async () => {
    const pool = new Pool({ connectionString: postgres.url, max: 1 });
    const role = `tidings_test_${process.pid}`;
    // A role that neither owns the database nor may create anything in it but tables.
    await pool.query(
      `DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE ROLE ${role}; GRANT ALL ON SCHEMA public TO ${role}`,
    );
    try {
      await pool.query(`SET ROLE ${role}`);
      const released = (await readMigrations()).map((migration) => ({
        ...migration,
        sql: migration.sql.replace('CREATE SCHEMA IF NOT EXISTS "public";', ''),
      }));
      await expect(migrate(pool, released)).rejects.toThrow(
        /permission denied to create extension "pg_trgm".* have the database's owner or a superuser run CREATE EXTENSION pg_trgm in it\./,
      );
      await pool.query('RESET ROLE; CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin');
      await pool.query(`SET ROLE ${role}`);
      await migrate(pool, released);
    } finally {
      await pool.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await pool.end();
    }
  });
});
