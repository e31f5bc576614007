import { expect } from 'vitest';
import { type Reply, startTestGateway, type TestGatewayOptions } from '../gateway.js';

export type Room = Awaited<ReturnType<typeof openRoom>>;
export type Who =
  | 'admin'
  | 'member'
  | 'colleague'
  | 'service'
  | 'run'
  | 'blindRun'
  | 'stranger'
  | 'strangerService'
  | 'loner'
  | 'lonerService'
  | 'lonerRun';

/** What tests look at of an elicitation, without its bodies. */
export interface Shown {
  readonly elicitationId: string;
  readonly status: string;
  readonly decision: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  readonly expiresAt: string | null;
  readonly consumedAt: string | null;
  readonly canceledAt: string | null;
  readonly account: { readonly accountId: string };
  readonly decidedBy: { readonly accountId: string } | null;
}

export const SHOWN = `elicitationId status decision reason createdAt decidedAt expiresAt consumedAt canceledAt
  account { accountId } decidedBy { accountId }`;

export interface Refusal {
  readonly code: unknown;
  readonly message: string;
  readonly [extension: string]: unknown;
}

/**
 * A gateway with everybody who has to do with elicitations: of one organisation an admin, a member, another member, a runtime and two runs in the
 * member's session, `run` with `elicitations:read` and `blindRun` without; a stranger who is admin of another organisation; and a loner
 * without any, with a runtime and a run. Each by the secret of a credential.
 */
export async function openRoom(options: TestGatewayOptions = {}) {
  const gateway = await startTestGateway(options);
  const organization = gateway.createOrganization();
  const other = gateway.createOrganization();
  const accounts = {
    admin: await organization.createAccount({ name: 'Ada', role: 'ADMIN' }),
    member: await organization.createAccount({ name: 'Mel' }),
    colleague: await organization.createAccount({ name: 'Cy' }),
    stranger: await other.createAccount({ name: 'Sam', role: 'ADMIN' }),
    loner: await gateway.createAccount('Lou'),
  };
  const sessions = {
    member: await accounts.member.createSession(),
    colleague: await accounts.colleague.createSession(),
    stranger: await accounts.stranger.createSession(),
    loner: await accounts.loner.createSession(),
  };
  const scopes = ['elicitations:read' as const];
  const tokens: Readonly<Record<Who, string>> = {
    admin: await accounts.admin.createToken(),
    member: await accounts.member.createToken(),
    colleague: await accounts.colleague.createToken(),
    service: await accounts.admin.createToken({ kind: 'SERVICE', name: 'runtime' }),
    run: await sessions.member.createToken({ scopes, name: 'agent' }),
    blindRun: await sessions.member.createToken(),
    stranger: await accounts.stranger.createToken(),
    strangerService: await accounts.stranger.createToken({ kind: 'SERVICE' }),
    loner: await accounts.loner.createToken(),
    lonerService: await accounts.loner.createToken({ kind: 'SERVICE' }),
    lonerRun: await sessions.loner.createToken({ scopes }),
  };

  const send = (who: Who, name: string, input: object, shown = SHOWN) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const document = `mutation ($input: ${type}!) { ${name}(input: $input) { elicitation { ${shown} } } }`;
    return gateway.request<Record<string, { elicitation: Shown } | null>>(document, {
      token: tokens[who],
      variables: { input },
    });
  };

  /** Runs a mutation that must work; the elicitation after it. */
  const change = async (who: Who, name: string, input: object, shown?: string): Promise<Shown> => {
    const { body } = await send(who, name, input, shown);
    expect(body.errors).toBeUndefined();
    return present(body.data?.[name]).elicitation;
  };

  return {
    ...gateway,
    organization,
    other,
    accounts,
    sessions,
    tokens,
    change,
    send,

    /** The one refusal of a mutation that must not work. */
    refuse: async (who: Who, name: string, input: object): Promise<Refusal> =>
      refusalOf((await send(who, name, input)).body),

    /** Asks something; the admin's runtime asks the member unless it is said otherwise. */
    ask: (input: object = {}, who: Who = 'service') =>
      change(who, 'requestElicitation', {
        message: 'Deploy to prod?',
        ...(who === 'service' && { accountId: accounts.member.accountId }),
        ...input,
      }),

    /** One read by its id, or by whatever the arguments say. */
    read: async <T = Shown>(
      who: Who,
      args: { elicitationId?: string; idempotencyKey?: string },
      shown = SHOWN,
    ) => {
      const { body } = await gateway.request<{ elicitation: T | null }>(
        `query ($elicitationId: ID, $idempotencyKey: String) {
          elicitation(elicitationId: $elicitationId, idempotencyKey: $idempotencyKey) { ${shown} } }`,
        { token: tokens[who], variables: args },
      );
      return { elicitation: body.data?.elicitation ?? null, errors: (body.errors ?? []).map(toRefusal) };
    },

    /** An elicitation's audit trail. */
    trail: async (elicitationId: string) => {
      const rows = await gateway.database.prisma.elicitationTransition.findMany({
        where: { elicitationId },
        orderBy: { number: 'asc' },
      });
      return rows.map(({ from, to }) => `${from ?? ''}>${to}`);
    },

    /** Puts the end of an elicitation's time into the past, a millisecond after it was asked. */
    overdue: async (elicitationId: string): Promise<Date> => {
      const [row] = await gateway.database.prisma.$queryRaw<{ at: Date }[]>`
        UPDATE elicitation SET expires_at = created_at + interval '1 millisecond'
        WHERE id = ${elicitationId}::uuid RETURNING expires_at AS at`;
      return present(row).at;
    },
  };
}

/** What must be there. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Expected a value, got none.');
  return value;
}

function refusalOf(body: Reply<unknown>['body']): Refusal {
  expect(body.errors).toHaveLength(1);
  return toRefusal(present(body.errors?.[0]));
}

const toRefusal = ({
  message,
  extensions,
}: {
  message: string;
  extensions: Readonly<Record<string, unknown>>;
}) => ({
  code: extensions.code,
  message,
  ...extensions,
});
