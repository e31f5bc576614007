import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/summary-reporter.js';

const resolve = createRequire(import.meta.url).resolve;
// The user as the system has it, since USER is not set everywhere.
const postgresUrl =
  process.env.TEST_POSTGRES_URL ?? `postgresql://${userInfo().username}@127.0.0.1:5432/test`;
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`);

/** What opens a database, by itself or through what it imports, runs on both kinds; the rest once. */
const opensDatabase = (file: string, seen = new Set<string>()): boolean => {
  if (file === 'test/database.ts') return true;
  if (!file.startsWith('test/') || seen.has(file)) return false;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)\.js'/g);
  return [...imports].some(([, path = '']) => opensDatabase(join(dirname(file), `${path}.ts`), seen));
};
/** What needs interleaved transactions cannot run on the embedded database, which has one connection. */
const needsPostgres = (file: string) => file.endsWith('.postgresql.test.ts');

const project = (name: string, include: string[], env: Record<string, string>) => ({
  // One copy of graphql: vitest would otherwise load its ESM and its CJS build side by side.
  resolve: { alias: { graphql: resolve('graphql') } },
  // Only what hangs takes so long: a machine that has much else to do is no fault of a test.
  test: { name, include, env, testTimeout: 180_000, hookTimeout: 180_000 },
});

const refusal = await refusalOf(postgresUrl);
if (refusal !== undefined && process.env.CI) {
  throw new Error(`CI runs every test, and those on PostgreSQL cannot run at ${postgresUrl}: ${refusal}.`);
}

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter(postgresUrl, refusal)],
    // What is heavy here is databases and browsers, two cores are the machine to be good on.
    maxWorkers: 2,
    projects: [
      project(
        'embedded',
        tests.filter((file) => !needsPostgres(file)),
        { TEST_DATABASE: 'embedded' },
      ),
      ...(refusal === undefined
        ? [
            project(
              'postgresql',
              tests.filter((file) => needsPostgres(file) || opensDatabase(file)),
              {
                TEST_DATABASE: 'postgresql',
                TEST_POSTGRES_URL: postgresUrl,
              },
            ),
          ]
        : []),
    ],
  },
});

/** Why the tests cannot run on this server: nothing answers, it lets nobody in, or its user may create no databases. */
async function refusalOf(connectionString: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ may: boolean }>(
      'SELECT rolsuper OR rolcreatedb AS may FROM pg_roles WHERE rolname = current_user',
    );
    return rows[0]?.may ? undefined : 'its user may create no databases';
  } catch (error) {
    return error instanceof Error && error.message !== '' ? error.message : 'nothing answered';
  } finally {
    await client.end().catch(() => undefined);
  }
}
