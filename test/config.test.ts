import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, VARIABLES } from '../src/config.js';

const MB = 1024 * 1024;

function faultsOf(env: NodeJS.ProcessEnv) {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  it('needs no variable at all', () => {
    expect(readConfig({})).toEqual({
      production: false,
      logLevel: 'info',
      port: 4000,
      host: '127.0.0.1',
      publicUrl: undefined,
      origins: [],
      databaseUrl: undefined,
      databasePool: 10,
      dataDir: '.tidings',
      redisUrl: undefined,
      titlesFile: undefined,
      persistedFile: undefined,
      maxBody: 8 * MB,
      maxFrame: 4 * MB,
      maxLine: 4 * MB,
      drainMs: 2_000,
      silenceMs: 120_000,
      rateLimit: { points: 100, seconds: 60, blockSeconds: 300 },
      serviceRateLimit: undefined,
      trustedProxies: [],
      maxCost: 50_000,
      costBudget: undefined,
      operationTimeoutMs: 30_000,
      addressStreams: 200,
      credentialStreams: 200,
      socketOperations: 100,
      socketSubscriptions: 100,
      maxAnswer: 32 * MB,
      fast: true,
      documents: {
        tokens: 10_000,
        depth: 32,
        aliases: 500,
        directives: 200,
        duplicates: 100,
        variables: 200,
      },
      graphiql: true,
      introspection: true,
      metrics: true,
      suggestions: true,
      demo: true,
    });
  });

  it('takes every variable', () => {
    const env = {
      NODE_ENV: 'production',
      LOG_LEVEL: 'debug',
      PORT: '0',
      HOST: '::',
      PUBLIC_URL: 'https://tidings.example/base/',
      TIDINGS_ORIGINS: 'https://app.example, http://localhost:5173',
      DATABASE_URL: 'postgresql://me:secret@db/tidings',
      TIDINGS_POOL: '3',
      DATA_DIR: '/data',
      REDIS_URL: 'rediss://:secret@cache:6380/2',
      TIDINGS_TITLES: 'titles.json',
      TIDINGS_PERSISTED: 'persisted.json',
      TIDINGS_MAX_BODY: '1 MB',
      TIDINGS_MAX_FRAME: '2097152',
      TIDINGS_MAX_LINE: '3MB',
      TIDINGS_MAX_ANSWER: '16MB',
      TIDINGS_FAST: 'off',
      TIDINGS_MAX_TOKENS: '2000',
      TIDINGS_MAX_DEPTH: '20',
      TIDINGS_MAX_ALIASES: '0',
      TIDINGS_MAX_DIRECTIVES: '30',
      TIDINGS_MAX_DUPLICATES: '10',
      TIDINGS_MAX_VARIABLES: '40',
      TIDINGS_GRAPHIQL: 'on',
      TIDINGS_INTROSPECTION: 'true',
      TIDINGS_METRICS: 'on',
      RATE_LIMIT: 'off',
      TIDINGS_SERVICE_RATE_LIMIT: '1000/10/0',
      TIDINGS_MAX_COST: '2000',
      TIDINGS_COST_BUDGET: '100000',
      TIDINGS_OPERATION_TIMEOUT: '5',
      TIDINGS_ADDRESS_STREAMS: '20',
      TIDINGS_CREDENTIAL_STREAMS: '10',
      TIDINGS_SOCKET_OPERATIONS: '50',
      TIDINGS_SOCKET_SUBSCRIPTIONS: '5',
      TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::1',
      TIDINGS_SUGGESTIONS: 'on',
      TIDINGS_DRAIN: '5',
      TIDINGS_SILENCE: '30',
      TIDINGS_DEMO: '1',
    };
    expect(Object.keys(env).sort()).toEqual([...VARIABLES].sort());
    expect(readConfig(env)).toEqual({
      production: true,
      logLevel: 'debug',
      port: 0,
      host: '::',
      publicUrl: 'https://tidings.example/base',
      origins: ['https://app.example', 'http://localhost:5173'],
      databaseUrl: 'postgresql://me:secret@db/tidings',
      databasePool: 3,
      dataDir: '/data',
      redisUrl: 'rediss://:secret@cache:6380/2',
      titlesFile: 'titles.json',
      persistedFile: 'persisted.json',
      maxBody: MB,
      maxFrame: 2 * MB,
      maxLine: 3 * MB,
      drainMs: 5_000,
      silenceMs: 30_000,
      rateLimit: undefined,
      serviceRateLimit: { points: 1_000, seconds: 10, blockSeconds: 0 },
      maxCost: 2_000,
      costBudget: 100_000,
      operationTimeoutMs: 5_000,
      addressStreams: 20,
      credentialStreams: 10,
      socketOperations: 50,
      socketSubscriptions: 5,
      trustedProxies: ['loopback', '10.0.0.0/8', '2001:db8::1'],
      maxAnswer: 16 * MB,
      fast: false,
      documents: { tokens: 2_000, depth: 20, aliases: 0, directives: 30, duplicates: 10, variables: 40 },
      graphiql: true,
      introspection: true,
      metrics: true,
      suggestions: true,
      demo: true,
    });
  });

  it('has GraphiQL, introspection, suggestions and the demo off in production', () => {
    expect(readConfig({ NODE_ENV: 'production' })).toMatchObject({
      graphiql: false,
      introspection: false,
      metrics: false,
      suggestions: false,
      demo: false,
    });
  });

  it('makes no demo on PostgreSQL unless told to', () => {
    const DATABASE_URL = 'postgres://db/tidings';
    expect(readConfig({ DATABASE_URL }).demo).toBe(false);
    expect(readConfig({ DATABASE_URL, TIDINGS_DEMO: 'on' }).demo).toBe(true);
  });

  it('takes a variable that is set to nothing for one that is not set', () => {
    expect(readConfig({ PORT: '', DATA_DIR: ' ', TIDINGS_DEMO: '' })).toEqual(readConfig({}));
  });

  it('names every fault at once, with what was expected and what came', () => {
    const faults = faultsOf({
      PORT: '65536',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'tidings.example',
      TIDINGS_POOL: '0',
      TIDINGS_MAX_BODY: '8 GB',
      TIDINGS_GRAPHIQL: 'yes please',
    });
    expect(faults).toEqual([
      { variable: 'LOG_LEVEL', expected: expect.stringContaining('info'), got: '"loud"' },
      { variable: 'PORT', expected: 'a whole number from 0 to 65535', got: '"65536"' },
      { variable: 'PUBLIC_URL', expected: expect.stringContaining('https://'), got: '"tidings.example"' },
      { variable: 'TIDINGS_POOL', expected: 'a whole number from 1 to 1000', got: '"0"' },
      { variable: 'TIDINGS_MAX_BODY', expected: expect.stringContaining('4 MB'), got: '"8 GB"' },
      { variable: 'TIDINGS_GRAPHIQL', expected: 'on or off', got: '"yes please"' },
    ]);
    expect(new ConfigError(faults).message.split('\n')).toHaveLength(7);
  });

  it.each(['-1', '1.5', '4000x', '0x10', '1e3'])('refuses %s as a port', (PORT) => {
    expect(faultsOf({ PORT })).toHaveLength(1);
  });

  it.each([
    ['DATABASE_URL', 'postgresql://'],
    ['REDIS_URL', 'redis://'],
  ])('shows no part of a %s that it refuses', (variable, expected) => {
    const [fault] = faultsOf({ [variable]: 'mysql://me:secret@db/tidings' });
    expect(JSON.stringify(fault)).toContain(expected);
    expect(JSON.stringify(fault)).not.toMatch(/secret|mysql/);
  });
});

describe('.env.example', () => {
  const example = parseEnv(readFileSync(new URL('../.env.example', import.meta.url), 'utf8'));

  it('shows every variable that is read, and no other', () => {
    expect(Object.keys(example).sort()).toEqual([...VARIABLES].sort());
  });

  it('shows the defaults', () => {
    expect(readConfig(example)).toEqual(readConfig({}));
  });
});
