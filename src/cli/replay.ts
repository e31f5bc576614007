import { open, stat } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../config.js';
import { type DemoTokens, readTokens } from '../demo/tokens.js';
import { Progress } from './progress.js';
import { type Command, CommandError, type Environment, type Given, UsageError } from './usage.js';

export const REPLAY: Command = {
  name: 'replay',
  operand: 'FILE',
  about: 'Stream a recording of an agent into a new session of a running server, at its own pace.',
  options: {
    url: { value: 'URL', about: 'The server; by default the one that the environment describes.' },
    token: {
      value: 'SECRET',
      about: "A SERVICE credential; by default the demo's, from DATA_DIR/tokens.json.",
    },
    format: { value: 'NAME', about: 'What the recording is; by default it is recognised.' },
    title: { value: 'TEXT', about: "The session's title; by default the file's name." },
    account: {
      value: 'ID',
      about: "The session's owner; by default the demo's member, else the credential's account.",
    },
    pace: { value: 'LINES', about: 'Lines a second; 25 by default.' },
    fast: { about: 'As fast as the server takes it.' },
  },
  run: replay,
};

/** What the server made of a recording. */
interface Answer {
  readonly accepted: number;
  readonly duplicates: number;
  readonly ignored: Readonly<Record<string, number>>;
}

async function replay(given: Given, env: Environment): Promise<number> {
  const file = given.operand ?? '';
  const pace = readPace(given);
  const size = await sizeOf(file);
  const server = await findServer(given, env);
  const session = await createSession(server, given.text('title') ?? file.split('/').at(-1) ?? file);
  console.log(session.url);
  const progress = new Progress();
  const lines = paced(file, pace, (done, line) => progress.show(done / size, `${line} lines`));
  const format = given.text('format');
  const query = format === undefined ? '' : `?format=${encodeURIComponent(format)}`;
  const answer = await upload(`${server.url}/ingest/${session.sessionId}${query}`, server.token, lines);
  progress.end();
  console.log(summary(answer));
  return 0;
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`Expected a recording to replay: ${file} cannot be read (${cause.code}).`);
  });
  if (found.isFile()) return found.size;
  throw new CommandError(`Expected a recording to replay: ${file} is no file.`);
}

interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** The owner of the session; undefined: the credential's account. */
  readonly accountId: string | undefined;
}

async function findServer(given: Given, env: Environment): Promise<ServerAddress> {
  const { publicUrl, host, port, dataDir } = readConfig(env);
  const url = (
    given.text('url') ??
    publicUrl ??
    `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  ).replace(/\/+$/, '');
  const token = given.text('token');
  if (token !== undefined) return { url, token, accountId: given.text('account') };
  const demo = await readTokens(dataDir);
  if (demo === undefined) throw new UsageError(`Expected --token, since ${dataDir} has no tokens.json.`);
  return { url, token: demo.service, accountId: given.text('account') ?? (await memberOf(url, demo)) };
}

/** The demo's member, whose sessions GraphiQL shows. */
async function memberOf(url: string, { member }: DemoTokens): Promise<string> {
  const { viewer } = await execute<{ viewer: { account: { accountId: string } } }>(
    { url, token: member },
    '{ viewer { account { accountId } } }',
  );
  return viewer.account.accountId;
}

async function createSession(
  server: ServerAddress,
  title: string,
): Promise<{ sessionId: string; url: string }> {
  const { createSession } = await execute<{ createSession: { session: { sessionId: string; url: string } } }>(
    server,
    'mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { sessionId url } } }',
    { input: { title, accountId: server.accountId } },
  );
  return createSession.session;
}

/** @throws CommandError with the server's own words. */
async function execute<T>(
  { url, token }: Pick<ServerAddress, 'url' | 'token'>,
  query: string,
  variables: object = {},
): Promise<T> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = JSON.parse(await response.text());
  if (errors !== undefined) throw new CommandError(messageOf(errors));
  return data;
}

const messageOf = (errors: readonly { readonly message: string }[]): string =>
  errors.map(({ message }) => message).join('\n');

/** The file line by line, each in its time; `onLine` hears how many bytes and lines are out. */
async function* paced(
  file: string,
  pace: number,
  onLine: (bytes: number, lines: number) => void,
): AsyncGenerator<string> {
  const handle = await open(file);
  let [bytes, lines] = [0, 0];
  try {
    for await (const line of handle.readLines()) {
      yield `${line}\n`;
      bytes += Buffer.byteLength(line) + 1;
      lines += 1;
      onLine(bytes, lines);
      if (pace !== Number.POSITIVE_INFINITY) await sleep(1_000 / pace);
    }
  } finally {
    await handle.close();
  }
}

/** By node:http, since fetch gives up on an answer that takes minutes to come, as one to a paced upload does. */
async function upload(url: string, token: string, lines: AsyncIterable<string>): Promise<Answer> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const upload = send(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const answered = new Promise<string>((resolve, reject) => {
    upload.once('error', reject).once('response', (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then((chunks) => resolve(chunks.join('')), reject);
    });
  });
  // A server that refuses answers before it has everything; its answer says more than the broken pipe.
  const sent = pipeline(lines, upload).catch(() => undefined);
  const { errors, ...answer } = JSON.parse(await answered);
  if (errors !== undefined) throw new CommandError(messageOf(errors));
  await sent;
  return answer;
}

function readPace(given: Given): number {
  const pace = Number(given.text('pace') ?? 25);
  if (given.flag('fast')) return Number.POSITIVE_INFINITY;
  if (pace > 0 && pace <= 1_000_000) return pace;
  throw new UsageError(`--pace: expected lines a second, got ${given.text('pace')}.`);
}

function summary({ accepted, duplicates, ignored }: Answer): string {
  const left = Object.entries(ignored).map(([kind, count]) => `${count} × ${kind}`);
  const again = duplicates > 0 ? `, ${duplicates} were there already` : '';
  return `${accepted} events${again}${left.length > 0 ? `; ignored: ${left.join(', ')}` : ''}`;
}
