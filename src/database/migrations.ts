import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Pool, PoolClient } from 'pg';
import { DatabaseStartError } from './faults.js';

/** The same from src/database and from dist/database. */
const DIRECTORY = new URL('../../prisma/migrations/', import.meta.url);

/** The key of `prisma migrate`: whichever of the two comes first, the other waits. */
const ADVISORY_LOCK = 72_707_369;

/** Milliseconds to wait for another process that migrates. */
const LOCK_TIMEOUT = 120_000;

/** As `prisma migrate` makes it, so that either may go on where the other stopped. */
const HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, as `prisma migrate` writes it down. */
  readonly checksum: string;
}

/** All migrations of this version, in the order in which they apply. */
export async function readMigrations(directory: URL = DIRECTORY): Promise<readonly Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(new URL(`${name}/migration.sql`, directory), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings the database to this version: each missing migration in a transaction of its own, one process at a time.
 * @throws DatabaseStartError when an applied migration is unknown here (the database is newer), has changed since, or failed; nothing
 * is applied then.
 */
export async function migrate(pool: Pool, migrations: readonly Migration[]): Promise<void> {
  const client = await pool.connect();
  try {
    // Most starts find nothing to do, and then wait for nobody.
    while (next(migrations, await history(client)) !== undefined) await applyNext(client, migrations);
  } finally {
    client.release();
  }
}

async function applyNext(client: PoolClient, migrations: readonly Migration[]): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}; SET LOCAL statement_timeout = 0`);
    await client.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    await client.query(HISTORY);
    // Read again: while we waited for the lock, another process may have applied it.
    const migration = next(migrations, await history(client));
    if (migration !== undefined) await apply(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseStartError(
      `The migration ${migration.name} failed and was undone: ${reason}. ${adviceFor(reason)}`,
      { cause },
    );
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
     VALUES ($1, $2, clock_timestamp(), $3, now(), 1)`,
    [randomUUID(), migration.checksum, migration.name],
  );
}

/** PostgreSQL names an extension that may not be created, or that the server does not have, in quotes. */
function adviceFor(reason: string): string {
  const [, extension] = /extension "(\w+)"/.exec(reason) ?? [];
  return extension === undefined
    ? 'Expected an empty database, or one that Tidings made.'
    : `Install PostgreSQL's contrib modules if they are missing, and have the database's owner or a superuser run CREATE EXTENSION ${extension} in it.`;
}

interface Applied {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

async function history(client: PoolClient): Promise<readonly Applied[]> {
  const { rows: found } = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [];
  const { rows } = await client.query<Applied>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows;
}

/** The first migration that the database lacks, after a look at those that it has. */
function next(migrations: readonly Migration[], applied: readonly Applied[]): Migration | undefined {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum, finished } of applied) {
    const migration = known.get(name);
    if (migration === undefined) throw newerDatabase(name);
    if (!finished) throw failedMigration(name);
    if (migration.checksum !== checksum) throw changedMigration(name);
  }
  const names = new Set(applied.map(({ name }) => name));
  return migrations.find(({ name }) => !names.has(name));
}

const newerDatabase = (name: string) =>
  new DatabaseStartError(
    `The database has the migration ${name}, which this version of Tidings does not know: a newer version wrote it. ` +
      'Start that version, or restore a backup from before it.',
  );

const changedMigration = (name: string) =>
  new DatabaseStartError(
    `The migration ${name} is not the one that was applied to this database: its checksum differs. ` +
      'Restore the file as it was released; a change to the schema is a new migration.',
  );

const failedMigration = (name: string) =>
  new DatabaseStartError(
    `The migration ${name} began on this database and did not finish. ` +
      'Repair what it left, then mark it with "prisma migrate resolve", and start again.',
  );
