import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { ownRecordings } from '../ingest/recordings.js';
import { begin, run } from './command.js';
import { ask, serve } from './server.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-import-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const event = (n: number) =>
  JSON.stringify({ sessionIdle: { eventId: `e${n}`, createdAt: '2024-02-03T04:05:06Z' } });
const eventLines = (count: number) => Array.from({ length: count }, (_, n) => `${event(n)}\n`).join('');

/** A directory of recordings, of other files, and of some that are neither. */
function library(name: string): string {
  const root = join(directory, name);
  mkdirSync(join(root, 'deep', 'subagents'), { recursive: true });
  for (const recording of ownRecordings('claude-code'))
    writeFileSync(join(root, recording.name), recording.bytes);
  writeFileSync(join(root, 'deep', 'history.jsonl'), eventLines(3));
  writeFileSync(join(root, 'notes.md'), '# No recording');
  return root;
}

const sideChain = {
  type: 'user',
  isSidechain: true,
  parentUuid: null,
  sessionId: 's',
  message: { content: 'x' },
};

/** The sessions that a member has, with how many events each has. */
async function sessionsOf(url: string, token: string) {
  const { data } = await ask(
    url,
    token,
    '{ sessions(first: 100) { nodes { title events { totalCount } } } }',
  );
  const nodes: { title: string | null; events: { totalCount: number } }[] = data.sessions.nodes;
  return new Map(nodes.map(({ title, events }) => [title ?? '', events.totalCount]));
}

describe('without a server', () => {
  const env = { DATA_DIR: join(directory, 'data') };
  let account: string;
  beforeAll(async () => {
    const { out } = await run(['account', 'create', '--name', 'Eve'], env);
    account = JSON.parse(out).accountId;
  });

  it('makes a session of each recording, and says what was left out', async () => {
    const root = library('first');
    const { code, out, err } = await run(['import', root, '--account', account], env);
    expect(err).toBe(`No server runs here: this is the database in ${env.DATA_DIR}.\n`);
    expect(out).toMatch(/^5 files imported, \d+ events\.\n1 file left out, by the name no recordings\.\n$/);
    expect(code).toBe(0);
    const again = await run(['import', root, '--account', account], env);
    expect(again.out).toMatch(/^0 files imported, 0 events\.\n5 files added nothing\./);
    expect(again.code).toBe(0);
  });

  it('adds what is new of a file that has grown, wherever it lies now', async () => {
    const [here, there] = ['here', 'there'].map((name) => join(directory, name));
    const long = eventLines(30);
    for (const [root, text] of [
      [here, long],
      [there, `${long}{"error":{"eventId":"x","code":"AGENT_FAILED","message":"m","retryable":false}}\n`],
    ]) {
      mkdirSync(root ?? '');
      writeFileSync(join(root ?? '', 'growing.jsonl'), text ?? '');
    }
    expect((await run(['import', here ?? '', '--account', account], env)).out).toBe(
      '1 file imported, 30 events.\n',
    );
    expect((await run(['import', there ?? '', '--account', account], env)).out).toMatch(
      /^1 file imported, 1 event/,
    );
  });

  it('names the files that did not go in whole, and imports the others', async () => {
    const root = join(directory, 'faulty');
    mkdirSync(root);
    writeFileSync(join(root, 'a.jsonl'), `${event(1)}\n{"sessionIdle":{}}\n${event(3)}\n`);
    writeFileSync(join(root, 'b.jsonl'), '{"type":"telepathy"}\n');
    writeFileSync(join(root, 'c.jsonl'), '');
    writeFileSync(join(root, 'd.jsonl'), `${JSON.stringify(sideChain)}\n`);
    writeFileSync(join(root, 'e.jsonl'), `${event(1)}\n`);
    writeFileSync(
      join(root, 'f.jsonl'),
      '{"type":"result","subtype":"success","result":"Hello","session_id":"s"}\nnoise\n{"type":"telepathy"}\n',
    );
    const { code, out } = await run(['import', root, '--account', account], env);
    expect(out.trim().split('\n')).toEqual([
      '2 files imported, 3 events.',
      'Not understood: 1 × noise, in 1 file.',
      'Not understood: 1 × unknown_event, in 1 file.',
      '1 file left out, of agents that worked for another.',
      `Not imported, since it begins like no format: ${join(root, 'b.jsonl')}`,
      `Not imported, since it begins like no format: ${join(root, 'c.jsonl')}`,
      expect.stringMatching(/a\.jsonl: line 2\.sessionIdle\.eventId: /),
    ]);
    expect(code).toBe(1);
  });

  it.each([
    [[], /Expected DIR\|FILE…, got nothing/],
    [['/nowhere/at/all'], /Expected recordings to import: \/nowhere\/at\/all cannot be read \(ENOENT\)/],
  ])('refuses %j in one sentence', async (operands, reason) => {
    const { code, err } = await run(['import', ...operands], env);
    expect(code).not.toBe(0);
    expect(err).toMatch(reason);
    expect(err).not.toContain('    at ');
  });

  it('asks whose they are to be, and makes no database before it knows', async () => {
    const elsewhere = join(directory, 'none');
    const { code, err } = await run(['import', library('second')], { DATA_DIR: elsewhere });
    expect([code, err.split('\n')[0]]).toEqual([
      2,
      `Expected --account, since ${elsewhere} has no tokens.json.`,
    ]);
    const nobody = await run(['import', library('third'), '--account', 'nobody'], env);
    expect(nobody.code).toBe(1);
    expect(nobody.err).toContain('Expected the id of an account, got "nobody".');
  });
});

describe('with a server', () => {
  const env = { DATA_DIR: join(directory, 'served'), PORT: '0' };
  let server: Awaited<ReturnType<typeof serve>>;
  let tokens: DemoTokens;
  beforeAll(async () => {
    server = await serve(env);
    tokens = JSON.parse(readFileSync(join(env.DATA_DIR, 'tokens.json'), 'utf8'));
  });
  afterAll(async () => void (await server?.stop()));

  it('goes through its socket, to the demo’s member', async () => {
    const { code, err } = await run(['import', library('fourth')], env);
    expect([code, err]).toEqual([0, '']);
    const sessions = await sessionsOf(server.url, tokens.member);
    expect(sessions.get('history.jsonl')).toBe(3);
    expect(sessions.get('kettle.json')).toBe(2);
  });

  it('goes over HTTP where one is named, and finds the same sessions', async () => {
    const root = library('fifth');
    const over = ['import', root, '--url', server.url];
    const { code, out } = await run(over, env);
    expect([code, out.split('\n')[1]]).toEqual([0, '5 files added nothing.']);
    const denied = await run([...over, '--token', tokens.member], env);
    expect(denied.code).toBe(1);
    const unreachable = await run(['import', root, '--url', 'http://127.0.0.1:9'], env);
    expect(unreachable.err).toContain('Expected a running server at http://127.0.0.1:9');
  });

  it('killed in the middle, and given again, brings every event once', async () => {
    const file = join(directory, 'long.jsonl');
    // Many transactions, of which the first few have committed when it is killed.
    const count = 40_000;
    writeFileSync(file, eventLines(count));
    const first = begin(['import', file], env);
    const arrived = async () => (await sessionsOf(server.url, tokens.member)).get('long.jsonl') ?? 0;
    await vi.waitFor(async () => expect(await arrived()).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 20,
    });
    first.child.kill('SIGKILL');
    expect((await first.ended).code).toBe(null);
    expect(await arrived()).toBeLessThan(count);
    const { code } = await run(['import', file], env);
    expect([code, await arrived()]).toEqual([0, count]);
  });
});
