import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestAccount, type TestGateway } from '../gateway.js';

let gateway: TestGateway;
let member: TestAccount;
let admin: TestAccount;
let token: string;
let adminToken: string;

beforeAll(async () => {
  gateway = await startTestGateway({ env: { PUBLIC_URL: 'https://tidings.example/app/' } });
  const organization = gateway.createOrganization('Acme');
  admin = await organization.createAccount({ name: 'Ada', role: 'ADMIN' });
  member = await organization.createAccount({ name: 'Mel' });
  token = await member.createToken();
  adminToken = await admin.createToken();
});
afterAll(() => gateway.close());

const CREATE =
  'mutation($input: CreateSessionInput!) { createSession(input: $input) { session { sessionId } } }';
const LIST = '{ sessions { totalCount nodes { title url owner { name } } } }';

describe('sessions, over the wire', () => {
  it('tells a list of a session that is created and renamed, and the list has it', async () => {
    const updates = gateway.subscribe<{ sessionChanged: unknown }>(
      'subscription { sessionChanged { resync session { title } } }',
      { token: adminToken },
    );
    const next = async () => {
      const { value } = await updates.next();
      return value?.data?.sessionChanged;
    };
    expect(await next()).toEqual({ resync: true, session: null });
    const created = next();
    const { createSession } = await gateway.execute<{
      createSession: { session: { sessionId: string } };
    }>(CREATE, { token, variables: { input: { title: 'New' } } });
    expect(await created).toEqual({ resync: false, session: { title: 'New' } });
    const renamed = next();
    const { sessionId } = createSession.session;
    await gateway.execute(
      'mutation($input: UpdateSessionInput!) { updateSession(input: $input) { session { title } } }',
      { token, variables: { input: { sessionId, title: 'Renamed' } } },
    );
    expect(await renamed).toEqual({ resync: false, session: { title: 'Renamed' } });
    expect(await gateway.execute(LIST, { token: adminToken })).toEqual({
      sessions: {
        totalCount: 1,
        nodes: [
          {
            title: 'Renamed',
            url: `https://tidings.example/app/sessions/${sessionId}`,
            owner: { name: 'Mel' },
          },
        ],
      },
    });
  });

  it('refuses a RUN credential what it may not do, and leaves the fields beside it alone', async () => {
    const session = await member.createSession();
    const run = await session.createToken();
    const { status, body } = await gateway.request(
      `{ viewer { credential { kind } } sessions { totalCount } session(sessionId: "${session.sessionId}") { title } }`,
      { token: run },
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({ viewer: { credential: { kind: 'RUN' } }, sessions: null, session: null });
    expect(body.errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code]).sort()).toEqual([
      ['session', 'NOT_FOUND'],
      ['sessions', 'FORBIDDEN'],
    ]);
  });

  it('asks in the same number of statements, however long the page', async () => {
    for (let count = 0; count < 20; count++) await member.createSession();
    const statementsOf = (first: number) =>
      gateway.countStatements(() =>
        gateway.execute(
          `{ sessions(first: ${first}) { totalCount pageInfo { hasNextPage } nodes { title owner { name organization { name } } } } }`,
          { token },
        ),
      );
    // The first request notes when the credential was used.
    await statementsOf(1);
    const few = await statementsOf(2);
    expect(await statementsOf(20)).toBe(few);
  });
});
