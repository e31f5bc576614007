import { pino } from 'pino';
import { expect, vi } from 'vitest';
import type { Viewer } from '../../src/accounts/viewer.js';
import { readConfig } from '../../src/config.js';
import { DomainError } from '../../src/errors.js';
import type { DemoAccess } from '../../src/http/graphiql/page.js';
import type { HttpParts } from '../../src/http/parts.js';
import { startHttp } from '../../src/http/server.js';
import type { WebSocketTimes } from '../../src/http/web-sockets.js';
import { DEFAULT_TITLES } from '../../src/ingest/titles.js';
import { openLimits } from '../../src/limits/limits.js';
import { Renderings } from '../../src/live/renderings.js';
import { answersOfEveryKind, Streams } from './schema.js';

/** The one good credential, and one whose look-up fails. */
export const GOOD = 'Bearer tdg_good';
export const FAILING = 'Bearer tdg_failing';

/** A runtime's. */
export const SERVICE = 'Bearer tdg_service';

const viewer: Viewer = {
  credentialId: 'credential',
  kind: 'PERSONAL',
  accountId: 'account',
  organizationId: null,
  role: null,
  sessionId: null,
  scopes: [],
  expiresAt: null,
};

const service: Viewer = { ...viewer, credentialId: 'service', kind: 'SERVICE' };

export interface DoorsOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly webSockets?: WebSocketTimes;
  readonly demo?: DemoAccess;
  /** Whether the database answers, and the bus works; they do unless told otherwise. */
  readonly ready?: boolean;
  readonly connected?: boolean;
}

export type TestDoors = Awaited<ReturnType<typeof openDoors>>;

/** The HTTP server alone, without a database: one credential, and a schema in which every kind of answer can be had. */
export async function openDoors({
  env = {},
  webSockets,
  demo,
  ready = true,
  connected = true,
}: DoorsOptions = {}) {
  const logged: string[] = [];
  const streams = new Streams();
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
  const config = readConfig({ TIDINGS_DRAIN: '0', RATE_LIMIT: 'off', ...env });
  const limits = await openLimits(config, (error) => log.warn({ err: error }, 'limits'));
  const server = await startHttp(
    {
      config,
      schema: answersOfEveryKind(streams),
      means: meansOf(ready, connected),
      renderings: new Renderings(),
      authenticate,
      authority: {
        viewerOf: async (id) => (id === service.credentialId ? service : viewer),
        watch: () => () => {},
      },
      limits,
      titles: DEFAULT_TITLES,
      demo,
      publicUrl: 'https://tidings.example',
      log,
    },
    { port: 0, host: '127.0.0.1', ...(webSockets && { webSockets }) },
  );
  const { url } = server;
  return {
    url,
    graphql: `${url}/graphql`,
    socket: `${url.replace('http', 'ws')}/graphql`,
    streams,
    /** What was logged, warnings and errors, as JSON lines. */
    logged,
    async close() {
      await server.close();
      await limits.close();
    },

    /** Posts a document with the good credential. */
    async post(query: string, headers: Readonly<Record<string, string>> = {}) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: GOOD, ...headers },
        body: JSON.stringify({ query }),
      });
      return { response, body: await readJson(response) };
    },
  };
}

export interface Body {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

export const readJson = async (response: Response): Promise<Body> => JSON.parse(await response.text());

async function authenticate(authorization: string | undefined): Promise<Viewer> {
  if (authorization === GOOD) return viewer;
  if (authorization === SERVICE) return service;
  if (authorization === FAILING) throw new Error('the database is down, and this is its secret');
  throw new DomainError('UNAUTHENTICATED', 'Expected a credential.');
}

/** The test schema asks nothing of what an operation works with; `/ready` asks the database and the bus one thing each. */
function meansOf(ready: boolean, connected: boolean): HttpParts['means'] {
  const $queryRaw = () => (ready ? Promise.resolve([]) : Promise.reject(new Error('down')));
  return { database: { prisma: { $queryRaw } }, bus: { connected } } as unknown as HttpParts['means'];
}

/** Waits until a number has not changed for a while. */
export async function steady(read: () => number): Promise<void> {
  let [last, same] = [Number.NaN, 0];
  await vi.waitFor(
    () => {
      same = read() === last ? same + 1 : 0;
      last = read();
      expect(same).toBeGreaterThan(5);
    },
    { timeout: 10_000, interval: 50 },
  );
}
