import { randomUUID } from 'node:crypto';
import { authenticate } from '../../src/accounts/authenticate.js';
import { revokeToken } from '../../src/accounts/tokens.js';
import { appendEvents } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';
import { EVERY_KIND } from '../events/every-kind.js';
import { startTestGateway } from '../gateway.js';

/** Everybody who may ask, each with a credential of a kind of its own. */
export const PEOPLE = [
  /** Owns the session that all is about, and is asked. */
  'owner',
  /** Of the same organisation, a member. */
  'colleague',
  'admin',
  'service',
  /** A run in the owner's session, with both scopes. */
  'run',
  /** A run in the owner's session, without any. */
  'blindRun',
  /** A run in the colleague's session, with both scopes. */
  'otherRun',
  /** An admin of another organisation, and its runtime. */
  'stranger',
  'strangerService',
  /** Of no organisation. */
  'loner',
] as const;
export type Person = (typeof PEOPLE)[number];

/** Credentials that are none, or none any more, of the owner's. */
export const NOBODIES = ['none', 'unknown', 'malformed', 'expired', 'revoked'] as const;

/** What makes the started activity a tool call that the agent's own conversation has. */
const SETTLED: EventInput = {
  kind: 'activity',
  eventId: 'settled',
  activityId: 'a1',
  status: 'COMPLETED',
  title: 'Searching',
};

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A session with an event of every kind, and all that comes with it: a conversation, sources, files, elicitations. */
export async function openWorld() {
  const gateway = await startTestGateway();
  const organization = gateway.createOrganization('Acme');
  const admin = await organization.createAccount({ name: 'Ada', role: 'ADMIN' });
  const owner = await organization.createAccount({ name: 'Mel' });
  const colleague = await organization.createAccount({ name: 'Cy' });
  const stranger = await gateway.createOrganization('Other').createAccount({ name: 'Sam', role: 'ADMIN' });
  const loner = await gateway.createAccount('Lou');
  const session = await owner.createSession({ title: 'Private session' });
  const otherSession = await colleague.createSession();
  const scopes = ['conversation:read', 'elicitations:read'] as const;
  const tokens: Readonly<Record<Person, string>> = {
    owner: await owner.createToken({ name: 'laptop' }),
    colleague: await colleague.createToken(),
    admin: await admin.createToken(),
    service: await admin.createToken({ kind: 'SERVICE' }),
    run: await session.createToken({ scopes: [...scopes] }),
    blindRun: await session.createToken(),
    otherRun: await otherSession.createToken({ scopes: [...scopes] }),
    stranger: await stranger.createToken(),
    strangerService: await stranger.createToken({ kind: 'SERVICE' }),
    loner: await loner.createToken(),
  };
  const viewer = await authenticate(gateway.database, tokens.service);
  await appendEvents({ ...gateway.means, viewer }, session.sessionId, [...EVERY_KIND, SETTLED]);

  const dead = async (ttlSeconds?: number) => {
    const secret = await owner.createToken({ ...(ttlSeconds && { ttlSeconds }) });
    return { secret, id: (await authenticate(gateway.database, secret)).credentialId };
  };
  const [revoked, expired] = [await dead(), await dead(60)];
  await revokeToken(gateway.database, { credentialId: revoked.id });
  await gateway.database.prisma.$executeRaw`
    UPDATE credential SET expires_at = clock_timestamp() WHERE id = ${expired.id}::uuid`;
  const nobodies: Readonly<Record<(typeof NOBODIES)[number], string | undefined>> = {
    none: undefined,
    unknown: `tdg_${'x'.repeat(43)}`,
    malformed: 'tdg_x',
    expired: expired.secret,
    revoked: revoked.secret,
  };

  const mutate = <T>(who: Person, name: string, input: object, selection: string) =>
    gateway
      .execute<Record<string, T>>(
        `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${selection} } }`,
        { token: tokens[who], variables: { input } },
      )
      .then((data) => data[name] as T);

  /** The runtime asks the owner; the id of what it asked. */
  const askOwner = async (input: object = {}): Promise<string> => {
    const { elicitation } = await mutate<{ elicitation: { elicitationId: string } }>(
      'service',
      'requestElicitation',
      { message: 'Private question?', accountId: owner.accountId, ...input },
      'elicitation { elicitationId }',
    );
    return elicitation.elicitationId;
  };

  /** The owner issues a run for its session; its credential's id. */
  const issueRun = async (): Promise<string> => {
    const { credential } = await mutate<{ credential: { credentialId: string } }>(
      'owner',
      'issueCredential',
      { kind: 'RUN', sessionId: session.sessionId, ttlSeconds: 600 },
      'credential { credentialId }',
    );
    return credential.credentialId;
  };

  const key = `key-${randomUUID()}`;
  return {
    ...gateway,
    tokens,
    nobodies,
    viewers: {
      run: await authenticate(gateway.database, tokens.run),
      owner: await authenticate(gateway.database, tokens.owner),
    },
    accounts: { owner, colleague, admin, stranger, loner },
    organizationId: owner.organizationId ?? '',
    sessionId: session.sessionId,
    otherSessionId: otherSession.sessionId,
    /** Asked of the owner by the runtime, under a key of the runtime's. */
    elicitationId: await askOwner({ idempotencyKey: key }),
    key,
    askOwner,
    issueRun,
    mutate,
  };
}

/** Global ids of one of each type that has them, by its name; what the schema has besides fails the test. */
export async function globalIds(world: World): Promise<ReadonlyMap<string, string>> {
  interface Nodes {
    readonly nodes: readonly { readonly __typename: string; readonly id: string }[];
  }
  const { session } = await world.execute<{ session: Record<string, Nodes> & { id: string } }>(
    `query ($id: ID!) { session(sessionId: $id) {
      id events(first: 100) { nodes { __typename ... on Node { id } } }
      citedSources { nodes { __typename id } } artifacts { nodes { __typename id } }
      deliveredOutputs { nodes { __typename id } } elicitations { nodes { __typename id } }
    } }`,
    { token: world.tokens.owner, variables: { id: world.sessionId } },
  );
  const { conversation } = await world.execute<{
    conversation: { __typename: string; id: string; entries: Nodes };
  }>(
    `{ conversation { __typename id entries(first: 100, types: [MESSAGE, TOOL_CALL, ARTIFACT]) {
      nodes { __typename ... on Node { id } } } } }`,
    { token: world.tokens.run },
  );
  const lists = ['events', 'citedSources', 'artifacts', 'deliveredOutputs'].flatMap(
    (list) => session[list]?.nodes ?? [],
  );
  const encode = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');
  return new Map([
    ...[...lists, conversation, ...conversation.entries.nodes].map(
      ({ __typename, id }) => [__typename, id] as const,
    ),
    ['Session', session.id],
    ['Elicitation', encode('Elicitation', world.elicitationId)],
    ['Account', encode('Account', world.accounts.owner.accountId)],
    ['Organization', encode('Organization', world.organizationId)],
    ['Credential', encode('Credential', world.viewers.run.credentialId)],
  ]);
}
