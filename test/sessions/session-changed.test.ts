import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/actions.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Answer, type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
const secrets = { admin: '', member: '', service: '', stranger: '' };
let sessionId: string;

beforeAll(async () => {
  database = await openTestDatabase();
  graph = graphOver(database);
  const admin = await createAccount(database, { name: 'Ada', organization: 'Acme', role: 'ADMIN' });
  const member = await createAccount(database, { name: 'Mel', organization: 'Acme' });
  const stranger = await createAccount(database, { name: 'Sam', organization: 'Other', role: 'ADMIN' });
  secrets.admin = await graph.token({ kind: 'PERSONAL', accountId: admin.id });
  secrets.member = await graph.token({ kind: 'PERSONAL', accountId: member.id });
  secrets.service = await graph.token({ kind: 'SERVICE', accountId: admin.id });
  secrets.stranger = await graph.token({ kind: 'PERSONAL', accountId: stranger.id });
  sessionId = await graph.session(secrets.member);
});
afterAll(() => database.close());

const CHANGES = 'subscription { sessionChanged { resync session { sessionId title } } }';
const RESYNC = { sessionChanged: { resync: true, session: null } };

const rename = (title: string, id = sessionId, secret = secrets.member) =>
  graph.read(
    secret,
    'mutation($input: UpdateSessionInput!) { updateSession(input: $input) { session { title } } }',
    { input: { sessionId: id, title } },
  );

const next = async (stream: AsyncIterableIterator<Answer>) => {
  const { value } = (await stream.next()) as IteratorResult<Answer, undefined>;
  expect(value?.errors).toEqual([]);
  return value?.data;
};

/** A stream that has had its first update. */
async function follow(secret: string) {
  const stream = await graph.follow(secret, CHANGES);
  expect(await next(stream)).toEqual(RESYNC);
  return stream;
}

describe('sessionChanged', () => {
  it('tells the owner, its admins and its runtimes of a change, as it is when they are told', async () => {
    const streams = await Promise.all([secrets.member, secrets.admin, secrets.service].map(follow));
    for (const title of ['First', 'Second']) {
      const updates = streams.map(next);
      await rename(title);
      for (const update of await Promise.all(updates)) {
        expect(update).toEqual({ sessionChanged: { resync: false, session: { sessionId, title } } });
      }
    }
    await Promise.all(streams.map((stream) => stream.return?.()));
    expect(graph.bus.listeners).toBe(0);
  });

  it('tells nobody else', async () => {
    const stream = await follow(secrets.stranger);
    await rename('Unheard');
    const own = await graph.session(secrets.stranger);
    const update = next(stream);
    await rename('Heard', own, secrets.stranger);
    expect(await update).toEqual({
      sessionChanged: { resync: false, session: { sessionId: own, title: 'Heard' } },
    });
    await stream.return?.();
  });

  it('tells of many changes of one session once, to whoever was not reading', async () => {
    const stream = await follow(secrets.service);
    for (const title of ['a', 'b', 'c']) await rename(title);
    expect(await next(stream)).toEqual({
      sessionChanged: { resync: false, session: { sessionId, title: 'c' } },
    });
    const pending = next(stream);
    await rename('d');
    expect(await pending).toEqual({
      sessionChanged: { resync: false, session: { sessionId, title: 'd' } },
    });
    await stream.return?.();
  });

  it('asks for the list again for what it cannot show', async () => {
    const stream = await follow(secrets.member);
    const pending = next(stream);
    const { viewer } = await graph.operationOf(secrets.member);
    graph.bus.publish({ log: `session:${randomUUID()}`, head: 1, topics: [`account:${viewer.accountId}`] });
    expect(await pending).toEqual(RESYNC);
    await stream.return?.();
  });

  it('is forbidden to RUN credentials', async () => {
    const secret = await graph.token({ kind: 'RUN', sessionId });
    const { value } = await (await graph.follow(secret, CHANGES)).next();
    expect(value?.errors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });

  it('tells two viewers who ask the same each of what it may see, and of nothing else (case 18)', async () => {
    const theirs = await graph.session(secrets.stranger);
    const [member, stranger] = await Promise.all([follow(secrets.member), follow(secrets.stranger)]);
    const updates = [next(member), next(stranger)];
    await rename('Of the stranger', theirs, secrets.stranger);
    await rename('Of the member');
    const told = await Promise.all(updates);
    expect(told).toEqual([
      { sessionChanged: { resync: false, session: { sessionId, title: 'Of the member' } } },
      { sessionChanged: { resync: false, session: { sessionId: theirs, title: 'Of the stranger' } } },
    ]);
    await Promise.all([member, stranger].map((stream) => stream.return?.()));
  });
});
