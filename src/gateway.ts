import { readFile } from 'node:fs/promises';
import type { GraphQLSchema } from 'graphql';
import { type Logger, pino } from 'pino';
import { z } from 'zod';
import { authenticate, bearer } from './accounts/authenticate.js';
import { Authority } from './accounts/authority.js';
import { LastUses } from './accounts/last-uses.js';
import type { Operation } from './accounts/operation.js';
import { type Config, ConfigError } from './config.js';
import { backfillConversations } from './conversations/backfill.js';
import { projectConversation } from './conversations/projection.js';
import type { Database } from './database/database.js';
import { openDatabase } from './database/open.js';
import { startDemo } from './demo/demo.js';
import { FollowNotices } from './demo/follow-notices.js';
import { sweepExpired } from './elicitations/expiry.js';
import { DomainError } from './errors.js';
import { registerProjection } from './events/projections.js';
import type { Manifest } from './graphql/persisted-documents.js';
import { startHttp } from './http/server.js';
import { traceFields } from './http/trace.js';
import type { WebSocketTimes } from './http/web-sockets.js';
import { sweepSilent } from './ingest/silence.js';
import { DEFAULT_TITLES, parseTitles, type ToolTitles } from './ingest/titles.js';
import { openLimits } from './limits/limits.js';
import { openBus } from './live/open-bus.js';
import type { RemoteBusTimes } from './live/remote-bus.js';
import { Renderings } from './live/renderings.js';
import { Sweep } from './live/sweep.js';
import { Tails } from './live/tails.js';
import { schema } from './schema.js';

/** What tests put in the place of what the configuration says. */
export interface GatewayParts {
  /** Open and migrated; the gateway closes it. */
  readonly database?: Database;
  readonly log?: Logger;
  readonly schema?: GraphQLSchema;
  readonly webSockets?: WebSocketTimes;
  /** From one event of the demo's agent to the next, in ms. */
  readonly demoPace?: number;
  /** From one look for elicitations, or streams, whose time is over to the next, in ms. */
  readonly sweepPace?: number;
  /** From one re-check of the logs that are followed to the next, in ms. */
  readonly recheckPace?: number;
  readonly bus?: Partial<RemoteBusTimes>;
  /** How long notes of what credentials were last used are gathered, in ms. */
  readonly lastUsePace?: number;
  /** From one look at the credentials of what is open to the next, in ms. */
  readonly authorityPace?: number;
}

/** An expiry is written and announced within two seconds: four looks, since an account that is being written to is passed over. */
const SWEEP_PACE = 500;

/** Of streams that broke off, which have been silent for longer than this. */
const SILENCE_PACE = 2_000;

const LAST_USE_PACE = 1_000;

/** What a credential has open ends a second after it, on every replica. */
const AUTHORITY_PACE = 1_000;

/** A running gateway. */
export interface Gateway {
  /** Where it is reached, without a slash at the end. */
  readonly url: string;
  readonly means: Omit<Operation, 'viewer'>;
  /** What may be told of the tools in raw streams. */
  readonly titles: ToolTitles;
  /** What subscribers were sent, for whoever counts. */
  readonly renderings: Renderings;
  /** A demo workspace is in the database, and its agent at work. */
  readonly hasDemo: boolean;
  /** The bus's listeners, for whoever looks for leaks. */
  readonly listeners: () => number;
  /** How many streams and sockets are watched, likewise. */
  readonly watched: () => number;
  /** Stops taking requests, ends every stream, lets answers finish, closes the database. May be called again. */
  close(): Promise<void>;
}

/**
 * Puts the parts together and opens the doors.
 * @throws ConfigError, DatabaseStartError, and Node's listening error such as EADDRINUSE; nothing is left open then.
 */
export async function startGateway(config: Config, parts: GatewayParts = {}): Promise<Gateway> {
  const log = parts.log ?? pino({ level: config.logLevel, mixin: traceFields });
  const titles = await readTitles(config.titlesFile);
  const persisted = await readManifest(config.persistedFile);
  const database = parts.database ?? (await open(config));
  const onError = (error: unknown, doing: string) =>
    log.warn({ err: error }, `failed, will be tried again: ${doing}`);
  const bus = new FollowNotices(await openBus(config, onError, parts.bus));
  const tails = new Tails({ bus, onError, recheckMs: parts.recheckPace });
  const renderings = new Renderings();
  const means = { database, bus, tails, maxAnswer: config.maxAnswer };
  const lastUses = new LastUses(database, { pace: parts.lastUsePace ?? LAST_USE_PACE, onError });
  const authority = new Authority(database, bus, {
    pace: parts.authorityPace ?? AUTHORITY_PACE,
    onUse: (id) => lastUses.note(id),
    onError,
  });
  const limits = await openLimits(config, onError);
  const closers = [
    () => database.close(),
    () => limits.close(),
    () => bus.close(),
    async () => tails.close(goingDown()),
    () => lastUses.close(),
    async () => authority.close(),
  ];
  // The last that was opened is closed first.
  const close = once(async () => {
    for (const closer of closers.reverse()) await closer();
  });
  try {
    registerProjection(database, projectConversation);
    await backfillConversations(database);
    const demo = config.demo
      ? await startDemo(means, bus, log, { dataDir: config.dataDir, pace: parts.demoPace })
      : undefined;
    if (demo !== undefined) closers.push(() => demo.close());
    // Not before: a database that is being filled is left alone.
    const sweep = (doing: string, round: () => Promise<boolean>, pace: number) => {
      const begun = new Sweep(doing, round, { pace: parts.sweepPace ?? pace, onError });
      closers.push(() => begun.close());
    };
    sweep('expiring elicitations', () => sweepExpired(means), SWEEP_PACE);
    sweep('ending silent streams', () => sweepSilent({ means, titles, onError }), SILENCE_PACE);
    const http = await startHttp(
      {
        config,
        schema: parts.schema ?? schema,
        means,
        authenticate: (authorization) =>
          authenticate(database, bearer(authorization), (id) => lastUses.note(id)),
        authority,
        limits,
        renderings,
        titles,
        persisted,
        publicUrl: config.publicUrl,
        demo: demo?.access,
        log,
      },
      { port: config.port, host: config.host, webSockets: parts.webSockets },
    );
    closers.push(() => http.close());
    return {
      url: http.url,
      means,
      titles,
      renderings,
      hasDemo: demo !== undefined,
      listeners: () => bus.listeners,
      watched: () => authority.size,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const open = ({ databaseUrl, dataDir, databasePool }: Config): Promise<Database> =>
  openDatabase({ url: databaseUrl, directory: dataDir, poolSize: databasePool });

const goingDown = () =>
  new DomainError('SHUTTING_DOWN', 'This server is going down; resume from the last checkpoint.');

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** @throws BAD_USER_INPUT for what is no title map, ConfigError for a file that cannot be read. */
export async function readTitles(file: string | undefined): Promise<ToolTitles> {
  return file === undefined ? DEFAULT_TITLES : parseTitles(await readNamed('TIDINGS_TITLES', file));
}

/** @throws ConfigError */
async function readManifest(file: string | undefined): Promise<Manifest | undefined> {
  if (file === undefined) return undefined;
  const documents = manifest.safeParse(parsed(await readNamed('TIDINGS_PERSISTED', file)));
  if (documents.success) return new Map(Object.entries(documents.data));
  const expected = 'a JSON file of documents by hash, such as {"2ef7…": "query Q { viewer { role } }"}';
  throw new ConfigError([
    { variable: 'TIDINGS_PERSISTED', expected, got: `other content in ${JSON.stringify(file)}` },
  ]);
}

const manifest = z.record(z.string(), z.string());

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const readNamed = (variable: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const got = `${JSON.stringify(file)} (${error.code})`;
    throw new ConfigError([{ variable, expected: 'a JSON file that can be read', got }]);
  });
