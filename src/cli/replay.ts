import { type FileHandle, open } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SECRET } from '../accounts/secrets.js';
import { readConfig } from '../config.js';
import { type DemoTokens, readTokens } from '../demo/tokens.js';
import { Progress } from './progress.js';
import { type Command, CommandError, type Environment, type Given, misfit, UsageError } from './usage.js';

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
const ingested = z.object({
  accepted: z.number(),
  duplicates: z.number(),
  ignored: z.record(z.string(), z.number()),
});
type Answer = z.output<typeof ingested>;

async function replay(given: Given, env: Environment): Promise<number> {
  const file = given.operand ?? '';
  const pace = readPace(given);
  const address = addressOf(given, env);
  const recording = await openRecording(file);
  try {
    const server = await findServer(address, given, env);
    const session = await createSession(server, given.text('title') ?? file.split('/').at(-1) ?? file);
    console.log(session.url);
    const progress = new Progress();
    const { size } = await recording.stat();
    const lines = paced(recording, pace, (done, line) => progress.show(done / size, `${line} lines`));
    const format = given.text('format');
    const query = format === undefined ? '' : `?format=${encodeURIComponent(format)}`;
    const path = `/ingest/${session.sessionId}${query}`;
    const answer = await upload(server, path, lines).finally(() => progress.end());
    console.log(summary(answer));
    return 0;
  } finally {
    await recording.close();
  }
}

async function openRecording(file: string): Promise<FileHandle> {
  const found = await open(file).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`Expected a recording to replay: ${file} cannot be read (${cause.code}).`);
  });
  if ((await found.stat()).isFile()) return found;
  await found.close();
  throw new CommandError(`Expected a recording to replay: ${file} is no file.`);
}

/** Where the server is, without a slash at the end. @throws UsageError */
function addressOf(given: Given, env: Environment): string {
  const { publicUrl, host, port } = readConfig(env);
  const url = given.text('url') ?? publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw misfit('url', 'one that begins with http:// or https://', url);
  }
  const { username, password } = new URL(url);
  if (username === '' && password === '') return url.replace(/\/+$/, '');
  // Not shown: a password is in it.
  throw new UsageError('--url: expected one without a user, got one with it; --token says who asks.');
}

interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** The owner of the session; undefined: the credential's account. */
  readonly accountId: string | undefined;
}

async function findServer(url: string, given: Given, env: Environment): Promise<ServerAddress> {
  const token = given.text('token');
  if (token !== undefined) return { url, token: checkedToken(token), accountId: given.text('account') };
  const { dataDir } = readConfig(env);
  const demo = await readTokens(dataDir);
  if (demo === undefined) throw new UsageError(`Expected --token, since ${dataDir} has no tokens.json.`);
  return { url, token: demo.service, accountId: given.text('account') ?? (await memberOf(url, demo)) };
}

function checkedToken(token: string): string {
  if (SECRET.test(token)) return token;
  throw new UsageError('--token: expected a credential, which is tdg_ and 43 characters, got other text.');
}

/** The demo's member, whose sessions GraphiQL shows. */
async function memberOf(url: string, { member }: DemoTokens): Promise<string> {
  const answer = z.object({ viewer: z.object({ account: z.object({ accountId: z.string() }) }) });
  const { viewer } = await execute(answer, { url, token: member }, '{ viewer { account { accountId } } }');
  return viewer.account.accountId;
}

async function createSession(server: ServerAddress, title: string) {
  const session = z.object({ sessionId: z.string(), url: z.string() });
  const { createSession } = await execute(
    z.object({ createSession: z.object({ session }) }),
    server,
    'mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { sessionId url } } }',
    { input: { title, accountId: server.accountId } },
  );
  return createSession.session;
}

type Access = Pick<ServerAddress, 'url' | 'token'>;

/** @throws CommandError with the server's own words, or that it was not reached. */
async function execute<T>(
  data: z.ZodType<T>,
  { url, token }: Access,
  query: string,
  variables: object = {},
): Promise<T> {
  const text = await reach(url, async () => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    });
    return response.text();
  });
  return understood(url, z.object({ data }), text).data;
}

async function reach(url: string, ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    throw new CommandError(
      `Expected a running server at ${url}: ${reasonOf(error)}. Start it, or correct --url.`,
    );
  }
}

/** fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.cause === undefined ? error.message || (code ?? error.name) : reasonOf(error.cause);
}

const refusal = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });

/** @throws CommandError with the errors that are in an answer, or that it is none of this API's. */
function understood<T>(url: string, expected: z.ZodType<T>, text: string): T {
  const answer = jsonOf(text);
  const refused = refusal.safeParse(answer);
  if (refused.success) throw new CommandError(refused.data.errors.map(({ message }) => message).join('\n'));
  const read = expected.safeParse(answer);
  if (read.success) return read.data;
  throw new CommandError(`Expected a server of this API at ${url}, got another answer. Correct --url.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The file line by line, each in its time; `onLine` hears how many bytes and lines are out. */
async function* paced(
  recording: FileHandle,
  pace: number,
  onLine: (bytes: number, lines: number) => void,
): AsyncGenerator<string> {
  let [bytes, lines] = [0, 0];
  for await (const line of recording.readLines({ autoClose: false })) {
    yield `${line}\n`;
    bytes += Buffer.byteLength(line) + 1;
    lines += 1;
    onLine(bytes, lines);
    if (pace !== Number.POSITIVE_INFINITY) await sleep(1_000 / pace);
  }
}

/** By node:http, since fetch gives up on an answer that takes minutes to come, as one to a paced upload does. */
async function upload({ url, token }: Access, path: string, lines: AsyncIterable<string>): Promise<Answer> {
  const send = /^https:/i.test(url) ? requestHttps : requestHttp;
  const upload = send(`${url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
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
  const answer = understood(url, ingested, await reach(url, () => answered));
  await sent;
  return answer;
}

function readPace(given: Given): number {
  const pace = Number(given.text('pace') ?? 25);
  if (given.flag('fast')) return Number.POSITIVE_INFINITY;
  if (pace > 0 && pace <= 1_000_000) return pace;
  throw misfit('pace', 'lines a second, more than 0 and at most 1000000', given.text('pace') ?? '');
}

function summary({ accepted, duplicates, ignored }: Answer): string {
  const left = Object.entries(ignored).map(([kind, count]) => `${count} × ${kind}`);
  const again = duplicates > 0 ? `, ${duplicates} were there already` : '';
  return `${accepted} events${again}${left.length > 0 ? `; ignored: ${left.join(', ')}` : ''}`;
}
