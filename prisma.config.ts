import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// Prisma's CLI downloads a schema engine when it is installed and again before most commands, from a host that is no package registry.
// package.json overrides `@prisma/engines` by its sibling that only knows the engine's version, so an install reaches the registry
// alone; what the CLI asks of the package is given here. `generate`, `validate` and `format` run no engine and get none; `migrate` and
// `db` fetch it when they need it, unless PRISMA_SCHEMA_ENGINE_BINARY names one.
interface Engines {
  readonly enginesVersion: string;
  ensureNeededBinariesExist(options: { download: (options: object) => Promise<unknown> }): Promise<void>;
  getEnginesPath(): string;
}

const fromPrisma = createRequire(createRequire(import.meta.url).resolve('prisma/package.json'));
const engines: Engines = fromPrisma('@prisma/engines');
const directory = fileURLToPath(new URL('node_modules/.cache/prisma-engines/', import.meta.url));

// Otherwise each command tells a host of Prisma's that it ran, and asks it for updates.
process.env.CHECKPOINT_DISABLE ??= '1';

engines.getEnginesPath = () => directory;
engines.ensureNeededBinariesExist = async ({ download }) => {
  if (!['migrate', 'db'].includes(process.argv[2] ?? '')) return;
  mkdirSync(directory, { recursive: true });
  await download({
    binaries: { 'schema-engine': directory },
    version: engines.enginesVersion,
    showProgress: true,
    failSilent: false,
  });
};

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/none' },
});
