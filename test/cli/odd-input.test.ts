import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.js';
import { begin, run } from './command.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-odd-'));
const DATA_DIR = join(directory, 'data');
const recording = join(directory, 'recording.jsonl');
const secret = `tdg_${'x'.repeat(43)}`;
const account = ['--account', '11111111-2222-4333-8444-555555555555'];

/** Servers that are none of this API's, by what they answer. */
const STRANGERS: Readonly<Record<string, RequestListener>> = {
  page: (_, response) => response.writeHead(404).end('<html>Not here</html>'),
  json: (_, response) => response.end('{"hello": "world"}'),
  nothing: (_, response) => response.end(),
  hangUp: (request) => request.socket.destroy(),
  halfway: (_, response) =>
    response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
};
const servers = Object.entries(STRANGERS).map(([name, answer]) => ({ name, server: createServer(answer) }));
const urls: Record<string, string> = {};

beforeAll(async () => {
  writeFileSync(recording, '{}\n');
  for (const { name, server } of servers) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    urls[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  for (const { server } of servers) server.close();
  rmSync(directory, { recursive: true });
});

/** Runs a command in this process; gives its exit code and what it says first, before the usage. */
async function refusalOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((text) => void said.push(String(text)));
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const code = await main(args, { DATA_DIR, ...env });
  return { code, line: said[0] ?? '', all: said.join('\n'), printed: printed.mock.calls.length };
}

async function expectRefusal(args: readonly string[], code: number, reason: RegExp, env = {}) {
  const refusal = await refusalOf(args, env);
  expect(refusal).toMatchObject({ code, line: expect.stringMatching(reason), printed: 0 });
  expect(refusal.line).not.toContain('\n');
  expect(refusal.line.length).toBeLessThan(300);
  expect(refusal.all).not.toMatch(/^ {4}at /m);
}

const token = (...options: readonly string[]) => ['token', 'create', ...account, ...options];
const replay = (...options: readonly string[]) => ['replay', recording, '--token', secret, ...options];

type Row = readonly [args: readonly string[], reason: RegExp, env?: Readonly<Record<string, string>>];

/** Each with a title that is short, whatever the arguments. */
const rows = (all: readonly Row[]) =>
  all.map(([args, reason, env = {}]) => [args.join(' ').slice(0, 80), args, reason, env] as const);

describe('a command that is given what it cannot use says so in one line', () => {
  it.each(
    rows([
      [token('--expires', 'banana'), /^--expires: expected an RFC 3339 instant .*, got "banana"\.$/],
      [token('--expires', '2027-02-30T00:00:00Z'), /^--expires: expected a date of the calendar.*02-30/],
      [token('--expires', '9999-12-31T23:59:59-14:00'), /^--expires: expected an instant from 0001/],
      [token('--expires', '2027-01-01T00:00:00Z', '--ttl', '5'), /^Expected --ttl or --expires, got both\.$/],
      [
        token('--ttl', 'abc'),
        /^--ttl: expected a whole number of seconds from 1 to 2147483647, got "abc"\.$/,
      ],
      [token('--ttl', ''), /^--ttl: expected .*, got ""\.$/],
      [token('--ttl', '1e3'), /^--ttl: expected/],
      [token('--ttl', '0'), /^--ttl: expected/],
      [token('--ttl', '2147483648'), /^--ttl: expected/],
      [token('--ttl'), /^Option '--ttl <value>' argument missing\.$/],
      [token('--kind', 'king'), /^--kind: expected PERSONAL or RUN or SERVICE, got "KING"\.$/],
      [
        token('--kind', 'run', '--scope', 'all'),
        /^--scope: expected conversation:read or elicitations:read, got/,
      ],
      [token('--kind', 'k'.repeat(100_000)), /^--kind: expected .*, got "K+"\.$/],
      [token('--frob'), /^Unknown option '--frob'\.$/],
      [token('now'), /^Expected no "now" here\.$/],
      [['account', 'create'], /^Expected --name\.$/],
      [
        ['account', 'create', '--name', 'Eve', '--role', 'boss'],
        /^--role: expected ADMIN or MEMBER, got "BOSS"\.$/,
      ],
      [['account', 'role', ...account], /^Expected --role\.$/],
      [['account', 'move'], /^Expected --account\.$/],
      [['account', 'plan', ...account], /^Expected --api-access\.$/],
      [
        ['account', 'plan', ...account, '--api-access', 'yes'],
        /^--api-access: expected on or off, got "yes"\.$/,
      ],
      [['replay'], /^Expected FILE, got nothing\.$/],
      [['replay', ''], /^Expected FILE, got nothing\.$/],
      [['replay', recording], /^Expected --token, since .* has no tokens\.json\.$/],
      [['replay', recording, '--token', 'grün\n'], /^--token: expected a credential/],
      [
        replay('--url', 'garbage'),
        /^--url: expected one that begins with http:\/\/ or https:\/\/, got "garbage"\.$/,
      ],
      [replay('--url', 'ftp://x'), /^--url: expected one that begins with/],
      [replay('--url', 'http://'), /^--url: expected one that begins with/],
      [replay('--url', 'http://me:hunter2@x'), /^--url: expected one without a user, got one with it/],
      [replay('--pace', 'fast'), /^--pace: expected lines a second, .*, got "fast"\.$/],
      [replay('--pace', ''), /^--pace: expected/],
      [replay('--pace', '-1'), /^Option '--pace' argument is ambiguous\.$/],
      [['schema', '--out'], /^Option '--out <value>' argument missing\.$/],
      [['serve', '--port', '1'], /^Unknown option '--port'\.$/],
      [['--frob'], /^Unknown command: --frob$/m],
    ]),
  )('%s', async (_title, args, reason) => {
    const { all } = await refusalOf(args);
    expect(all).not.toContain('hunter2');
    if (args[0] === '--frob') return expect(all).toMatch(reason);
    await expectRefusal(args, 2, reason);
  });

  it.each(
    rows([
      [['token', 'create'], /^--account: expected an accountId, which is a UUID\.$/],
      [['token', 'create', '--account', 'Eve'], /^--account: expected an accountId, which is a UUID\.$/],
      [token(), /^Expected the id of an account/],
      [token('--kind', 'run'), /^--session: expected the session that a RUN credential is bound to/],
      [token('--kind', 'run', '--session', 'x'), /^Expected the id of a session/],
      [token('--session', 'x'), /^--session: expected none for a PERSONAL credential/],
      [['account', 'create', '--name', ''], /^--name: expected some text, got an empty string\.$/],
      [['account', 'create', '--name', 'x'.repeat(100_000)], /^(--name: expected at most|Expected at most)/],
      [['account', 'create', '--name', 'Eve', '--organization', ''], /^--organization: expected some text/],
      [['account', 'plan', '--api-access', 'on'], /^input: expected either accountId or organization/],
      [['account', 'role', ...account, '--role', 'admin'], /^Expected the id of an account/],
    ]),
  )('or when its action refuses it: %s', async (_title, args, reason) => {
    const { code, all } = await refusalOf(args);
    const lines = all.split('\n').filter((line) => !line.startsWith('No server runs here'));
    expect([code, lines.length]).toEqual([1, 1]);
    expect(lines[0]).toMatch(reason);
  });

  it.each(
    rows([
      [['replay', directory, '--token', secret], /^Expected a recording to replay: .* is no file\.$/],
      [['replay', join(directory, 'none'), '--token', secret], /cannot be read \(ENOENT\)\.$/],
      [['schema', '--out', join(directory, 'none', 'x')], /^ENOENT: no such file or directory/],
      [['schema', '--out', directory], /^EISDIR/],
      [
        replay('--url', 'http://127.0.0.1:2'),
        /^Expected a running server at http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED/,
      ],
      [
        replay('--url', 'http://nowhere.invalid'),
        /^Expected a running server at http:\/\/nowhere\.invalid: /,
      ],
      [['account', 'create', '--name', 'Eve'], /^DATA_DIR: expected a directory/, { DATA_DIR: recording }],
      [
        ['account', 'create', '--name', 'Eve'],
        /^The PostgreSQL of DATABASE_URL does not answer: .*ECONNREFUSED/,
        { DATABASE_URL: 'postgresql://me@127.0.0.1:1/x' },
      ],
      [['account', 'create', '--name', 'Eve'], /DATABASE_URL: expected/, { DATABASE_URL: 'banana' }],
    ]),
  )('or what it needs is not there: %s', async (_title, args, reason, env) => {
    const { code, all } = await refusalOf(args, env);
    expect(code).toBe(1);
    expect(all).toMatch(reason);
    expect(all).not.toMatch(/^ {4}at /m);
  });

  it.each(Object.keys(STRANGERS))('or its server is another one, which answers with: %s', async (name) => {
    await expectRefusal(
      replay('--url', urls[name] ?? ''),
      1,
      /^Expected a (running server|server of this API) at http/,
    );
  });

  it('and leaves nothing behind but the database that it asked', () => {
    expect(readdirSync(directory).sort()).toEqual(['data', 'recording.jsonl']);
  });
});

it('a server that hangs up in the middle of a recording is told of, without a stack', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/graphql') {
      response.end(JSON.stringify({ data: { createSession: { session: { sessionId: 's', url: 'u' } } } }));
    } else request.once('data', () => request.socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, all } = await refusalOf(replay('--url', url, '--fast'));
  server.close();
  expect(code).toBe(1);
  expect(all).toMatch(/^Expected a running server at http:\S+: (socket hang up|read ECONNRESET|write EPIPE)/);
  expect(all).not.toContain('    at ');
});

it('a reader that has enough, like head, ends the command in silence', async () => {
  const { child, ended } = begin(['schema']);
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

it('help is given whatever else is', async () => {
  const { code, out, err } = await run(['token', 'create', '--help', '--frob']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('--expires INSTANT');
});
