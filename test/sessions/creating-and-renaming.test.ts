import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, moveAccount } from '../../src/accounts/actions.js';
import { transact } from '../../src/database/transact.js';
import { insertSession, type NewSession } from '../../src/sessions/creation.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
const secrets = { admin: '', member: '', service: '', run: '', stranger: '', loner: '', lonerService: '' };
const accounts = { admin: '', member: '', stranger: '', loner: '' };

beforeAll(async () => {
  database = await openTestDatabase();
  graph = graphOver(database);
  const admin = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
  const member = await createAccount(database, { name: 'Mel', organization: 'Acme' });
  const stranger = await createAccount(database, { name: 'Sam', organization: 'Other', role: 'ADMIN' });
  const loner = await createAccount(database, { name: 'Lou' });
  Object.assign(accounts, { admin: admin.id, member: member.id, stranger: stranger.id, loner: loner.id });
  secrets.admin = await graph.token({ kind: 'PERSONAL', accountId: admin.id });
  secrets.member = await graph.token({ kind: 'PERSONAL', accountId: member.id });
  secrets.service = await graph.token({ kind: 'SERVICE', accountId: admin.id });
  secrets.stranger = await graph.token({ kind: 'PERSONAL', accountId: stranger.id });
  secrets.loner = await graph.token({ kind: 'PERSONAL', accountId: loner.id });
  secrets.lonerService = await graph.token({ kind: 'SERVICE', accountId: loner.id });
});
afterAll(() => database.close());

type Who = keyof typeof secrets;

async function create(who: Who, session: Partial<NewSession> = {}) {
  const { viewer } = await graph.operationOf(secrets[who]);
  const creation = { id: randomUUID(), title: null, creationHash: Buffer.from('content'), ...session };
  return transact(database, (tx) => insertSession(tx, viewer, creation));
}

describe('creating a session', () => {
  it("makes it its creator's, in the organisation of that moment, awaiting input", async () => {
    const { session, created } = await create('member', { title: 'Reading' });
    expect(created).toBe(true);
    expect(session).toMatchObject({
      ownerId: accounts.member,
      title: 'Reading',
      status: 'COMPLETED',
      eventHead: 0,
      pendingStop: null,
    });
    expect(session.organizationId).toBe((await graph.operationOf(secrets.member)).viewer.organizationId);
    expect(session.updatedAt).toEqual(session.createdAt);
  });

  it('lets a runtime name any account of its organisation, or its own account', async () => {
    expect((await create('service', { accountId: accounts.member })).session.ownerId).toBe(accounts.member);
    expect((await create('service')).session.ownerId).toBe(accounts.admin);
    const own = await create('lonerService', { accountId: accounts.loner.toUpperCase() });
    expect(own.session).toMatchObject({ ownerId: accounts.loner, organizationId: null });
  });

  it('knows no other owner, whether there is one or not', async () => {
    const named: [Who, string][] = [
      ['service', accounts.stranger],
      ['service', accounts.loner],
      ['lonerService', accounts.member],
      ['service', randomUUID()],
      ['service', 'banana'],
    ];
    const errors = await Promise.all(
      named.map(([who, accountId]) => create(who, { accountId }).catch((error: unknown) => error)),
    );
    expect(errors[0]).toMatchObject({ code: 'NOT_FOUND' });
    expect(new Set(errors.map((error) => JSON.stringify(error) + String(error))).size).toBe(1);
  });

  it('forbids a person to name another owner', async () => {
    for (const accountId of [accounts.admin, randomUUID(), 'banana']) {
      await expect(create('member', { accountId })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect((await create('member', { accountId: accounts.member })).session.ownerId).toBe(accounts.member);
  });

  it('gives the same session again for the same content of the same owner', async () => {
    const id = randomUUID();
    const first = await create('member', { id, title: 'Twice' });
    expect(await create('member', { id, title: 'Twice' })).toEqual({
      session: first.session,
      created: false,
    });
    const asRuntime = await create('service', { id, title: 'Twice', accountId: accounts.member });
    expect(asRuntime.created).toBe(false);
  });

  it('gives no session to the runtimes of an organisation that its owner has moved to since', async () => {
    const mover = await createAccount(database, { name: 'Mo', organization: 'Acme' });
    const mine = await graph.token({ kind: 'PERSONAL', accountId: mover.id });
    const id = await graph.session(mine, 'content');
    await moveAccount(database, { accountId: mover.id, organization: 'Other' });
    const admin = { kind: 'SERVICE', accountId: accounts.stranger } as const;
    const { viewer } = await graph.operationOf(await graph.token(admin));
    const again = { id, title: 'content', creationHash: Buffer.from('content'), accountId: mover.id };
    const refused: unknown = await transact(database, (tx) => insertSession(tx, viewer, again)).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'CONFLICT' });
    expect(refused).toHaveProperty('details', {});
    // The owner still has it.
    const { viewer: owner } = await graph.operationOf(mine);
    const { created } = await transact(database, (tx) =>
      insertSession(tx, owner, { id, title: 'content', creationHash: Buffer.from('content') }),
    );
    expect(created).toBe(false);
  });

  it('tells of a contradiction what is there, to those who may see it', async () => {
    const id = randomUUID();
    await create('member', { id, title: 'Mine' });
    const other = { id, creationHash: Buffer.from('other') };
    const seen = {
      code: 'CONFLICT',
      details: { current: { sessionId: id, title: 'Mine', status: 'COMPLETED' } },
    };
    await expect(create('member', other)).rejects.toMatchObject(seen);
    await expect(create('admin', { id, title: 'Mine' })).rejects.toMatchObject(seen);
    await expect(create('service', { id, title: 'Mine' })).rejects.toMatchObject(seen);
  });

  it('says no more than that an id is taken where one may not see the session', async () => {
    const id = randomUUID();
    await create('member', { id });
    for (const who of ['stranger', 'loner', 'lonerService'] as const) {
      await expect(create(who, { id })).rejects.toMatchObject({ code: 'CONFLICT', details: {} });
      const error: unknown = await create(who, { id }).catch((thrown: unknown) => thrown);
      expect(error).toHaveProperty('details', {});
    }
  });
});

const UPDATE = `mutation($input: UpdateSessionInput!) { updateSession(input: $input) { session { title updatedAt } } }`;
const rename = (who: Who, input: Record<string, unknown>) => graph.ask(secrets[who], UPDATE, { input });

describe('updateSession', () => {
  it('renames for the owner and for runtimes', async () => {
    const { session } = await create('member');
    for (const [who, title] of [
      ['member', 'One 💥'],
      ['service', 'Two'],
    ] as const) {
      const { data, errors } = await rename(who, { sessionId: session.id.toUpperCase(), title });
      expect(errors).toEqual([]);
      expect(data).toMatchObject({ updateSession: { session: { title } } });
    }
  });

  it('never lets updatedAt go back, and leaves it where nothing changed', async () => {
    const { session } = await create('member');
    const future = new Date(Date.now() + 3_600_000);
    await database.prisma.session.update({ where: { id: session.id }, data: { updatedAt: future } });
    const renamed = await rename('member', { sessionId: session.id, title: 'Later' });
    expect(renamed.data).toMatchObject({
      updateSession: { session: { updatedAt: future.toISOString() } },
    });
    const before = await database.prisma.session.findUniqueOrThrow({ where: { id: session.id } });
    await rename('member', { sessionId: session.id, title: 'Later' });
    expect(await database.prisma.session.findUniqueOrThrow({ where: { id: session.id } })).toEqual(before);
  });

  it('leaves a title that is not given, or null, as it is', async () => {
    const { session } = await create('member');
    await rename('member', { sessionId: session.id, title: 'Kept' });
    for (const input of [{}, { title: null }]) {
      const { data, errors } = await rename('member', { sessionId: session.id, ...input });
      expect(errors).toEqual([]);
      expect(data).toMatchObject({ updateSession: { session: { title: 'Kept' } } });
    }
  });

  it('knows no session but those that one may write to: not even an admin', async () => {
    const { session } = await create('member');
    const tries: [Who, string][] = [
      ['admin', session.id],
      ['stranger', session.id],
      ['lonerService', session.id],
      ['member', randomUUID()],
      ['member', 'banana'],
    ];
    const answers = await Promise.all(
      tries.map(([who, sessionId]) => rename(who, { sessionId, title: 'X' })),
    );
    expect(answers[0]?.errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('is forbidden to RUN credentials, for their own session too', async () => {
    const { session } = await create('member');
    const secret = await graph.token({ kind: 'RUN', sessionId: session.id });
    const { errors } = await graph.ask(secret, UPDATE, { input: { sessionId: session.id, title: '' } });
    expect(errors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });

  it('takes 1 to 1,000 characters as the database can hold them', async () => {
    const { session } = await create('member');
    for (const title of ['', 'a'.repeat(1_001), 'a\u0000b']) {
      const { errors } = await rename('member', { sessionId: session.id, title });
      expect(errors).toMatchObject([
        { code: 'BAD_USER_INPUT', message: expect.stringMatching(/^input\.title: expected/) },
      ]);
    }
    const { data } = await rename('member', { sessionId: session.id, title: 'half \ud83d pair' });
    expect(data).toMatchObject({ updateSession: { session: { title: 'half \ufffd pair' } } });
    expect((await rename('member', { sessionId: session.id, title: 'a'.repeat(1_000) })).errors).toEqual([]);
  });
});
