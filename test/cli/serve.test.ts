import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { farewellOf, openEventStream } from '../authority/house.js';
import { ownRecordings } from '../ingest/recordings.js';
import { run } from './command.js';
import { ask, serve as serveWith } from './server.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-serve-'));
const env = { DATA_DIR: directory, PORT: '0' };
const serve = () => serveWith(env);

it('a server whose port is taken says which, and makes nothing', async () => {
  const elsewhere = join(directory, 'elsewhere');
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, err } = await run(['serve'], { DATA_DIR: elsewhere, PORT: String(port) });
  taken.close();
  expect([code, existsSync(elsewhere)]).toEqual([1, false]);
  expect(err).toBe(
    `Port ${port} of 127.0.0.1 is in use already. Stop what listens there, or set PORT to another.\n`,
  );
});

it('a command where no server runs says which database it used', async () => {
  const elsewhere = join(directory, 'another');
  const { code, err } = await run(['account', 'create', '--name', 'Eve'], { DATA_DIR: elsewhere });
  expect([code, err]).toEqual([
    0,
    `No server runs here: this is a new database, without accounts, in ${elsewhere}.\n`,
  ]);
});

describe('a server started in an empty directory', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let tokens: DemoTokens;
  beforeAll(async () => {
    server = await serve();
    tokens = JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'));
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('says where it is and where the credentials are, not what they are, and warns of nothing', () => {
    expect(server.output.out).toContain(join(directory, 'tokens.json'));
    expect(server.output.out).not.toContain('tdg_');
    expect(server.output.err).toBe('');
    const levels = server.output.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).level);
    expect(new Set(levels)).toEqual(new Set([30]));
  });

  it('keeps a second one out, and names its own process', async () => {
    const { code, err } = await run(['serve'], env);
    expect(code).toBe(1);
    expect(err).toContain(String(server.child.pid));
    expect(err).not.toContain('    at ');
  });

  it('does what operators ask, through a socket that its owner alone may open', async () => {
    expect(statSync(join(directory, 'operator.sock')).mode & 0o777).toBe(0o600);
    const made = await run(['account', 'create', '--name', 'Eve', '--organization', 'Acme'], env);
    const account = JSON.parse(made.out);
    expect(account).toMatchObject({ name: 'Eve', role: 'ADMIN' });
    const issued = await run(['token', 'create', '--account', account.accountId, '--ttl', '60'], env);
    const token = issued.out.trim();
    const who = '{ viewer { account { name } organization { name } role } }';
    expect((await ask(server.url, token, who)).data).toEqual({
      viewer: { account: { name: 'Eve' }, organization: { name: 'Acme' }, role: 'ADMIN' },
    });
    await run(['account', 'role', '--account', account.accountId, '--role', 'member'], env);
    expect((await ask(server.url, token, who)).data.viewer.role).toBe('MEMBER');
    await run(['account', 'move', '--account', account.accountId], env);
    expect((await ask(server.url, token, who)).data.viewer.organization).toBe(null);
    await run(['account', 'plan', '--account', account.accountId, '--api-access', 'off'], env);
    expect((await ask(server.url, token, who)).errors[0].extensions.code).toBe('PLAN_UPGRADE_REQUIRED');
  });

  it('ends what is open when an operator moves an account or revokes a credential, and keeps note of it', async () => {
    const json = async (...args: string[]) => JSON.parse((await run(args, env)).out);
    const { accountId } = await json('account', 'create', '--name', 'Adi', '--organization', 'Streams');
    const issue = async (kind: string) =>
      (await run(['token', 'create', '--account', accountId, '--kind', kind], env)).out.trim();
    const streams = new Map<string, Awaited<ReturnType<typeof openEventStream>>>();
    for (const kind of ['personal', 'service']) {
      const stream = await openEventStream(
        server.url,
        await issue(kind),
        'subscription { sessionChanged { resync } }',
      );
      streams.set(kind, stream);
    }
    const endOf = async (kind: string) => {
      const stream = streams.get(kind);
      await stream?.ended;
      return farewellOf(stream?.messages ?? []).errors.map(({ code }) => code);
    };
    const { credentials } = await json('token', 'list', '--account', accountId);
    expect(credentials.map(({ kind }: { kind: string }) => kind)).toEqual(['SERVICE', 'PERSONAL']);
    expect(JSON.stringify(credentials)).not.toMatch(/tdg_|ash/);
    await json('token', 'revoke', '--credential', credentials[1].credentialId);
    expect(await endOf('personal')).toEqual(['UNAUTHENTICATED']);
    await json('account', 'move', '--account', accountId);
    expect(await endOf('service')).toEqual(['UNAUTHENTICATED']);
    const { changes, before } = await json('audit', '--account', accountId, '--limit', '3');
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      'CREDENTIAL_REVOKED',
      'ACCOUNT_MOVED',
      'CREDENTIAL_REVOKED',
    ]);
    const rest = await json('audit', '--account', accountId, '--before', String(before));
    expect([rest.changes.length, rest.before]).toEqual([3, null]);
    const { code, err } = await run(['token', 'revoke', '--credential', 'x'], env);
    expect([code, err]).toEqual([1, '--credential: expected a credentialId, which is a UUID.\n']);
    expect((await run(['audit', '--limit', '1001'], env)).code).toBe(2);
  });

  it('tells an operator what was wrong, and nothing more', async () => {
    const { code, err, out } = await run(
      ['token', 'create', '--account', '11111111-2222-4333-8444-555555555555'],
      env,
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^Expected the id of an account/);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('takes a recording, and shows it to the demo member', async () => {
    const [recording] = ownRecordings();
    const file = join('src/demo/recordings', recording?.name ?? '');
    const { code, out, err } = await run(
      ['replay', file, '--url', server.url, '--pace', '1000', '--title', 'Replayed'],
      env,
    );
    expect([code, err]).toEqual([0, '']);
    const [link, summary] = out.trim().split('\n');
    expect(summary).toMatch(/^\d+ events$/);
    expect(link).toMatch(new RegExp(`^${server.url}/sessions/[0-9a-f-]{36}$`));
    const sessionId = link?.split('/').at(-1);
    const { data } = await ask(
      server.url,
      tokens.member,
      `{ session(sessionId: "${sessionId}") { title events { totalCount } } }`,
    );
    expect(data.session).toEqual({
      title: 'Replayed',
      events: { totalCount: Number.parseInt(summary ?? '', 10) },
    });
  });

  it.each([
    [['--token', 'tdg_nobody'], /^--token: expected a credential, which is tdg_ and 43 characters/],
    [['--format', 'morse', '--fast'], /format: expected one of/],
    [['--pace', 'slow'], /--pace: expected lines a second/],
  ])('refuses a recording with %j in one sentence', async (options, reason) => {
    const file = join('src/demo/recordings', ownRecordings()[0]?.name ?? '');
    const { code, err } = await run(['replay', file, '--url', server.url, ...options], env);
    expect(code).not.toBe(0);
    expect(err).toMatch(reason);
    expect(err).not.toContain('    at ');
  });

  it('stops when it is told to, and finds the same workspace when it starts again', async () => {
    const { code, err } = await server.stop();
    expect([code, err]).toEqual([0, '']);
    const made = await run(['account', 'create', '--name', 'Between'], env);
    expect(JSON.parse(made.out)).toMatchObject({ name: 'Between' });
    expect(made.err).toBe(`No server runs here: this is the database in ${directory}.\n`);
    server = await serve();
    expect(JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'))).toEqual(tokens);
    const { data } = await ask(server.url, tokens.admin, '{ sessions { nodes { title } } }');
    const titles = data.sessions.nodes.map(({ title }: { title: string }) => title);
    expect(titles.filter((title: string) => title.startsWith('Live'))).toHaveLength(1);
  });
});
