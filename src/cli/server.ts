import { z } from 'zod';
import { SECRET } from '../accounts/secrets.js';
import { readConfig } from '../config.js';
import { type DemoTokens, readTokens } from '../demo/tokens.js';
import { reach, understood } from './answers.js';
import { type Environment, type Given, misfit, type Option, UsageError } from './usage.js';

/** The options that say which server, and as whom. */
export const SERVER_OPTIONS = {
  url: { value: 'URL', about: 'The server; by default the one that the environment describes.' },
  token: {
    value: 'SECRET',
    about: "A SERVICE credential; by default the demo's, from DATA_DIR/tokens.json.",
  },
} as const satisfies Record<string, Option>;

/** Where the server is, without a slash at the end. @throws UsageError */
export function addressOf(given: Given, env: Environment): string {
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

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** The owner of the session; undefined: the credential's account. */
  readonly accountId: string | undefined;
}

export async function findServer(url: string, given: Given, env: Environment): Promise<ServerAddress> {
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
const memberOf = (url: string, { member }: DemoTokens): Promise<string> => accountOf({ url, token: member });

/** Whose a credential is. */
export async function accountOf(access: Access): Promise<string> {
  const answer = z.object({ viewer: z.object({ account: z.object({ accountId: z.string() }) }) });
  const { viewer } = await execute(answer, access, '{ viewer { account { accountId } } }');
  return viewer.account.accountId;
}

export async function createSession(
  server: ServerAddress,
  input: { readonly title: string; readonly sessionId?: string },
) {
  const session = z.object({ sessionId: z.string(), url: z.string() });
  const { createSession } = await execute(
    z.object({ createSession: z.object({ session }) }),
    server,
    'mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { sessionId url } } }',
    { input: { ...input, accountId: server.accountId } },
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
