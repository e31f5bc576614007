import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { lockDirectory } from '../../src/database/directory-lock.js';

/** Where the next start that comes by is held: after it looked into the directory, or before it makes its link. */
const pause = vi.hoisted(() => ({
  looked: null as Promise<void> | null,
  linking: null as Promise<void> | null,
}));

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const taken = async (point: keyof typeof pause) => {
    const held = pause[point];
    pause[point] = null;
    await held;
  };
  const readdir = async (path: string) => {
    const names = await fs.readdir(path);
    await taken('looked');
    return names;
  };
  const symlink = async (target: string, path: string) => {
    await taken('linking');
    await fs.symlink(target, path);
  };
  return { ...fs, readdir, symlink };
});

const root = mkdtempSync(join(tmpdir(), 'tidings-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
function newDirectory(name = `${++count}`): string {
  const directory = join(root, name);
  mkdirSync(directory);
  return directory;
}

/** A start that has come to that point, and goes on only when `proceed` is called. */
async function slowStart(directory: string, point: keyof typeof pause) {
  let proceed = () => {};
  pause[point] = new Promise((resolve) => {
    proceed = resolve;
  });
  const start = lockDirectory(directory);
  await vi.waitFor(() => expect(pause[point]).toBeNull());
  return { start, proceed };
}

/** What a holder leaves that was killed. */
const leaveStale = (directory: string, generation: number, pid = 1) =>
  symlinkSync(`holder.${pid}.dead`, join(directory, `lock.${generation}`));

describe('the lock of a directory', () => {
  it('refuses a second holder and names the first, until it is released', async () => {
    const directory = newDirectory();
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(
      `${directory} is in use by process ${process.pid}.`,
    );
    await lock.release();
    await (await lockDirectory(directory)).release();
  });

  it('takes over from a dead holder, whatever lives under its pid now', async () => {
    const directory = newDirectory();
    leaveStale(directory, 3, process.pid);
    const lock = await lockDirectory(directory);
    await lock.release();
  });

  it('is won by exactly one of many who find it stale at once', async () => {
    const directory = newDirectory();
    leaveStale(directory, 1);
    for (let round = 0; round < 30; round++) {
      const starts = await Promise.allSettled(Array.from({ length: 12 }, () => lockDirectory(directory)));
      const won = starts.filter((start) => start.status === 'fulfilled');
      const lost = starts.filter((start) => start.status === 'rejected');
      expect(won).toHaveLength(1);
      for (const { reason } of lost) expect(reason).toMatchObject({ name: 'DatabaseStartError' });
      for (const { value } of won) await value.release();
    }
  });

  it('is not won by one who slept after looking, while two others took over', async () => {
    const directory = newDirectory();
    leaveStale(directory, 1);
    const slow = await slowStart(directory, 'looked');
    await (await lockDirectory(directory)).release();
    const holder = await lockDirectory(directory);
    slow.proceed();
    await expect(slow.start).rejects.toThrow(`process ${process.pid}.`);
    await holder.release();
  });

  it('is not won by one who slept before taking over from a dead holder, while another did', async () => {
    const directory = newDirectory();
    await (await lockDirectory(directory)).release();
    const slow = await slowStart(directory, 'linking');
    const holder = await lockDirectory(directory);
    slow.proceed();
    await expect(slow.start).rejects.toThrow(`process ${process.pid}.`);
    await holder.release();
  });

  it('is held by one at a time while others come, take over and go', async () => {
    const directory = newDirectory();
    let holders = 0;
    let held = 0;
    const worker = async () => {
      for (let attempt = 0; attempt < 40; attempt++) {
        const lock = await lockDirectory(directory).catch(() => null);
        if (lock === null) continue;
        holders++;
        held++;
        expect(holders).toBe(1);
        await new Promise(setImmediate);
        expect(holders).toBe(1);
        holders--;
        await lock.release();
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(held).toBeGreaterThan(1);
  });

  it('leaves one link behind, however often it was taken', async () => {
    const directory = newDirectory();
    for (let i = 0; i < 5; i++) await (await lockDirectory(directory)).release();
    expect(readdirSync(directory)).toEqual(['lock.5']);
  });

  it('works where the path is too long for a socket', async () => {
    const directory = newDirectory('long-'.repeat(40));
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(`process ${process.pid}.`);
    await lock.release();
    await (await lockDirectory(directory)).release();
  });
});
