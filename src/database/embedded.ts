import { constants } from 'node:fs';
import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireDataDirectory, unusable } from './directory.js';
import { type DirectoryLock, lockDirectory } from './directory-lock.js';
import { type Engine, startEngine } from './engine.js';
import { EXTENSIONS } from './engine-pool.js';
import { DatabaseStartError } from './faults.js';
import type { Migration } from './migrations.js';
import { readTemplate } from './template.js';

/**
 * Starts the embedded database on a directory, which is made when there is none, or in memory. Its files are in `directory/database`,
 * beside the lock; what else is in the directory stays untouched. An acknowledged write outlives the process, however it dies, but not
 * the machine: the engine never waits for the disk.
 * @throws DatabaseStartError when the directory cannot be used, another process has it (its pid is named), or what is in it cannot be
 * opened.
 */
export async function startEmbedded(
  directory: string | undefined,
  migrations: readonly Migration[],
): Promise<Engine> {
  if (directory === undefined) return startEngine(await dataOf(null, migrations));
  await requireDataDirectory(directory);
  try {
    return await startIn(directory, migrations);
  } catch (error) {
    throw unusable(directory, error);
  }
}

async function startIn(directory: string, migrations: readonly Migration[]): Promise<Engine> {
  const lock = await lockDirectory(directory);
  try {
    return unlockedAfter(await startLocked(directory, migrations), lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Lies beside a database that is not whole, and tells it from one that holds data. */
const MARK = 'database.unfinished';

/** Does a part of a first start. A database whose first start was killed in it, or failed, is made anew at the next one. */
export async function unfinishedDuring<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const mark = join(directory, MARK);
  await writeFile(mark, 'The database beside this file is not whole. It is made anew at the next start.\n');
  const result = await work();
  await rm(mark);
  return result;
}

async function startLocked(directory: string, migrations: readonly Migration[]): Promise<Engine> {
  const files = join(directory, 'database');
  const names = await readdir(directory);
  if (names.includes('database') && !names.includes(MARK)) return reopen(files);
  return unfinishedDuring(directory, async () => {
    await rm(files, { recursive: true, force: true });
    return startEngine(await dataOf(files, migrations));
  });
}

async function reopen(files: string): Promise<Engine> {
  // The engine does not tell what it may not read from what it does not understand.
  await access(join(files, 'PG_VERSION'), constants.R_OK | constants.W_OK);
  try {
    return await startEngine({ directory: files, template: null, extensions: EXTENSIONS });
  } catch (cause) {
    throw new DatabaseStartError(
      `${files} could not be opened: expected a database of this version of Tidings. ` +
        'Restore it from a backup, or set DATA_DIR to another directory.',
      { cause },
    );
  }
}

const dataOf = async (directory: string | null, migrations: readonly Migration[]) => ({
  directory,
  template: await readTemplate(migrations),
  extensions: EXTENSIONS,
});

const unlockedAfter = (engine: Engine, lock: DirectoryLock): Engine => ({
  ...engine,
  close: async () => {
    await engine.close();
    await lock.release();
  },
});
