import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const resolve = createRequire(import.meta.url).resolve;

export default defineConfig({
  // One copy of graphql: vitest would otherwise load its ESM and its CJS build side by side.
  resolve: { alias: { graphql: resolve('graphql') } },
  test: { include: ['test/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 60_000 },
});
