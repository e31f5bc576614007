import { randomUUID } from 'node:crypto';
import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createAccount } from '../src/accounts/actions.js';
import { type CreateTokenInput, createToken } from '../src/accounts/tokens.js';
import { readConfig } from '../src/config.js';
import { type GatewayParts, startGateway } from '../src/gateway.js';
import { openTestDatabase, type TestDatabase } from './database.js';
import type { TypedDocumentString } from './generated/graphql.js';
import { countResources, expectReleased } from './resources.js';

type Variables = Readonly<Record<string, unknown>>;

export interface RequestOptions<V = Variables> {
  readonly variables?: V | undefined;
  readonly token?: string | undefined;
}

/** A document made by `graphql()` of test/generated knows its data and variables; of any other the caller says what comes. */
interface Execute {
  <T, V>(document: TypedDocumentString<T, V>, options: RequestOptions<V>): Promise<T>;
  <T>(document: string, options?: RequestOptions): Promise<T>;
}

interface Subscribe {
  <T, V>(document: TypedDocumentString<T, V>, options: RequestOptions<V>): Updates<T>;
  <T>(document: string, options?: RequestOptions): Updates<T>;
}
type Updates<T> = AsyncIterableIterator<FormattedExecutionResult<T, unknown>>;
type Document<T> = TypedDocumentString<T, never> | string;

export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly data?: T | null;
    readonly errors?: readonly {
      readonly message: string;
      readonly path?: readonly (string | number)[];
      readonly extensions: Readonly<Record<string, unknown>>;
    }[];
  };
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
export type TestOrganization = ReturnType<typeof organizationOf>;
export type TestAccount = Awaited<ReturnType<typeof seedAccount>>;
export type TestSession = Awaited<ReturnType<typeof seedSession>>;

/** Variables of the environment, as their names are in .env.example, and parts to put in the place of the real ones. */
export interface TestGatewayOptions extends GatewayParts {
  readonly env?: Readonly<Record<string, string>>;
  /** Called while the gateway closes, when every door is shut and the database is still open. */
  readonly lastLook?: (database: TestDatabase) => Promise<void>;
}

/**
 * A gateway of its own on a free port, over an empty database of its own: embedded, or on PostgreSQL with TEST_DATABASE=postgresql.
 * Whoever starts it calls `close()`, which fails if anything is left open.
 */
export async function startTestGateway({ env = {}, lastLook, ...parts }: TestGatewayOptions = {}) {
  const resources = countResources();
  const database = await openTestDatabase();
  const config = readConfig({
    PORT: '0',
    TIDINGS_DEMO: 'off',
    // All tests come from one address; whoever tests what is counted says how much.
    RATE_LIMIT: 'off',
    TIDINGS_ADDRESS_STREAMS: '100000',
    TIDINGS_CREDENTIAL_STREAMS: '100000',
    TIDINGS_DRAIN: '0',
    // For the bus; the database is opened here.
    DATABASE_URL: database.url,
    ...env,
  });
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
  const close = async () => {
    await lastLook?.(database);
    await database.close();
  };
  // What is done by the clock would be counted among the statements of a test; whoever tests it sets its pace.
  const byTheClock = { sweepPace: 3_600_000, lastUsePace: 3_600_000, authorityPace: 3_600_000 };
  const gateway = await startGateway(config, {
    database: { ...database, close },
    log,
    ...byTheClock,
    ...parts,
  });
  const { url, means } = gateway;
  const streams = new Set<AsyncIterator<unknown>>();

  /** Posts a document and gives its data; any error fails the test and shows operation, variables and body. */
  const execute: Execute = async <T>(document: Document<T>, options: RequestOptions<unknown> = {}) => {
    const { status, body } = await post<T>(url, document, options);
    if (body.data && body.errors === undefined) return body.data;
    throw new Error(
      [
        `The operation failed with HTTP ${status}.`,
        String(document).trim(),
        `Variables: ${JSON.stringify(options.variables ?? {})}`,
        `Body: ${JSON.stringify(body, null, 2)}`,
        `The log's end: ${logged.slice(-5).join('').replaceAll('\\n', '\n')}`,
      ].join('\n\n'),
    );
  };

  /**
   * Subscribes with the official client over a socket of its own: each result as it came, errors included. An update waits until
   * it is asked for, so a fast server cannot outrun an assertion. Ends with `return()`, or when the gateway is closed.
   */
  const subscribe: Subscribe = <T>(
    document: Document<T>,
    { variables, token }: RequestOptions<unknown> = {},
  ) => {
    const client = createClient({
      url: url.replace('http', 'ws').concat('/graphql'),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    const updates = client.iterate<T>({ query: String(document), variables: Object.assign({}, variables) });
    streams.add(updates);
    return updates;
  };

  return {
    url,
    means,
    /** How many listeners the bus has. */
    listeners: gateway.listeners,
    /** How many streams and sockets are watched for the end of their credential. */
    watched: gateway.watched,
    renderings: gateway.renderings,
    database,
    /** What the gateway has logged, warnings and errors, as JSON lines. */
    logged,

    /** Posts a document and gives the answer as it is. */
    request: <T>(document: string, options: RequestOptions = {}) => post<T>(url, document, options),

    execute,
    subscribe,

    /** How many SQL statements `work` made the database run, BEGIN and COMMIT included. */
    countStatements: async (work: () => Promise<unknown>) => (await database.statementsOf(work)).length,

    /** An organisation, made with its first account. Its accounts make credentials and sessions. */
    createOrganization: (name = `Organisation ${randomUUID()}`) => organizationOf(database, name),

    /** An account without an organisation. */
    createAccount: (name = 'Lone') => seedAccount(database, { name }),

    /** Closes everything, and fails if a tail, a listener, a socket or a timer is left. */
    async close(): Promise<void> {
      await Promise.all([...streams].map((stream) => stream.return?.()));
      await vi.waitFor(() => expect(means.tails.size).toBe(0), { timeout: 10_000 });
      await gateway.close();
      expect([gateway.listeners(), gateway.watched()]).toEqual([0, 0]);
      await expectReleased(resources);
    },
  };
}

async function post<T>(
  url: string,
  document: Document<T>,
  { variables, token }: RequestOptions<unknown>,
): Promise<Reply<T>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query: String(document), variables }),
  });
  const text = await response.text();
  try {
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  } catch {
    throw new Error(`Expected JSON, got HTTP ${response.status}: ${text}`);
  }
}

function organizationOf(database: TestDatabase, name: string) {
  return {
    name,
    /** MEMBER unless `role` says otherwise. */
    createAccount: ({
      name: account = 'Somebody',
      role = 'MEMBER',
    }: {
      name?: string;
      role?: 'ADMIN' | 'MEMBER';
    } = {}) => seedAccount(database, { name: account, organization: name, role }),
  };
}

type TokenOptions = Partial<Omit<CreateTokenInput, 'accountId'>>;

async function seedAccount(database: TestDatabase, input: Parameters<typeof createAccount>[1]) {
  const account = await createAccount(database, input);
  return {
    accountId: account.id,
    organizationId: account.organizationId,
    /** The secret of a new credential: PERSONAL unless `kind` says otherwise. */
    async createToken({ kind = 'PERSONAL', ...token }: TokenOptions = {}): Promise<string> {
      const { secret } = await createToken(database, { kind, accountId: account.id, ...token });
      return secret;
    },
    /** A session of this account's, without events. */
    createSession: (session: { title?: string } = {}) =>
      seedSession(database, { ...session, ownerId: account.id, organizationId: account.organizationId }),
  };
}

interface SessionSeed {
  readonly ownerId: string;
  readonly organizationId: string | null;
  readonly title?: string;
}

async function seedSession(database: TestDatabase, seed: SessionSeed) {
  const now = new Date();
  const session = await database.prisma.session.create({
    data: { id: randomUUID(), ...seed, creationHash: Buffer.alloc(32), createdAt: now, updatedAt: now },
  });
  return {
    sessionId: session.id,
    /** The secret of a new RUN credential for this session. */
    async createToken(token: Omit<TokenOptions, 'kind'> = {}): Promise<string> {
      const { secret } = await createToken(database, {
        kind: 'RUN',
        sessionId: session.id,
        ttlSeconds: 3_600,
        ...token,
      });
      return secret;
    },
  };
}
