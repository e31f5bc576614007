import { isIP } from 'node:net';
import { z } from 'zod';

/** How this process runs, read once at its start. Sizes are in bytes. */
export interface Config {
  /** NODE_ENV is `production`: what helps development is off unless its own variable says on. */
  readonly production: boolean;
  readonly logLevel: z.output<typeof logLevel>;
  /** 0 means a free one. */
  readonly port: number;
  readonly host: string;
  /** Where clients reach this server, without a slash at the end; undefined: the address that it listens on. */
  readonly publicUrl: string | undefined;
  /** Of pages elsewhere that may ask, each as a browser writes it. */
  readonly origins: readonly string[];
  /** PostgreSQL; undefined: the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Connections to PostgreSQL. */
  readonly databasePool: number;
  readonly dataDir: string;
  /** A Redis as the bus between processes; undefined: PostgreSQL is, where there is one. */
  readonly redisUrl: string | undefined;
  /** A JSON file of titles by tool name. */
  readonly titlesFile: string | undefined;
  /** A JSON file of documents by hash, which alone may run. */
  readonly persistedFile: string | undefined;
  readonly maxBody: number;
  readonly maxFrame: number;
  readonly maxLine: number;
  readonly maxAnswer: number;
  /** Requests of an address; undefined: as many as it likes. */
  readonly rateLimit: RateRule | undefined;
  /** Requests of a SERVICE credential, which do not count for its address. */
  readonly serviceRateLimit: RateRule | undefined;
  /** What one operation may cost, and those of a credential in a minute; undefined: as much as it likes. */
  readonly maxCost: number;
  readonly costBudget: number | undefined;
  /** How long, in ms, an operation, and each update of a subscription, may take. */
  readonly operationTimeoutMs: number;
  /** WebSockets and event streams that may be open. */
  readonly addressStreams: number;
  readonly credentialStreams: number;
  /** Operations at once on a WebSocket, and subscriptions among them. */
  readonly socketOperations: number;
  readonly socketSubscriptions: number;
  /** Who may say in X-Forwarded-For whom it asks for: addresses, networks such as 10.0.0.0/8, or `loopback`. */
  readonly trustedProxies: readonly string[];
  /** How long, in ms, a server that is told to stop says so to whoever comes, and takes to let its streams go. */
  readonly drainMs: number;
  /** After how long, in ms, a raw stream that says nothing is over. */
  readonly silenceMs: number;
  /** Whether queries that were asked before take the short way through the doors. */
  readonly fast: boolean;
  readonly documents: DocumentLimits;
  readonly graphiql: boolean;
  readonly introspection: boolean;
  readonly metrics: boolean;
  /** Errors say what was perhaps meant, which tells of the schema. */
  readonly suggestions: boolean;
  readonly demo: boolean;
}

/** So many within so many seconds; who passes that is blocked for the last. */
export interface RateRule {
  readonly points: number;
  readonly seconds: number;
  readonly blockSeconds: number;
}

/** What a GraphQL document may have at most, before anything is made of it. */
export interface DocumentLimits {
  readonly tokens: number;
  /** Levels of fields inside each other. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  /** Fields with one name in one place. */
  readonly duplicates: number;
  readonly variables: number;
}

/** One variable that could not be read. */
export interface ConfigFault {
  readonly variable: string;
  readonly expected: string;
  readonly got: string;
}

/** Every variable that could not be read, for whoever starts Tidings. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly ConfigFault[]) {
    const lines = faults.map(
      ({ variable, expected, got }) => `  ${variable}: expected ${expected}, got ${got}`,
    );
    super(`Correct these variables and start again:\n${lines.join('\n')}`);
  }
}

const KB = 1024;
const MB = 1024 * KB;
const DAY = 86_400;
/** More than anybody asks, and exact in Redis and JSON. */
const MAX_RATE = 1_000_000_000;

const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  error: 'fatal, error, warn, info, debug, trace or silent',
});

const variables = z.object({
  NODE_ENV: z.string().optional(),
  LOG_LEVEL: logLevel.default('info'),
  PORT: wholeNumber(0, 65_535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: url('http', 'https')
    .transform((value) => value.replace(/\/+$/, ''))
    .optional(),
  TIDINGS_ORIGINS: origins().default([]),
  DATABASE_URL: url('postgresql', 'postgres').optional(),
  TIDINGS_POOL: wholeNumber(1, 1_000).default(10),
  DATA_DIR: z.string().default('.tidings'),
  REDIS_URL: url('redis', 'rediss').optional(),
  TIDINGS_TITLES: z.string().optional(),
  TIDINGS_PERSISTED: z.string().optional(),
  TIDINGS_MAX_BODY: size().default(8 * MB),
  TIDINGS_MAX_FRAME: size().default(4 * MB),
  TIDINGS_MAX_LINE: size().default(4 * MB),
  TIDINGS_MAX_ANSWER: size().default(32 * MB),
  RATE_LIMIT: rate().default({ points: 100, seconds: 60, blockSeconds: 300 }),
  TIDINGS_SERVICE_RATE_LIMIT: rate().default('off'),
  TIDINGS_MAX_COST: wholeNumber(1, MAX_RATE).default(50_000),
  TIDINGS_COST_BUDGET: wholeNumberOrOff(1, MAX_RATE).default('off'),
  TIDINGS_OPERATION_TIMEOUT: wholeNumber(1, 3_600).default(30),
  TIDINGS_ADDRESS_STREAMS: wholeNumber(1, 1_000_000).default(200),
  TIDINGS_CREDENTIAL_STREAMS: wholeNumber(1, 1_000_000).default(200),
  TIDINGS_SOCKET_OPERATIONS: wholeNumber(1, 10_000).default(100),
  TIDINGS_SOCKET_SUBSCRIPTIONS: wholeNumber(1, 10_000).default(100),
  TRUSTED_PROXIES: proxies().default([]),
  TIDINGS_MAX_TOKENS: wholeNumber(100, 100_000).default(10_000),
  TIDINGS_MAX_DEPTH: wholeNumber(5, 100).default(32),
  TIDINGS_MAX_ALIASES: wholeNumber(0, 10_000).default(500),
  TIDINGS_MAX_DIRECTIVES: wholeNumber(0, 10_000).default(200),
  TIDINGS_MAX_DUPLICATES: wholeNumber(1, 300).default(100),
  TIDINGS_MAX_VARIABLES: wholeNumber(0, 2_000).default(200),
  TIDINGS_SILENCE: wholeNumber(1, 86_400).default(120),
  TIDINGS_DRAIN: wholeNumber(0, 5).default(2),
  TIDINGS_FAST: onOrOff().optional(),
  TIDINGS_GRAPHIQL: onOrOff().optional(),
  TIDINGS_INTROSPECTION: onOrOff().optional(),
  TIDINGS_METRICS: onOrOff().optional(),
  TIDINGS_SUGGESTIONS: onOrOff().optional(),
  TIDINGS_DEMO: onOrOff().optional(),
});

/** The name of every variable that is read. */
export const VARIABLES: readonly string[] = Object.keys(variables.shape);

/**
 * The only reader of the environment. A variable that is set to nothing counts as not set.
 * @throws ConfigError with all faults at once.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim() !== ''));
  const result = variables.safeParse(given);
  if (!result.success) throw new ConfigError(result.error.issues.map((issue) => faultOf(issue, given)));
  const values = result.data;
  const production = values.NODE_ENV === 'production';
  return {
    production,
    logLevel: values.LOG_LEVEL,
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL,
    origins: values.TIDINGS_ORIGINS,
    databaseUrl: values.DATABASE_URL,
    databasePool: values.TIDINGS_POOL,
    dataDir: values.DATA_DIR,
    redisUrl: values.REDIS_URL,
    titlesFile: values.TIDINGS_TITLES,
    persistedFile: values.TIDINGS_PERSISTED,
    maxBody: values.TIDINGS_MAX_BODY,
    maxFrame: values.TIDINGS_MAX_FRAME,
    maxLine: values.TIDINGS_MAX_LINE,
    maxAnswer: values.TIDINGS_MAX_ANSWER,
    rateLimit: unlessOff(values.RATE_LIMIT),
    serviceRateLimit: unlessOff(values.TIDINGS_SERVICE_RATE_LIMIT),
    maxCost: values.TIDINGS_MAX_COST,
    costBudget: unlessOff(values.TIDINGS_COST_BUDGET),
    operationTimeoutMs: values.TIDINGS_OPERATION_TIMEOUT * 1_000,
    addressStreams: values.TIDINGS_ADDRESS_STREAMS,
    credentialStreams: values.TIDINGS_CREDENTIAL_STREAMS,
    socketOperations: values.TIDINGS_SOCKET_OPERATIONS,
    socketSubscriptions: values.TIDINGS_SOCKET_SUBSCRIPTIONS,
    trustedProxies: values.TRUSTED_PROXIES,
    drainMs: values.TIDINGS_DRAIN * 1_000,
    silenceMs: values.TIDINGS_SILENCE * 1_000,
    fast: values.TIDINGS_FAST ?? true,
    documents: {
      tokens: values.TIDINGS_MAX_TOKENS,
      depth: values.TIDINGS_MAX_DEPTH,
      aliases: values.TIDINGS_MAX_ALIASES,
      directives: values.TIDINGS_MAX_DIRECTIVES,
      duplicates: values.TIDINGS_MAX_DUPLICATES,
      variables: values.TIDINGS_MAX_VARIABLES,
    },
    graphiql: values.TIDINGS_GRAPHIQL ?? !production,
    introspection: values.TIDINGS_INTROSPECTION ?? !production,
    metrics: values.TIDINGS_METRICS ?? !production,
    suggestions: values.TIDINGS_SUGGESTIONS ?? !production,
    demo: values.TIDINGS_DEMO ?? (!production && values.DATABASE_URL === undefined),
  };
}

function faultOf(issue: z.core.$ZodIssue, env: NodeJS.ProcessEnv): ConfigFault {
  const variable = String(issue.path[0]);
  // A password may be in it.
  const got = /^(DATABASE|REDIS)_URL$/.test(variable) ? 'something else' : JSON.stringify(env[variable]);
  return { variable, expected: issue.message, got };
}

function wholeNumber(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .refine((value) => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max, expected)
    .transform(Number);
}

function wholeNumberOrOff(min: number, max: number) {
  const expected = `off, or a whole number from ${min} to ${max}`;
  return z.union([z.literal('off'), wholeNumber(min, max)], { error: expected });
}

/** Bytes, or `4 MB`: 1 kB is 1,024 bytes. */
function size() {
  const unit: Readonly<Record<string, number>> = { '': 1, kb: KB, mb: MB };
  return z
    .string()
    .transform((value) => {
      const [, count = '', name = ''] = /^(\d+) ?(|kb|mb)$/i.exec(value) ?? [];
      return count === '' ? Number.NaN : Number(count) * (unit[name.toLowerCase()] ?? Number.NaN);
    })
    .refine(
      (bytes) => bytes >= KB && bytes <= 512 * MB,
      'a size from 1 kB to 512 MB, such as 4 MB or 4194304',
    );
}

/** `100/60/300`: so many, within so many seconds, and for how many whoever passes that is blocked. */
function rate() {
  return z.string().transform((value, context): RateRule | 'off' => {
    if (value === 'off') return value;
    const [points = 0, seconds = 0, blockSeconds = DAY + 1] = /^\d+\/\d+\/\d+$/.test(value)
      ? value.split('/').map(Number)
      : [];
    if (points >= 1 && points <= MAX_RATE && seconds >= 1 && seconds <= DAY && blockSeconds <= DAY)
      return { points, seconds, blockSeconds };
    const message = `off, or requests/seconds/seconds blocked such as 100/60/300, the seconds at most ${DAY}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

const unlessOff = <T>(value: T | 'off'): T | undefined => (value === 'off' ? undefined : value);

function proxies() {
  return z
    .string()
    .transform((value) => value.split(/[ ,]+/).filter((proxy) => proxy !== ''))
    .refine(
      (list) => list.every((proxy) => proxy === 'loopback' || isNetwork(proxy)),
      'addresses, networks such as 10.0.0.0/8, or loopback, with commas between them',
    );
}

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function onOrOff() {
  return z.enum(['on', 'off', 'true', 'false', '1', '0'], { error: 'on or off' }).transform((value) => {
    return value === 'on' || value === 'true' || value === '1';
  });
}

function origins() {
  return z
    .string()
    .transform((value) => value.split(',').map((origin) => origin.trim()))
    .refine(
      (all) => all.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'origins with commas between them, such as https://app.example.com,http://localhost:5173',
    );
}

function url(...protocols: readonly string[]) {
  const expected = `a URL that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  return z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.some((protocol) => value.startsWith(`${protocol}://`)),
      expected,
    );
}
