import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/database/engine.js';
import { enginePool } from '../../src/database/engine-pool.js';
import { migrate, readMigrations } from '../../src/database/migrations.js';
import { buildTemplate, readTemplate } from '../../src/database/template.js';

const directory = join(mkdtempSync(join(tmpdir(), 'tidings-template-')), 'dist');
afterAll(() => rmSync(directory, { recursive: true }));

describe('the template of new embedded databases', () => {
  it('is built once for these migrations, and takes the place of older ones', async () => {
    mkdirSync(directory);
    writeFileSync(join(directory, 'template-0123.tar.gz'), 'old');
    writeFileSync(join(directory, 'cli.js'), 'kept');
    const path = await buildTemplate(directory);
    expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([
      join(directory, 'cli.js'),
      path,
    ]);

    const before = readFileSync(path);
    await buildTemplate(directory);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is a whole database with nothing left to migrate', async () => {
    const migrations = await readMigrations();
    const template = await readTemplate(migrations, directory);
    expect(template).not.toBeNull();
    const engine = await startEngine({ directory: null, template, extensions: [] });
    const pool = enginePool(engine);
    const { rows } = await pool.query('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
    expect(rows.map((row) => row.migration_name)).toEqual(migrations.map(({ name }) => name));
    await migrate(pool, migrations);
    await pool.end();
    await engine.close();
  });

  it('is not taken for one of other migrations, nor missed loudly', async () => {
    const migrations = await readMigrations();
    const changed = migrations.map((migration) => ({ ...migration, checksum: 'other' }));
    expect(await readTemplate(changed, directory)).toBeNull();
    expect(await readTemplate(migrations, join(directory, 'nowhere'))).toBeNull();
  });
});
