import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types the documents of the tests, by the schema as it is committed. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['test/**/*.ts', '!test/generated/**', '!test/bench/peers/**'],
  // Only what is handed to `graphql()`; a comment in front of other documents stays a comment.
  pluckConfig: { gqlMagicComment: 'typed' },
  // None yet is no fault.
  ignoreNoDocuments: true,
  silent: true,
  importExtension: '.js',
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        strictScalars: true,
        scalars: { DateTime: 'string', JSON: 'unknown', SafeInt: 'number' },
      },
    },
  },
};

export default config;
