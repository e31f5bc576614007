import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/database/open.js';
import { buildTemplate } from '../../src/database/template.js';

const root = mkdtempSync(join(tmpdir(), 'tidings-embedded-'));
const children = new Set<ChildProcess>();
let count = 0;
const newDirectory = () => join(root, `data ${++count}`);

beforeAll(() => buildTemplate());
afterEach(() => Promise.all([...children].map(kill)));
afterAll(() => rmSync(root, { recursive: true }));

function startWriter(directory: string): ChildProcess {
  const program = fileURLToPath(new URL('writer.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Lines of the writer, up to the one that holds `enough` of them; more may come while it is being killed. */
async function readLines(child: ChildProcess, lines: string[], enough: number): Promise<void> {
  if (child.stdout === null) throw new Error('Expected a child with a stdout.');
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  await vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(enough), 60_000);
}

const openPorts = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

const addAccount = (name: string) => ({ data: { id: randomUUID(), name, createdAt: new Date() } });

describe('the embedded database in a directory', () => {
  it('is made at the first start, for its owner alone, and found again at the next', async () => {
    const directory = newDirectory();
    const first = await openDatabase({ directory });
    expect(first).toMatchObject({ kind: 'embedded', fresh: true });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    await first.prisma.account.create(addAccount('kept'));
    expect(openPorts()).toBeGreaterThan(0);
    await Promise.all([first.close(), first.close()]);
    // Neither a thread nor a held lock stays behind.
    expect(openPorts()).toBe(0);
    expect(readdirSync(directory).sort()).toEqual(['database', 'lock.1']);

    const second = await openDatabase({ directory });
    expect(second.fresh).toBe(false);
    expect(await second.prisma.account.findMany({ select: { name: true } })).toEqual([{ name: 'kept' }]);
    await second.close();
  });

  it('refuses a second process and names the first; a kill gives the directory free with every acknowledged write', async () => {
    const directory = newDirectory();
    const writer = startWriter(directory);
    const written: string[] = [];
    await readLines(writer, written, 100);
    await expect(openDatabase({ directory })).rejects.toThrow(`in use by process ${writer.pid}.`);

    await kill(writer);
    const database = await openDatabase({ directory });
    const rows = await database.prisma.account.findMany({ select: { name: true } });
    const names = new Set(rows.map(({ name }) => name));
    expect(written.filter((name) => !names.has(name))).toEqual([]);
    // At most the one whose acknowledgement was under way.
    expect(names.size - written.length).toBeLessThanOrEqual(1);
    await database.close();
  });

  it('opens after a kill in the middle of the first start', async () => {
    const directory = newDirectory();
    const writer = startWriter(directory);
    await vi.waitFor(() => expect(existsSync(join(directory, 'database'))).toBe(true), {
      timeout: 60_000,
      interval: 1,
    });
    await kill(writer);
    const database = await openDatabase({ directory });
    expect(await database.prisma.account.count()).toBeGreaterThanOrEqual(0);
    await database.close();
  });

  it('makes anew only what a first start left unfinished', async () => {
    const directory = newDirectory();
    await (await openDatabase({ directory })).close();
    rmSync(join(directory, 'database', 'global', 'pg_control'));
    // Finished, so whatever is wrong with it, its files stay; and the lock is not kept.
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openDatabase({ directory })).rejects.toMatchObject({
        name: 'DatabaseStartError',
        message: expect.stringContaining('could not be opened'),
      });
    }
    expect(readdirSync(join(directory, 'database'))).toContain('base');

    writeFileSync(join(directory, 'database.unfinished'), '');
    const database = await openDatabase({ directory });
    expect(database.fresh).toBe(true);
    expect(existsSync(join(directory, 'database.unfinished'))).toBe(false);
    await database.close();
  });
});
