import { listChanges } from '../accounts/access-log.js';
import { createAccount, moveAccount, setPlan, setRole } from '../accounts/actions.js';
import { authenticate } from '../accounts/authenticate.js';
import { announceAccess } from '../accounts/authority.js';
import { listTokens } from '../accounts/token-list.js';
import { type CredentialRow, createToken, revokeToken } from '../accounts/tokens.js';
import type { Database } from '../database/database.js';
import { badUserInput } from '../errors.js';
import type { Bus } from '../live/bus.js';

type Input = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, unknown>>;

type Action = (database: Database, input: never) => Promise<Result>;

/** What an operator may have done, by its command. The actions check their input. */
const CHANGES: Readonly<Record<string, Action>> = {
  'account create': async (database, input) => account(await createAccount(database, input)),
  'account move': async (database, input) => account(await moveAccount(database, input)),
  'account role': async (database, input) => account(await setRole(database, input)),
  'account plan': async (database, input) => {
    await setPlan(database, input);
    return {};
  },
  'token create': async (database, input) => {
    const { credential, secret } = await createToken(database, input);
    return { credentialId: credential.id, secret };
  },
  'token revoke': async (database, input) => token(await revokeToken(database, input)),
};

/** What an operator may ask, which changes nobody's access. */
const QUESTIONS: Readonly<Record<string, Action>> = {
  ping: async () => ({}),
  'credential owner': async (database, { secret }: { readonly secret?: string }) => {
    const { accountId } = await authenticate(database, secret);
    return { accountId };
  },
  'token list': async (database, input) => {
    const { rows, before } = await listTokens(database, input);
    return { credentials: rows.map(token), before };
  },
  audit: async (database, input) => {
    const { rows, before } = await listChanges(database, input);
    const changes = rows.map(({ number, ...change }) => ({ number: Number(number), ...change }));
    return { changes, before };
  },
};

const actionOf = (actions: Readonly<Record<string, Action>>, command: string): Action | undefined =>
  Object.hasOwn(actions, command) ? actions[command] : undefined;

/** `bus` is absent where nobody else is in the process: servers then find out by themselves. */
export interface Means {
  readonly database: Database;
  readonly bus?: Bus;
}

/**
 * Does what an operator asks for, in this process or for another one that asks through the socket.
 * @throws BAD_USER_INPUT, NOT_FOUND.
 */
export async function perform({ database, bus }: Means, command: string, input: Input): Promise<Result> {
  const change = actionOf(CHANGES, command);
  const action = change ?? actionOf(QUESTIONS, command);
  if (action === undefined)
    throw badUserInput(`Expected an operator's command, got ${JSON.stringify(command)}.`);
  const result = await action(database, unchecked(input));
  if (change !== undefined && bus !== undefined) announceAccess(bus);
  return result;
}

/** Each action parses what it is given, so any object may be handed to it. */
const unchecked = (input: Input): never => input as never;

const token = ({ id, number, ...credential }: CredentialRow): Result => ({ credentialId: id, ...credential });

const account = ({ id, name, organizationId, role }: Awaited<ReturnType<typeof createAccount>>): Result => ({
  accountId: id,
  name,
  organizationId,
  role,
});
