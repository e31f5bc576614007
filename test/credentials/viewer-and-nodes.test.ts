import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, moveAccount } from '../../src/accounts/actions.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
/** Secrets: an admin and a member of one organisation and its runtime, a stranger of another one, someone without any. */
const secrets = { admin: '', member: '', service: '', run: '', stranger: '', loner: '' };
const ids = { admin: '', member: '', stranger: '', loner: '', acme: '', other: '', session: '' };

beforeAll(async () => {
  database = await openTestDatabase();
  graph = graphOver(database);
  const admin = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
  const member = await createAccount(database, { name: 'Mel', organization: 'Acme' });
  const stranger = await createAccount(database, { name: 'Sam', organization: 'Other', role: 'ADMIN' });
  const loner = await createAccount(database, { name: 'Lou' });
  Object.assign(ids, {
    admin: admin.id,
    member: member.id,
    stranger: stranger.id,
    loner: loner.id,
    acme: admin.organizationId,
    other: stranger.organizationId,
  });
  secrets.admin = await graph.token({ kind: 'PERSONAL', accountId: admin.id });
  secrets.member = await graph.token({ kind: 'PERSONAL', accountId: member.id });
  secrets.service = await graph.token({ kind: 'SERVICE', accountId: admin.id });
  secrets.stranger = await graph.token({ kind: 'PERSONAL', accountId: stranger.id });
  secrets.loner = await graph.token({ kind: 'PERSONAL', accountId: loner.id });
  ids.session = await graph.session(secrets.member);
  secrets.run = await graph.token({
    kind: 'RUN',
    sessionId: ids.session,
    scopes: ['conversation:read', 'conversation:read'],
  });
});
afterAll(() => database.close());

type Who = keyof typeof secrets;
const globalId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');

describe('viewer', () => {
  it('shows who asks', async () => {
    const document = `{ viewer {
      account { accountId name organization { name } role }
      organization { organizationId name } role
      credential { kind scopes expiresAt session { sessionId } account { accountId } }
    } }`;
    expect(await graph.read(secrets.admin, document)).toEqual({
      viewer: {
        account: { accountId: ids.admin, name: 'Ada', organization: { name: 'Acme' }, role: 'ADMIN' },
        organization: { organizationId: ids.acme, name: 'Acme' },
        role: 'ADMIN',
        credential: {
          kind: 'PERSONAL',
          scopes: [],
          expiresAt: null,
          session: null,
          account: { accountId: ids.admin },
        },
      },
    });
    expect(await graph.read(secrets.run, document)).toEqual({
      viewer: {
        account: { accountId: ids.member, name: 'Mel', organization: { name: 'Acme' }, role: 'MEMBER' },
        organization: { organizationId: ids.acme, name: 'Acme' },
        role: 'MEMBER',
        // A RUN credential reads no session, not even its own.
        credential: {
          kind: 'RUN',
          scopes: ['conversation:read'],
          expiresAt: null,
          session: null,
          account: { accountId: ids.member },
        },
      },
    });
    expect(await graph.read(secrets.loner, document)).toMatchObject({
      viewer: { account: { organization: null, role: null }, organization: null, role: null },
    });
  });

  it('lists the credentials that it may see, the newest first', async () => {
    const list = async (who: Who) => {
      const { viewer } = await graph.read(
        secrets[who],
        '{ viewer { credentials { totalCount nodes { kind account { name } } } } }',
      );
      return viewer;
    };
    const of = (...kinds: [string, string][]) => ({
      credentials: {
        totalCount: kinds.length,
        nodes: kinds.map(([name, kind]) => ({ kind, account: { name } })),
      },
    });
    const [run, service] = [['Mel', 'RUN'] as [string, string], ['Ada', 'SERVICE'] as [string, string]];
    expect(await list('admin')).toEqual(of(run, service, ['Mel', 'PERSONAL'], ['Ada', 'PERSONAL']));
    expect(await list('member')).toEqual(of(run, ['Mel', 'PERSONAL']));
    expect(await list('service')).toEqual(of(run, service));
    expect(await list('run')).toEqual(of(run));
    expect(await list('stranger')).toEqual(of(['Sam', 'PERSONAL']));
    expect(await list('loner')).toEqual(of(['Lou', 'PERSONAL']));
  });

  it('pages through credentials both ways with right flags', async () => {
    const page = async (args: string) => {
      const { viewer } = await graph.read(
        secrets.admin,
        `{ viewer { credentials(${args}) { edges { cursor node { kind } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } } }`,
      );
      return (viewer as { credentials: { edges: { cursor: string }[]; pageInfo: Record<string, unknown> } })
        .credentials;
    };
    const all = await page('first: 50');
    const first = await page('first: 3');
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const rest = await page(`first: 3, after: "${first.pageInfo.endCursor}"`);
    expect(rest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect([...first.edges, ...rest.edges]).toEqual(all.edges);
    const back = await page(`last: 3, before: "${rest.pageInfo.startCursor}"`);
    expect(back).toEqual(first);
  });
});

describe('node', () => {
  const seen = async (who: Who, type: string, id: string) =>
    (
      await graph.read(secrets[who], 'query($id: ID!) { node(id: $id) { __typename } }', {
        id: globalId(type, id),
      })
    ).node !== null;

  it('shows an Account to itself, to its admins and to its runtimes', async () => {
    const whoSees = async (id: string) => {
      const all = Object.keys(secrets) as Who[];
      const flags = await Promise.all(all.map((who) => seen(who, 'Account', id)));
      return all.filter((_, index) => flags[index]);
    };
    expect(await whoSees(ids.admin)).toEqual(['admin', 'service']);
    expect(await whoSees(ids.member)).toEqual(['admin', 'member', 'service', 'run']);
    expect(await whoSees(ids.stranger)).toEqual(['stranger']);
    expect(await whoSees(ids.loner)).toEqual(['loner']);
  });

  it("shows one's own Organization alone", async () => {
    for (const who of ['admin', 'member', 'service', 'run'] as const) {
      expect(await seen(who, 'Organization', ids.acme)).toBe(true);
      expect(await seen(who, 'Organization', ids.other)).toBe(false);
    }
    expect(await seen('loner', 'Organization', ids.acme)).toBe(false);
  });

  it('shows the credentials that Viewer.credentials lists', async () => {
    const credentials = await database.prisma.credential.findMany();
    for (const who of Object.keys(secrets) as Who[]) {
      const { viewer } = await graph.read(
        secrets[who],
        '{ viewer { credentials { nodes { credentialId } } } }',
      );
      const listed = (viewer as { credentials: { nodes: { credentialId: string }[] } }).credentials.nodes;
      for (const { id } of credentials) {
        expect(await seen(who, 'Credential', id)).toBe(
          listed.some(({ credentialId }) => credentialId === id),
        );
      }
    }
  });

  it('gives null for ids that are malformed, of nothing, or of another type', async () => {
    const odd = ['', 'x', '00000000-0000-4000-8000-000000000000', `${ids.admin}x`, '\u0000'];
    const asked = ['Account', 'Organization', 'Credential', 'Session', 'Nothing', 'Viewer'].flatMap((type) =>
      odd.map((id) => globalId(type, id)),
    );
    const { nodes } = await graph.read(secrets.admin, 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: [...asked, '💥', globalId('Organization', ids.admin)],
    });
    expect(new Set(nodes as unknown[])).toEqual(new Set([null]));
  });

  it('gives back what its own id names', async () => {
    const { viewer } = await graph.read(
      secrets.admin,
      '{ viewer { account { id } organization { id } credential { id } } }',
    );
    const { account, organization, credential } = viewer as Record<string, { id: string }>;
    const asked = [account, organization, credential].map((it) => it?.id);
    const { nodes } = await graph.read(
      secrets.admin,
      'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }',
      {
        ids: asked,
      },
    );
    expect(nodes).toEqual(
      ['Account', 'Organization', 'Credential'].map((__typename, index) => ({
        __typename,
        id: asked[index],
      })),
    );
  });

  it('takes a constant number of statements, however many are asked for', async () => {
    const credentials = await database.prisma.credential.findMany({ orderBy: { number: 'desc' } });
    const count = async (size: number) => {
      const asked = credentials.slice(0, size).map(({ id }) => globalId('Credential', id));
      const statements = await database.statementsOf(() =>
        graph.read(
          secrets.admin,
          'query($ids: [ID!]!) { nodes(ids: $ids) { ... on Credential { account { name organization { name } } session { title } } } }',
          { ids: asked },
        ),
      );
      return statements.length;
    };
    const all = await count(credentials.length);
    expect(await count(credentials.length - 1)).toBe(all);
    expect(all).toBeLessThan(8);
  });
});

describe('a credential whose account moves', () => {
  it("is its new organisation's to list, and no longer its old one's", async () => {
    const mover = await createAccount(database, { name: 'Mo', organization: 'Acme' });
    const secret = await graph.token({ kind: 'PERSONAL', accountId: mover.id });
    const names = async (who: Who) => {
      const { viewer } = await graph.read(
        secrets[who],
        '{ viewer { credentials { nodes { account { name } } } } }',
      );
      return (viewer as { credentials: { nodes: { account: { name: string } }[] } }).credentials.nodes.map(
        ({ account }) => account.name,
      );
    };
    expect(await names('admin')).toContain('Mo');
    await moveAccount(database, { accountId: mover.id, organization: 'Other' });
    expect(await names('admin')).not.toContain('Mo');
    expect(await names('stranger')).toContain('Mo');
    expect(await graph.read(secret, '{ viewer { organization { name } role } }')).toEqual({
      viewer: { organization: { name: 'Other' }, role: 'MEMBER' },
    });
  });
});
