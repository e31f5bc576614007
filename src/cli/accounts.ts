import { resolve } from 'node:path';
import { SCOPES } from '../accounts/viewer.js';
import { readConfig } from '../config.js';
import { DomainError } from '../errors.js';
import { CredentialKind, OrganizationRole } from '../generated/prisma/enums.js';
import { parseInstant } from '../instant.js';
import { askServer } from './operator-client.js';
import {
  type Command,
  CommandError,
  type Environment,
  type Given,
  misfit,
  type Option,
  UsageError,
} from './usage.js';

const organization: Option = { value: 'NAME', about: 'Its organisation: found by this name, or made.' };
const role: Option = { value: 'ROLE', about: 'ADMIN or MEMBER.' };
const accountId: Option = { value: 'ID', about: 'The account.' };

const listing = {
  account: { value: 'ID', about: 'Only those of this account.' },
  organization: { value: 'NAME', about: 'Only those of this organisation.' },
  limit: { value: 'COUNT', about: 'How many at most, up to 1000; 100 by default.' },
  before: { value: 'NUMBER', about: 'Where to go on: `before` of the page before.' },
} satisfies Readonly<Record<string, Option>>;

/** What operators do to accounts and credentials, with the database itself or through the server that holds it. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: 'account create',
    about: 'Make an account. Prints it as JSON; the first of an organisation is its admin.',
    options: { name: { value: 'NAME', about: 'What it is called.' }, organization, role },
    run: (given, env) =>
      print(env, 'account create', {
        ...need(given, 'name'),
        ...pick(given, 'organization'),
        role: roleOf(given),
      }),
  },
  {
    name: 'account move',
    about: 'Move an account to another organisation, or out of all without one. Its SERVICE credentials end.',
    options: { account: accountId, organization, role },
    run: (given, env) =>
      print(env, 'account move', { ...account(given), ...pick(given, 'organization'), role: roleOf(given) }),
  },
  {
    name: 'account role',
    about: 'Make an account admin or member of its organisation.',
    options: { account: accountId, role },
    run: (given, env) => {
      need(given, 'role');
      return print(env, 'account role', { ...account(given), role: roleOf(given) });
    },
  },
  {
    name: 'account plan',
    about: 'Give an account or a whole organisation API access, or take it.',
    options: {
      account: accountId,
      organization: { value: 'NAME', about: 'Instead of an account: the organisation.' },
      'api-access': { value: 'on|off', about: 'Whether its requests are answered.' },
    },
    run: (given, env) => print(env, 'account plan', { ...plan(given), ...pick(given, 'organization') }),
  },
  {
    name: 'token create',
    about: 'Issue a credential. Prints its secret, which is nowhere else.',
    options: {
      kind: { value: 'KIND', about: 'PERSONAL (by default), RUN or SERVICE.' },
      account: { value: 'ID', about: 'Whose it is. RUN: left out, its session says so.' },
      session: { value: 'ID', about: 'RUN: the session that it is bound to.' },
      scope: {
        value: 'SCOPE',
        multiple: true,
        about: 'RUN: conversation:read or elicitations:read; may be repeated.',
      },
      name: { value: 'NAME', about: 'What to call it.' },
      ttl: { value: 'SECONDS', about: 'How long it is good for; without it or --expires for ever.' },
      expires: { value: 'INSTANT', about: 'When it ends, such as 2027-01-31T12:00:00Z.' },
    },
    run: printSecret,
  },
  {
    name: 'token list',
    about:
      'List credentials, the one issued last first, as JSON: whose, for what, since and until when. No secrets.',
    options: listing,
    run: (given, env) => print(env, 'token list', page(given)),
  },
  {
    name: 'token revoke',
    about: 'End a credential, and within a second the streams that were opened with it.',
    options: { credential: { value: 'ID', about: 'The credential, as token list shows it.' } },
    run: (given, env) => print(env, 'token revoke', { credentialId: need(given, 'credential').credential }),
  },
  {
    name: 'audit',
    about: 'List changes of credentials, roles and plans, the last first, as JSON: who, what, whose, when.',
    options: listing,
    run: (given, env) => print(env, 'audit', page(given)),
  },
];

/** Which page of a list is asked for; all of it by default, as far as a page goes. */
const page = (given: Given) => ({
  accountId: given.text('account'),
  ...pick(given, 'organization'),
  limit: numberOf(given, 'limit', 1_000),
  before: numberOf(given, 'before', Number.MAX_SAFE_INTEGER),
});

function numberOf(given: Given, option: string, max: number): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= max) return number;
  throw misfit(option, `a whole number from 1 to ${max}`, text);
}

async function print(env: Environment, command: string, input: object): Promise<number> {
  const result = await execute(env, command, input);
  if (Object.keys(result).length > 0) console.log(JSON.stringify(result, null, 2));
  return 0;
}

async function printSecret(given: Given, env: Environment): Promise<number> {
  const scopes = given.texts('scope').map((scope) => oneOf('scope', scope, SCOPES));
  const { secret } = await execute(env, 'token create', {
    kind: oneOf('kind', given.text('kind')?.toUpperCase() ?? 'PERSONAL', Object.values(CredentialKind)),
    accountId: given.text('account'),
    sessionId: given.text('session'),
    ...(scopes.length > 0 && { scopes }),
    ...pick(given, 'name'),
    ...endOf(given),
  });
  console.log(secret);
  return 0;
}

/** When a credential ends, in one of the two ways to say it. */
function endOf(given: Given): { readonly ttlSeconds?: number; readonly expiresAt?: Date } {
  const [ttl, expires] = [given.text('ttl'), given.text('expires')];
  if (ttl !== undefined && expires !== undefined)
    throw new UsageError('Expected --ttl or --expires, got both.');
  if (ttl !== undefined) return { ttlSeconds: secondsOf(ttl) };
  if (expires === undefined) return {};
  const instant = parseInstant(expires);
  if (instant instanceof Date) return { expiresAt: instant };
  throw new UsageError(`--expires: ${instant}, got ${JSON.stringify(expires.slice(0, 100))}.`);
}

function secondsOf(ttl: string): number {
  const seconds = /^\d+$/.test(ttl) ? Number(ttl) : 0;
  if (seconds >= 1 && seconds <= MAX_TTL) return seconds;
  throw misfit('ttl', `a whole number of seconds from 1 to ${MAX_TTL}`, ttl);
}

/** In seconds: what a credential's `ttlSeconds` may be. */
const MAX_TTL = 2 ** 31 - 1;

async function execute(
  env: Environment,
  command: string,
  input: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { databaseUrl, dataDir } = readConfig(env);
  const asked = databaseUrl === undefined ? askServer(dataDir, command, input) : undefined;
  const answered = await asked?.catch(inOptions);
  if (answered !== undefined) return answered;
  // Loaded only now: asking a server needs none of it.
  const { openDatabase } = await import('../database/open.js');
  const { perform } = await import('./operator.js');
  const database = await openDatabase({ url: databaseUrl, directory: dataDir, poolSize: 1 });
  // Elsewhere than where the server was started this is not the database that was meant.
  if (databaseUrl === undefined) {
    const which = database.fresh ? 'a new database, without accounts,' : 'the database';
    console.error(`No server runs here: this is ${which} in ${resolve(dataDir)}.`);
  }
  try {
    return await perform({ database }, command, { ...input }).catch(inOptions);
  } finally {
    await database.close();
  }
}

/** What came as an option under another name than the action has for it. */
const OPTION_OF: Readonly<Record<string, string>> = {
  accountId: 'account',
  sessionId: 'session',
  credentialId: 'credential',
  apiAccess: 'api-access',
  ttlSeconds: 'ttl',
  expiresAt: 'expires',
  scopes: 'scope',
};

/** An action speaks of its input, and here that came as options. */
function inOptions(error: unknown): never {
  if (!(error instanceof DomainError)) throw error;
  throw new CommandError(
    error.message.replace(/\binput\.(\w+)(?:\[\d+\])?/g, (_, name: string) => `--${OPTION_OF[name] ?? name}`),
  );
}

const account = (given: Given) => ({ accountId: need(given, 'account').account });

function plan(given: Given) {
  const access = need(given, 'api-access')['api-access'];
  if (access !== 'on' && access !== 'off') throw misfit('api-access', 'on or off', access ?? '');
  return { accountId: given.text('account'), apiAccess: access === 'on' };
}

/** The role in capitals; undefined where none was given. */
function roleOf(given: Given): OrganizationRole | undefined {
  const role = given.text('role');
  return role === undefined ? undefined : oneOf('role', role.toUpperCase(), Object.values(OrganizationRole));
}

function oneOf<T extends string>(option: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw misfit(option, known.join(' or '), value);
}

/** The options that were given, of those named. */
function pick(given: Given, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given.text(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function need(given: Given, name: string): Record<string, string> {
  const picked = pick(given, name);
  if (picked[name] === undefined) throw new UsageError(`Expected --${name}.`);
  return picked;
}
