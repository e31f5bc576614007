import { resolve } from 'node:path';
import { readConfig } from '../config.js';
import { askServer } from './operator-client.js';
import { type Command, type Environment, type Given, type Option, UsageError } from './usage.js';

const organization: Option = { value: 'NAME', about: 'Its organisation: found by this name, or made.' };
const role: Option = { value: 'ROLE', about: 'ADMIN or MEMBER.' };
const accountId: Option = { value: 'ID', about: 'The account.' };

/** What operators do to accounts and credentials, with the database itself or through the server that holds it. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: 'account create',
    about: 'Make an account. Prints it as JSON; the first of an organisation is its admin.',
    options: { name: { value: 'NAME', about: 'What it is called.' }, organization, role },
    run: (given, env) =>
      print(env, 'account create', { ...need(given, 'name'), ...pick(given, 'organization', 'role') }),
  },
  {
    name: 'account move',
    about: 'Move an account to another organisation, or out of all without one. Its SERVICE credentials end.',
    options: { account: accountId, organization, role },
    run: (given, env) =>
      print(env, 'account move', { ...account(given), ...pick(given, 'organization', 'role') }),
  },
  {
    name: 'account role',
    about: 'Make an account admin or member of its organisation.',
    options: { account: accountId, role },
    run: (given, env) => print(env, 'account role', { ...account(given), ...need(given, 'role') }),
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
];

async function print(env: Environment, command: string, input: object): Promise<number> {
  const result = await execute(env, command, input);
  if (Object.keys(result).length > 0) console.log(JSON.stringify(result, null, 2));
  return 0;
}

async function printSecret(given: Given, env: Environment): Promise<number> {
  const ttl = given.text('ttl');
  const scopes = given.texts('scope');
  const { secret } = await execute(env, 'token create', {
    kind: given.text('kind')?.toUpperCase() ?? 'PERSONAL',
    accountId: given.text('account'),
    sessionId: given.text('session'),
    ...(scopes.length > 0 && { scopes }),
    ...pick(given, 'name'),
    ...(ttl !== undefined && { ttlSeconds: Number(ttl) }),
    expiresAt: given.text('expires'),
  });
  console.log(secret);
  return 0;
}

async function execute(
  env: Environment,
  command: string,
  input: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { databaseUrl, dataDir } = readConfig(env);
  const answered = databaseUrl === undefined ? await askServer(dataDir, command, input) : undefined;
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
    return await perform(database, command, { ...input });
  } finally {
    await database.close();
  }
}

const account = (given: Given) => ({ accountId: need(given, 'account').account });

function plan(given: Given) {
  const access = need(given, 'api-access')['api-access'];
  if (access !== 'on' && access !== 'off')
    throw new UsageError(`--api-access: expected on or off, got ${access}.`);
  return { accountId: given.text('account'), apiAccess: access === 'on' };
}

/** The options that were given, of those named; roles in any case. */
function pick(given: Given, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given.text(name);
      return value === undefined ? [] : [[name, name === 'role' ? value.toUpperCase() : value]];
    }),
  );
}

function need(given: Given, name: string): Record<string, string> {
  const picked = pick(given, name);
  if (picked[name] === undefined) throw new UsageError(`Expected --${name}.`);
  return picked;
}
