import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { defineConfig } from 'vitest/config';
import { redisAnswers } from './test/servers/own-redis.js';
import { PROGRAMS, programPath } from './test/servers/programs.js';
import { type LeftOut, SummaryReporter } from './test/summary-reporter.js';

const resolve = createRequire(import.meta.url).resolve;
// The user as the system has it, since USER is not set everywhere.
const postgresUrl =
  process.env.TEST_POSTGRES_URL ?? `postgresql://${userInfo().username}@127.0.0.1:5432/test`;
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
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
/** What needs a Redis says so, beside what else it needs. */
const needsRedis = (file: string) => file.includes('.redis.');
/** What stops and kills servers starts them itself, once, whatever the other tests run on. */
const needsPrograms = (file: string) => file.endsWith('.servers.test.ts');
const needsNginx = (file: string) => file.includes('.nginx.');

const project = (name: string, include: string[], env: Record<string, string>) => ({
  // One copy of graphql: vitest would otherwise load its ESM and its CJS build side by side.
  resolve: { alias: { graphql: resolve('graphql') } },
  // Only what hangs takes so long: a machine that has much else to do is no fault of a test.
  test: { name, include, env, testTimeout: 180_000, hookTimeout: 180_000 },
});

const postgresRefusal = await refusalOf(postgresUrl);
const redisRefusal = (await redisAnswers(redisUrl)) ? undefined : 'nothing answered';
const hasNginx = programPath('nginx') !== undefined;
const missing = PROGRAMS.filter((name) => programPath(name) === undefined);
const withoutSecret = (url: string) => url.replace(/:[^:@/]*@/, ':…@');
const leftOut: readonly LeftOut[] = [
  ...(postgresRefusal === undefined
    ? []
    : [
        {
          what: 'PostgreSQL',
          why: `${withoutSecret(postgresUrl)}: ${postgresRefusal}`,
          variable: 'TEST_POSTGRES_URL=postgresql://user@host:5432/database',
        },
      ]),
  ...(redisRefusal === undefined
    ? []
    : [
        {
          what: 'Redis',
          why: `${withoutSecret(redisUrl)}: ${redisRefusal}`,
          variable: 'TEST_REDIS_URL=redis://host:6379',
        },
      ]),
  ...(missing.length === 0
    ? []
    : [{ what: 'servers of their own', why: `not installed: ${missing.join(', ')}` }]),
  ...(hasNginx ? [] : [{ what: 'nginx', why: 'not installed' }]),
];
if (leftOut.length > 0 && process.env.CI) {
  const reasons = leftOut.map(({ what, why }) => `those on ${what} cannot run (${why})`);
  throw new Error(`CI runs every test, and ${reasons.join(', ')}.`);
}
const runs = tests.filter(
  (file) =>
    !(needsRedis(file) && redisRefusal !== undefined) &&
    !(needsPrograms(file) && missing.length > 0) &&
    !(needsNginx(file) && !hasNginx),
);

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter(leftOut)],
    // What is heavy here is databases and browsers, two cores are the machine to be good on.
    maxWorkers: 2,
    projects: [
      project(
        'embedded',
        runs.filter((file) => !needsPostgres(file)),
        { TEST_DATABASE: 'embedded', TEST_REDIS_URL: redisUrl },
      ),
      ...(postgresRefusal === undefined
        ? [
            project(
              'postgresql',
              runs.filter((file) => needsPostgres(file) || (opensDatabase(file) && !needsPrograms(file))),
              {
                TEST_DATABASE: 'postgresql',
                TEST_POSTGRES_URL: postgresUrl,
                TEST_REDIS_URL: redisUrl,
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
