import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const resolve = createRequire(import.meta.url).resolve;
const postgresUrl = process.env.TEST_POSTGRES_URL ?? 'postgresql://127.0.0.1:5432/test';
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
  test: { name, include, env, testTimeout: 60_000, hookTimeout: 60_000 },
});

const reachable = await isReachable(new URL(postgresUrl));
if (!reachable && process.env.CI)
  throw new Error(`CI needs PostgreSQL at ${postgresUrl}; none answered there.`);

export default defineConfig({
  test: {
    reporters: ['default', './test/summary-reporter.ts'],
    // What is heavy here is databases and browsers, two cores are the machine to be good on.
    maxWorkers: 2,
    projects: [
      project(
        'embedded',
        tests.filter((file) => !needsPostgres(file)),
        { TEST_DATABASE: 'embedded' },
      ),
      ...(reachable
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

function isReachable({ hostname, port }: URL): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect({ host: hostname, port: Number(port || 5432), timeout: 2_000 });
    const settle = (open: boolean) => {
      socket.destroy();
      answer(open);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
