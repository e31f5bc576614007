import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { readConfig } from '../config.js';
import { withSocketPath } from '../database/socket-path.js';
import { readTokens } from '../demo/tokens.js';
import { understood } from './answers.js';
import { askServer, hasServer, SOCKET } from './operator-client.js';
import { accountOf, addressOf, createSession, findServer } from './server.js';
import { type Ask, answerOf, askOver } from './uploads.js';
import { type Environment, type Given, UsageError } from './usage.js';

/** Where an import goes. */
export interface ImportTarget {
  /** Its name in errors. */
  readonly name: string;
  /** Who is to own the sessions. */
  readonly accountId: string;
  readonly ask: Ask;
  /** Makes the session, or finds it. */
  createSession(input: { readonly sessionId: string; readonly title: string }): Promise<unknown>;
}

type Use<T> = (target: ImportTarget) => Promise<T>;

/** Over HTTP where a server or a credential is named; else as the operator of the database, with it or through the server that holds it. */
export const withTarget = <T>(given: Given, env: Environment, use: Use<T>): Promise<T> =>
  given.text('token') === undefined && given.text('url') === undefined
    ? asOperator(given, env, use)
    : overHttp(given, env, use);

async function overHttp<T>(given: Given, env: Environment, use: Use<T>): Promise<T> {
  const server = await findServer(addressOf(given, env), given, env);
  return use({
    name: server.url,
    accountId: server.accountId ?? (await accountOf(server)),
    ask: askOver(server),
    createSession: (input) => createSession(server, input),
  });
}

async function asOperator<T>(given: Given, env: Environment, use: Use<T>): Promise<T> {
  const { databaseUrl, dataDir } = readConfig(env);
  const owner = await ownerOf(given, dataDir);
  if (databaseUrl === undefined && (await hasServer(dataDir))) return throughSocket(owner, dataDir, use);
  const directory = databaseUrl === undefined ? dataDir : await mkdtemp(join(tmpdir(), 'tidings-import-'));
  try {
    return await withDatabase(env, directory, () => throughSocket(owner, directory, use));
  } finally {
    if (directory !== dataDir) await rm(directory, { recursive: true, force: true });
  }
}

/** Opens the database in this process, and a socket in `directory` as a server does. */
async function withDatabase<T>(env: Environment, directory: string, use: () => Promise<T>): Promise<T> {
  // Loaded only now: asking a server needs none of it.
  const { openOperator } = await import('./operator-database.js');
  const operator = await openOperator(readConfig(env), directory);
  // Elsewhere than where the server was started this is not the database that was meant.
  if (operator.which !== undefined)
    console.error(`No server runs here: this is ${operator.which} in ${resolve(directory)}.`);
  try {
    return await use();
  } finally {
    await operator.close();
  }
}

/** Who is to own the sessions: the id of an account, or a credential of the account's. */
interface Owner {
  readonly accountId?: string | undefined;
  readonly secret?: string | undefined;
}

async function ownerOf(given: Given, dataDir: string): Promise<Owner> {
  const accountId = given.text('account');
  if (accountId !== undefined) return { accountId };
  // The demo's member, whose sessions GraphiQL shows.
  const demo = await readTokens(dataDir);
  if (demo === undefined) throw new UsageError(`Expected --account, since ${dataDir} has no tokens.json.`);
  return { secret: demo.member };
}

function throughSocket<T>({ accountId, secret }: Owner, directory: string, use: Use<T>): Promise<T> {
  return withSocketPath(directory, SOCKET, async (socketPath) => {
    const owner = accountId ?? (await accountBehind(directory, secret));
    const ask: Ask = (method, path, headers = {}) => {
      const separator = path.includes('?') ? '&' : '?';
      const account = encodeURIComponent(owner);
      return request({ socketPath, method, path: `${path}${separator}account=${account}`, headers });
    };
    return use({
      name: directory,
      accountId: owner,
      ask,
      createSession: async (input) => {
        const body = Readable.from([JSON.stringify(input)]);
        return understood(directory, made, await answerOf(directory, ask('POST', '/sessions'), body));
      },
    });
  });
}

const made = z.object({ sessionId: z.string() });

async function accountBehind(directory: string, secret: string | undefined): Promise<string> {
  const answer = await askServer(directory, 'credential owner', { secret });
  return String(answer?.accountId);
}
