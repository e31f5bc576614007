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
});
