import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from './engine.js';
import { EXTENSIONS, enginePool } from './engine-pool.js';
import { type Migration, migrate, readMigrations } from './migrations.js';

/** `dist/`, the same from src/database and from dist/database. */
const DIRECTORY = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The template of exactly these migrations and this PGlite, or null: then initdb and the migrations do the same, in seconds. */
export async function readTemplate(
  migrations: readonly Migration[],
  directory = DIRECTORY,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(join(directory, templateName(migrations))));
  } catch {
    return null;
  }
}

/**
 * Makes the migrated, empty database that every new embedded one starts as, unless it is there, and removes those of other versions.
 * Returns its path.
 */
export async function buildTemplate(directory = DIRECTORY): Promise<string> {
  const migrations = await readMigrations();
  const name = templateName(migrations);
  const files = await readdir(directory).catch((): string[] => []);
  if (!files.includes(name)) await writeWhole(join(directory, name), await makeTemplate(migrations));
  const outdated = files.filter((file) => /^template-.*\.tar\.gz$/.test(file) && file !== name);
  await Promise.all(outdated.map((file) => rm(join(directory, file), { force: true })));
  return join(directory, name);
}

async function makeTemplate(migrations: readonly Migration[]): Promise<Uint8Array> {
  const engine = await startEngine({ directory: null, template: null, extensions: EXTENSIONS });
  try {
    const pool = enginePool(engine);
    await migrate(pool, migrations);
    await pool.end();
    return await engine.dump();
  } finally {
    await engine.close();
  }
}

/** A reader finds the whole file or none. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  await writeFile(part, bytes);
  await rename(part, path);
}

function templateName(migrations: readonly Migration[]): string {
  const parts = [
    pgliteVersion(),
    ...EXTENSIONS,
    ...migrations.flatMap(({ name, checksum }) => [name, checksum]),
  ];
  return `template-${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)}.tar.gz`;
}

function pgliteVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('Expected a version in the package.json of @electric-sql/pglite.');
}
