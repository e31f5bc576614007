import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, moveAccount } from '../../src/accounts/actions.js';
import { sessionById } from '../../src/sessions/loaders.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
const secrets = { admin: '', member: '', service: '', run: '', stranger: '', loner: '', lonerService: '' };
/** One session of each of them. */
const sessions = { admin: '', member: '', stranger: '', loner: '' };

beforeAll(async () => {
  database = await openTestDatabase();
  graph = graphOver(database);
  const admin = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
  const member = await createAccount(database, { name: 'Mel', organization: 'Acme' });
  const stranger = await createAccount(database, { name: 'Sam', organization: 'Other', role: 'ADMIN' });
  const loner = await createAccount(database, { name: 'Lou' });
  secrets.admin = await graph.token({ kind: 'PERSONAL', accountId: admin.id });
  secrets.member = await graph.token({ kind: 'PERSONAL', accountId: member.id });
  secrets.service = await graph.token({ kind: 'SERVICE', accountId: admin.id });
  secrets.stranger = await graph.token({ kind: 'PERSONAL', accountId: stranger.id });
  secrets.loner = await graph.token({ kind: 'PERSONAL', accountId: loner.id });
  secrets.lonerService = await graph.token({ kind: 'SERVICE', accountId: loner.id });
  for (const who of ['admin', 'member', 'stranger', 'loner'] as const) {
    sessions[who] = await graph.session(secrets[who], `${who}'s`);
  }
  secrets.run = await graph.token({
    kind: 'RUN',
    sessionId: sessions.member,
    scopes: ['conversation:read', 'elicitations:read'],
  });
});
afterAll(() => database.close());

/** Always milliseconds, always UTC. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
type Who = keyof typeof secrets;
const SESSION = 'query($id: ID!) { session(sessionId: $id) { sessionId } }';
const globalId = (id: string) => Buffer.from(`Session:${id}`).toString('base64');

/** What the table of who may do what says of session, sessions and node. */
const VISIBLE: Record<Who, readonly (keyof typeof sessions)[]> = {
  admin: ['member', 'admin'],
  member: ['member'],
  service: ['member', 'admin'],
  run: [],
  stranger: ['stranger'],
  loner: ['loner'],
  lonerService: ['loner'],
};

describe('session', () => {
  it('shows a session with its owner and its address', async () => {
    const data = await graph.read(
      secrets.admin,
      `query($id: ID!) { session(sessionId: $id) {
        sessionId title status createdAt updatedAt url owner { accountId name organization { name } role } } }`,
      { id: sessions.member.toUpperCase() },
    );
    expect(data).toEqual({
      session: {
        sessionId: sessions.member,
        title: "member's",
        status: 'COMPLETED',
        createdAt: expect.stringMatching(INSTANT),
        updatedAt: expect.stringMatching(INSTANT),
        url: `http://tidings.test/sessions/${sessions.member}`,
        owner: { accountId: expect.any(String), name: 'Mel', organization: { name: 'Acme' }, role: 'MEMBER' },
      },
    });
  });

  it('is seen by its owner, admins and runtimes, and by nobody else, by any route', async () => {
    for (const who of Object.keys(secrets) as Who[]) {
      for (const [owner, id] of Object.entries(sessions)) {
        const visible = VISIBLE[who].some((name) => name === owner);
        const { data, errors } = await graph.ask(secrets[who], SESSION, { id });
        expect(data.session).toEqual(visible ? { sessionId: id } : null);
        expect(errors.map(({ code }) => code)).toEqual(visible ? [] : ['NOT_FOUND']);
        const { node } = await graph.read(
          secrets[who],
          'query($id: ID!) { node(id: $id) { ... on Session { sessionId } } }',
          { id: globalId(id) },
        );
        expect(node).toEqual(visible ? { sessionId: id } : null);
        const row = await sessionById(await graph.operationOf(secrets[who])).load(id);
        expect(row?.id ?? null).toBe(visible ? id : null);
      }
    }
  });

  it('answers alike for ids that are foreign, unknown and malformed', async () => {
    const odd = [sessions.stranger, '00000000-0000-4000-8000-000000000000', 'x', '', "'; --", '\u0000'];
    for (const secret of [secrets.member, secrets.run]) {
      const answers = await Promise.all(odd.map((id) => graph.ask(secret, SESSION, { id })));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]?.errors[0]?.code).toBe('NOT_FOUND');
    }
  });

  it('shows an owner in another organisation by name alone, and stays where it was made', async () => {
    const mover = await createAccount(database, { name: 'Mo', organization: 'Acme' });
    const secret = await graph.token({ kind: 'PERSONAL', accountId: mover.id });
    const id = await graph.session(secret);
    await moveAccount(database, { accountId: mover.id, organization: 'Other' });
    const document =
      'query($id: ID!) { session(sessionId: $id) { owner { name organization { name } role } } }';
    expect(await graph.read(secrets.admin, document, { id })).toEqual({
      session: { owner: { name: 'Mo', organization: null, role: null } },
    });
    expect(await graph.read(secret, document, { id })).toEqual({
      session: { owner: { name: 'Mo', organization: { name: 'Other' }, role: 'MEMBER' } },
    });
    expect((await graph.ask(secrets.stranger, document, { id })).errors[0]?.code).toBe('NOT_FOUND');
    await database.prisma.session.delete({ where: { id } });
  });
});

describe('sessions', () => {
  it('lists what the viewer may read, the last created first, each once', async () => {
    for (const who of (Object.keys(secrets) as Who[]).filter((name) => name !== 'run')) {
      const data = await graph.read(secrets[who], '{ sessions { totalCount nodes { sessionId } } }');
      expect(data).toEqual({
        sessions: {
          totalCount: VISIBLE[who].length,
          nodes: VISIBLE[who].map((owner) => ({ sessionId: sessions[owner] })),
        },
      });
    }
  });

  it('is forbidden to RUN credentials', async () => {
    const { data, errors } = await graph.ask(secrets.run, '{ sessions { totalCount } }');
    expect(data).toEqual({ sessions: null });
    expect(errors[0]?.code).toBe('FORBIDDEN');
  });

  it('names the maximum of a page, and takes no empty filter', async () => {
    const refusals: [string, string, RegExp][] = [
      ['first: 201', 'BAD_USER_INPUT', /200/],
      ['first: -1', 'BAD_USER_INPUT', /0 to 200/],
      ['first: 1, last: 1', 'BAD_USER_INPUT', /first or last/],
      ['status: []', 'BAD_USER_INPUT', /at least one status/],
      ['after: "💥"', 'INVALID_CURSOR', /./],
    ];
    for (const [args, code, message] of refusals) {
      const { errors } = await graph.ask(secrets.admin, `{ sessions(${args}) { nodes { sessionId } } }`);
      expect(errors).toMatchObject([{ code, message: expect.stringMatching(message) }]);
    }
    const { sessions: all } = await graph.read(
      secrets.admin,
      '{ sessions(first: null, after: null, status: null) { totalCount } }',
    );
    expect(all).toEqual({ totalCount: 2 });
  });

  it('counts without reading a row when only the count is asked for', async () => {
    const statements = await database.statementsOf(() =>
      graph.read(secrets.admin, '{ sessions { totalCount } }'),
    );
    expect(statements.filter((sql) => sql.includes('creation_hash'))).toEqual([]);
  });
});
