import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { buildTemplate } from '../../src/database/template.js';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { startGateway } from '../../src/gateway.js';

const root = mkdtempSync(join(tmpdir(), 'tidings-first-start-'));
let count = 0;
const newDirectory = () => join(root, `data ${++count}`);

beforeAll(() => buildTemplate());
afterAll(() => rmSync(root, { recursive: true }));

async function startFirst(directory: string, point: string) {
  const program = fileURLToPath(new URL('first-start.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory, point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const [, signal] = await once(child, 'close');
  return { out, signal };
}

const start = (directory: string, lines: string[] = []) =>
  startGateway(readConfig({ DATA_DIR: directory, PORT: '0' }), {
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  });

const tokensIn = (directory: string): DemoTokens =>
  JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'));

async function titlesSeen(url: string, token: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ sessions { nodes { title } } }' }),
  });
  const body = JSON.parse(await response.text());
  return body.data.sessions.nodes.map(({ title }: { title: string }) => title);
}

it('a first start that is killed, wherever and however often, leaves a demo to the next, whole and once', async () => {
  const statements = Number((await startFirst(newDirectory(), 'never')).out);
  expect(statements).toBeGreaterThan(50);
  const directory = newDirectory();
  // Who comes after a kill gets to a point of its own only where the workspace is made anew.
  for (const point of [Math.ceil(statements / 2), statements, 'after']) {
    const { out, signal } = await startFirst(directory, String(point));
    expect([point, out, signal]).toEqual([point, '', 'SIGKILL']);
  }
  writeFileSync(join(directory, 'tokens.json.unfinished'), '{"admin": "tdg_', { mode: 0o644 });
  const written = new Set<string>();
  for (const _start of ['the next', 'a later one']) {
    const gateway = await start(directory);
    const { prisma } = gateway.means.database;
    const counts = [prisma.account.count(), prisma.credential.count(), prisma.elicitation.count()];
    expect([gateway.hasDemo, ...(await Promise.all(counts))]).toEqual([true, 2, 4, 7]);
    expect(await titlesSeen(gateway.url, tokensIn(directory).admin)).toEqual([
      'Live: an agent at work',
      'Heat pumps in hard frost',
      'Street trees and summer heat',
      'Can bleached reefs recover?',
    ]);
    written.add(tokensIn(directory).admin);
    await gateway.close();
  }
  expect(written.size).toBe(1);
  expect(readdirSync(directory).filter((name) => name.includes('unfinished'))).toEqual([]);
  expect(statSync(join(directory, 'tokens.json')).mode & 0o777).toBe(0o600);
}, 240_000);

it('a database with accounts of somebody’s own gets no demo, and the log says so', async () => {
  const directory = newDirectory();
  const database = await openDatabase({ directory });
  await database.prisma.account.create({
    data: { id: '11111111-2222-4333-8444-555555555555', name: 'Eve', createdAt: new Date() },
  });
  await database.close();
  const lines: string[] = [];
  const gateway = await start(directory, lines);
  expect([gateway.hasDemo, await gateway.means.database.prisma.account.count()]).toEqual([false, 1]);
  await gateway.close();
  expect(lines.join('')).toContain('no demo workspace: the database was not empty');
});
