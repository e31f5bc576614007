import { createHash, randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Client } from 'pg';
import type { Database } from '../src/database/database.js';
import { readMigrations } from '../src/database/migrations.js';
import { openDatabase } from '../src/database/open.js';
import { buildTemplate } from '../src/database/template.js';

/** Which of the two this run is on. */
export const onPostgres = process.env.TEST_DATABASE === 'postgresql';

const server = new URL(process.env.TEST_POSTGRES_URL ?? 'postgresql://127.0.0.1:5432/test');
// As libpq would; pg looks for a variable that containers often lack.
if (server.username === '') server.username = userInfo().username;

export interface TestDatabase extends Database {
  /** PostgreSQL's URL of this database; undefined where it is embedded. For what opens connections of its own. */
  readonly url: string | undefined;
  /** Runs `work` and gives the text of each SQL statement that the database was sent meanwhile, BEGIN and COMMIT included. */
  statementsOf(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** Runs `work` while each statement is first shown to `faultOf`; where that gives an error, the statement fails with it. */
  withFaults<T>(faultOf: FaultOf, work: () => Promise<T>): Promise<T>;
}

type FaultOf = (sql: string) => Error | undefined;

/**
 * An empty, migrated database for one test file: embedded in memory, or a fresh one on PostgreSQL when TEST_DATABASE is `postgresql`. Its
 * close() is the caller's to call, and drops it.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const statements: string[] = [];
  let faultOf: FaultOf | undefined;
  const onStatement = (sql: string) => {
    statements.push(sql);
    const fault = faultOf?.(sql);
    if (fault !== undefined) throw fault;
  };
  const withFaults: TestDatabase['withFaults'] = async (wanted, work) => {
    faultOf = wanted;
    try {
      return await work();
    } finally {
      faultOf = undefined;
    }
  };
  const statementsOf = async (work: () => Promise<unknown>) => {
    const before = statements.length;
    await work();
    return statements.slice(before);
  };
  if (onPostgres) {
    const { url, drop } = await createPostgres();
    const database = await openDatabase({ url, onStatement });
    const close = async () => {
      await database.close();
      await drop();
    };
    return { ...database, url, statementsOf, withFaults, close };
  }
  await buildTemplate();
  return { ...(await openDatabase({ onStatement })), url: undefined, statementsOf, withFaults };
}

/** A copy of the migrated template, so that a file waits for a copy and not for the migrations. */
export async function createPostgres(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `tidings_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await onServer(async (client) => {
    const template = await templateOn(client);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  const drop = () =>
    onServer(async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  return { url: urlOf(name), drop };
}

/** The server keeps one template for the next run; those of other migrations go. */
async function templateOn(client: Client): Promise<string> {
  const migrations = await readMigrations();
  const hash = createHash('sha256').update(migrations.map(({ checksum }) => checksum).join());
  const name = `tidings_template_${hash.digest('hex').slice(0, 16)}`;
  // Test files run side by side: one makes the template, and copies of it are made one after the other.
  await client.query('SELECT pg_advisory_lock(1953064308)');
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname LIKE 'tidings\\_template\\_%'`,
  );
  const names = rows.map((row) => row.name);
  if (names.includes(name)) return name;
  for (const old of names) await client.query(`DROP DATABASE ${old} WITH (FORCE)`);
  const unfinished = `${name}_unfinished`;
  await client.query(`CREATE DATABASE ${unfinished}`);
  await (await openDatabase({ url: urlOf(unfinished), poolSize: 1 })).close();
  await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  return name;
}

/** The advisory lock that `work` may take ends with the connection. */
async function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: server.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
