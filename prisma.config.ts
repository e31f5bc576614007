import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` need no schema engine, but the CLI downloads one before it looks at the command. Any executable
// satisfies that look; commands that do need the engine (`migrate`) set the variable themselves.
if (['generate', 'validate', 'format'].includes(process.argv[2] ?? '')) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/none' },
});
