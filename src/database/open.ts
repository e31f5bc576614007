import { PrismaPg } from '@prisma/adapter-pg';
import { Client, type Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { cancelOver } from './cancelling.js';
import type { Database } from './database.js';
import { startEmbedded, unfinishedDuring } from './embedded.js';
import { enginePool } from './engine-pool.js';
import { DatabaseStartError } from './faults.js';
import { migrate, readMigrations } from './migrations.js';
import { createPool, type StatementObserver } from './pool.js';

const OLDEST_POSTGRESQL = 15;
const POOL_SIZE = 10;

export interface DatabaseOptions {
  /** A PostgreSQL's URL; without one the database is embedded. */
  readonly url?: string | undefined;
  /** The embedded database's directory; without one it is in memory, and gone when it is closed. */
  readonly directory?: string | undefined;
  /** Connections to PostgreSQL; 10 by default. The embedded database has one. */
  readonly poolSize?: number | undefined;
  /** Told of every statement: for tests that count them. */
  readonly onStatement?: StatementObserver;
}

/**
 * Opens the database, makes it where it is embedded and new, and brings its schema to this version.
 * @throws DatabaseStartError that says what is wrong and what to do: no connection, a directory in use (with the holder's pid), a
 * database of a newer version.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.url === undefined
    ? openEmbedded(options.directory, options.onStatement)
    : openPostgres(options.url, options.poolSize ?? POOL_SIZE, options.onStatement);
}

async function openEmbedded(
  directory: string | undefined,
  onStatement?: StatementObserver,
): Promise<Database> {
  const migrations = await readMigrations();
  const engine = await startEmbedded(directory, migrations);
  const pool = enginePool(engine, onStatement);
  return opened({
    kind: 'embedded',
    pool,
    prepare: () => migrate(pool, migrations),
    fill: (work) => (directory === undefined ? work() : unfinishedDuring(directory, work)),
    stop: () => engine.close(),
  });
}

async function openPostgres(url: string, max: number, onStatement?: StatementObserver): Promise<Database> {
  requireUser(url);
  const migrations = await readMigrations();
  const config = { connectionString: url, application_name: 'tidings', keepAlive: true };
  const pool = createPool({ ...config, max }, { onStatement, cancel: cancelOver(config) });
  return opened({
    kind: 'postgresql',
    pool,
    prepare: async () => {
      await checkServer(pool);
      await migrate(pool, migrations);
    },
    fill: (work) => work(),
    stop: async () => undefined,
  });
}

/** What the two ways to run have each of its own. */
interface Means extends Pick<Database, 'kind' | 'pool' | 'fill'> {
  /** Makes the schema what it should be. */
  prepare(): Promise<void>;
  /** Called when no connection is left. */
  stop(): Promise<void>;
}

async function opened({ kind, pool, prepare, fill, stop }: Means): Promise<Database> {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
  let closing: Promise<void> | undefined;
  const shut = async () => {
    await prisma.$disconnect();
    await pool.end();
    await stop();
  };
  const close = () => {
    closing ??= shut();
    return closing;
  };
  try {
    await prepare();
    // Through Prisma, so that the first request does not pay for loading its query compiler.
    const fresh = (await prisma.account.findFirst({ select: { id: true } })) === null;
    const fillFresh: Database['fill'] = async (work) => {
      if (fresh) await fill(work);
    };
    return { prisma, pool, kind, fresh, fill: fillFresh, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The user that `pg` would name: the URL's, or that of an environment variable, which containers often lack. */
function requireUser(connectionString: string): void {
  if (new Client({ connectionString }).user) return;
  throw new DatabaseStartError(
    'DATABASE_URL: expected a URL that names a user, got one without, and neither PGUSER nor USER says who. ' +
      'Write postgresql://user@host/database.',
  );
}

async function checkServer(pool: Pool): Promise<void> {
  const version = await serverVersion(pool);
  if (version >= OLDEST_POSTGRESQL) return;
  throw new DatabaseStartError(
    `DATABASE_URL leads to PostgreSQL ${version}: expected ${OLDEST_POSTGRESQL} or newer. Update the server, or choose another.`,
  );
}

async function serverVersion(pool: Pool): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    );
    return rows[0]?.version ?? 0;
  } catch (cause) {
    throw new DatabaseStartError(refusal(cause), { cause });
  }
}

/** A server that answers with an SQLSTATE is there, but lets this user or this database not be. */
function refusal(cause: unknown): string {
  const code = cause instanceof Error ? String(Reflect.get(cause, 'code')) : '';
  const reason = cause instanceof Error ? cause.message || code : String(cause);
  return /^[0-9A-Z]{5}$/.test(code)
    ? `The PostgreSQL of DATABASE_URL refuses: ${reason}. Make the role and the database (createuser, createdb), or correct the URL.`
    : `The PostgreSQL of DATABASE_URL does not answer: ${reason}. Start it, or correct the URL.`;
}
