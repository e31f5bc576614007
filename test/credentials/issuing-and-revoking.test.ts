import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/actions.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
const secrets = { admin: '', member: '', service: '', run: '', stranger: '', loner: '', lonerService: '' };
const ids = { admin: '', member: '', memberSession: '', lonerSession: '', strangerSession: '' };

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
  Object.assign(ids, {
    admin: admin.id,
    member: member.id,
    memberSession: await graph.session(secrets.member),
    lonerSession: await graph.session(secrets.loner),
    strangerSession: await graph.session(secrets.stranger),
  });
  secrets.run = await graph.token({ kind: 'RUN', sessionId: ids.memberSession });
});
afterAll(() => database.close());

type Who = keyof typeof secrets;

const ISSUE = `mutation($input: IssueCredentialInput!) { issueCredential(input: $input) {
  secret credential { credentialId kind name scopes expiresAt account { accountId } session { sessionId } } } }`;
const REVOKE = `mutation($input: RevokeCredentialInput!) { revokeCredential(input: $input) {
  credential { credentialId revokedAt } } }`;

interface Issued {
  secret: string;
  credential: { credentialId: string; expiresAt: string | null };
}

async function issue(who: Who, input: Record<string, unknown>): Promise<Issued> {
  const { issueCredential } = await graph.read(secrets[who], ISSUE, { input });
  return issueCredential as Issued;
}

async function refusal(who: Who, document: string, input: Record<string, unknown>) {
  const { data, errors } = await graph.ask(secrets[who], document, { input });
  expect(Object.values(data)).toEqual([null]);
  return errors[0];
}

const run = (sessionId: string) => ({ kind: 'RUN', sessionId, ttlSeconds: 60 });

describe('issueCredential', () => {
  it('gives a person another credential of its own, with a secret that works', async () => {
    const issued = await issue('member', { kind: 'PERSONAL', name: 'laptop', accountId: ids.member });
    expect(issued).toMatchObject({
      secret: expect.stringMatching(/^tdg_/),
      credential: {
        kind: 'PERSONAL',
        name: 'laptop',
        scopes: [],
        expiresAt: null,
        account: { accountId: ids.member },
        session: null,
      },
    });
    expect(await graph.read(issued.secret, '{ viewer { account { name } } }')).toEqual({
      viewer: { account: { name: 'Mel' } },
    });
  });

  it('gives SERVICE credentials to admins and to accounts without organisation', async () => {
    for (const who of ['admin', 'loner'] as const) {
      const { secret } = await issue(who, { kind: 'SERVICE' });
      expect((await graph.operationOf(secret)).viewer.kind).toBe('SERVICE');
    }
  });

  it("binds a RUN credential to a session and to the session's owner", async () => {
    const issued = await issue('service', {
      ...run(ids.memberSession.toUpperCase()),
      scopes: ['elicitations:read'],
    });
    expect(issued.credential).toMatchObject({
      scopes: ['elicitations:read'],
      account: { accountId: ids.member },
      session: { sessionId: ids.memberSession },
    });
    const { viewer } = await graph.operationOf(issued.secret);
    expect(viewer).toMatchObject({ accountId: ids.member, sessionId: ids.memberSession });
    expect((await issue('member', run(ids.memberSession))).secret).toMatch(/^tdg_/);
    expect((await issue('lonerService', run(ids.lonerSession))).secret).toMatch(/^tdg_/);
  });

  it('forbids by kind and role, before anything is looked up', async () => {
    const forbidden: [Who, Record<string, unknown>][] = [
      ['member', { kind: 'SERVICE' }],
      ['member', { kind: 'PERSONAL', accountId: ids.admin }],
      ['admin', { kind: 'PERSONAL', accountId: ids.member }],
      ['admin', { kind: 'PERSONAL', accountId: '00000000-0000-4000-8000-000000000000' }],
      ['admin', { kind: 'SERVICE', accountId: ids.member }],
      ['service', { kind: 'PERSONAL' }],
      ['service', { kind: 'SERVICE' }],
      ['lonerService', { kind: 'SERVICE' }],
      ['run', { kind: 'PERSONAL' }],
      ['run', run(ids.memberSession)],
      ['run', { kind: 'RUN' }],
    ];
    for (const [who, input] of forbidden) {
      expect(await refusal(who, ISSUE, input)).toMatchObject({ code: 'FORBIDDEN', path: 'issueCredential' });
    }
  });

  it('finds no session but those that one may write to', async () => {
    const sessions: [Who, string][] = [
      ['admin', ids.memberSession],
      ['service', ids.lonerSession],
      ['stranger', ids.memberSession],
      ['lonerService', ids.memberSession],
      ['member', '00000000-0000-4000-8000-000000000000'],
      ['member', 'banana'],
    ];
    const answers = await Promise.all(sessions.map(([who, id]) => refusal(who, ISSUE, run(id))));
    expect(answers[0]).toMatchObject({ code: 'NOT_FOUND' });
    expect(new Set(answers.map((error) => JSON.stringify(error))).size).toBe(1);
  });

  it('says what a credential of its kind needs', async () => {
    const hour = new Date(Date.now() + 3_600_000).toISOString();
    const session = { kind: 'RUN', sessionId: ids.memberSession };
    const faults: [Record<string, unknown>, RegExp][] = [
      [session, /expiresAt or ttlSeconds/],
      [{ ...session, ttlSeconds: 60, expiresAt: hour }, /got both/],
      [{ kind: 'PERSONAL', ttlSeconds: 60, expiresAt: hour }, /got both/],
      [{ ...session, expiresAt: '2020-01-01T00:00:00Z' }, /^input\.expiresAt: expected an instant after now/],
      [{ kind: 'PERSONAL', expiresAt: '2020-01-01T00:00:00Z' }, /^input\.expiresAt/],
      [{ ...session, ttlSeconds: 0 }, /^input\.ttlSeconds/],
      [{ ...session, ttlSeconds: -5 }, /^input\.ttlSeconds/],
      [
        { ...session, ttlSeconds: 60, scopes: ['conversation:write'] },
        /^input\.scopes\[0\].*conversation:read/,
      ],
      [{ ...session, ttlSeconds: 60, accountId: ids.admin }, /^input\.accountId/],
      [{ kind: 'RUN', ttlSeconds: 60 }, /^input\.sessionId/],
      [{ kind: 'PERSONAL', sessionId: ids.memberSession }, /^input\.sessionId: expected none/],
      [{ kind: 'PERSONAL', scopes: ['conversation:read'] }, /^input\.scopes: expected none/],
      [{ kind: 'PERSONAL', name: 'a\u0000' }, /^input\.name.*U\+0000/],
      [{ kind: 'PERSONAL', name: 'a'.repeat(201) }, /^input\.name/],
    ];
    for (const [input, message] of faults) {
      expect(await refusal('member', ISSUE, input)).toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringMatching(message),
      });
    }
  });

  it('takes null as absent and an empty list of scopes as none', async () => {
    const { credential } = await issue('member', {
      kind: 'PERSONAL',
      name: null,
      scopes: [],
      expiresAt: null,
      ttlSeconds: null,
      sessionId: null,
      accountId: null,
    });
    expect(credential).toMatchObject({ name: null, scopes: [], expiresAt: null });
  });

  it("counts ttlSeconds on the database's clock", async () => {
    const { credential } = await issue('member', { ...run(ids.memberSession), ttlSeconds: 90 });
    const row = await database.prisma.credential.findUniqueOrThrow({
      where: { id: credential.credentialId },
    });
    expect((row.expiresAt?.getTime() ?? 0) - row.createdAt.getTime()).toBe(90_000);
  });
});

describe('revokeCredential', () => {
  const idOf = async (secret: string) => (await graph.operationOf(secret)).viewer.credentialId;
  const revoke = (who: Who, credentialId: string) =>
    graph.read(secrets[who], REVOKE, { input: { credentialId } });

  it('ends a credential once and for all, and again is no error', async () => {
    const { secret, credential } = await issue('member', { kind: 'PERSONAL' });
    const first = await revoke('member', credential.credentialId);
    expect(first).toMatchObject({ revokeCredential: { credential: { revokedAt: expect.any(String) } } });
    expect(await revoke('admin', credential.credentialId)).toEqual(first);
    await expect(graph.operationOf(secret)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it("lets an admin revoke its organisation's, a runtime the RUN ones that it may issue, and each its own", async () => {
    const personal = await issue('member', { kind: 'PERSONAL' });
    await revoke('admin', personal.credential.credentialId);
    const bound = await issue('member', run(ids.memberSession));
    await revoke('service', bound.credential.credentialId);
    const itself = await issue('member', run(ids.memberSession));
    const { viewer } = await graph.operationOf(itself.secret);
    await graph.read(itself.secret, REVOKE, { input: { credentialId: viewer.credentialId } });
    for (const { secret } of [personal, bound, itself]) {
      await expect(graph.operationOf(secret)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('knows no credential but those that one may see', async () => {
    const [admin, member] = await Promise.all([idOf(secrets.admin), idOf(secrets.member)]);
    const tries: [Who, string][] = [
      ['member', admin],
      ['service', member],
      ['service', admin],
      ['run', member],
      ['stranger', member],
      ['admin', await idOf(secrets.stranger)],
      ['lonerService', await idOf(secrets.loner)],
      ['admin', '00000000-0000-4000-8000-000000000000'],
      ['admin', 'banana'],
      ['admin', ''],
    ];
    const answers = await Promise.all(
      tries.map(([who, credentialId]) => refusal(who, REVOKE, { credentialId })),
    );
    expect(answers[0]).toMatchObject({ code: 'NOT_FOUND' });
    expect(new Set(answers.map((error) => JSON.stringify(error))).size).toBe(1);
    for (const secret of Object.values(secrets)) await graph.operationOf(secret);
  });
});
