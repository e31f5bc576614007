import { randomBytes } from 'node:crypto';
import { chmod, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseStartError } from './faults.js';
import { withSocketPath } from './socket-path.js';

// A directory is held by a process that listens on a socket in it, so the kernel itself ends the hold with the process's last thread,
// however it died, and no pid has to be trusted. What says who holds it is a link:
//
//   lock.7 -> holder.4711.5f0c92ab11de     4711 is the holder's pid, for people
//
// Making a link is atomic and fails where one is, so of all who find lock.7 stale one makes lock.8. The link of the highest number is
// never removed, not even on release: somebody who read the directory long ago may still be about to make a lower one, and must find
// then, when he looks again, that he was overtaken.

/** A directory that this process alone works in. */
export interface DirectoryLock {
  /** Gives the directory free. */
  release(): Promise<void>;
}

/**
 * Takes an existing directory for this process, at once or not at all.
 * @throws DatabaseStartError that names the holder's pid while another process (or another part of this one) has it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const name = `holder.${process.pid}.${randomBytes(6).toString('hex')}`;
  const server = await listen(directory, name);
  const release = async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(join(directory, name), { force: true });
  };
  try {
    const generation = await claim(directory, name);
    await sweep(directory, generation);
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

/** Makes the next link, and returns its number, unless whoever made the newest one lives. */
async function claim(directory: string, name: string): Promise<number> {
  for (;;) {
    const newest = await newestGeneration(directory);
    await refuseIfHeld(directory, newest);
    const mine = newest + 1;
    if (!(await linked(name, lockPath(directory, mine)))) continue;
    // Another may have gone further, and swept the number that we then took, since we read the directory.
    if ((await newestGeneration(directory)) === mine) return mine;
    await rm(lockPath(directory, mine), { force: true });
  }
}

async function refuseIfHeld(directory: string, generation: number): Promise<void> {
  const holder = generation === 0 ? null : await readlink(lockPath(directory, generation)).catch(missing);
  if (holder === null || !(await listens(directory, holder))) return;
  throw new DatabaseStartError(
    `${directory} is in use by process ${holder.split('.')[1]}. Stop that process, or set DATA_DIR to another directory.`,
  );
}

/** Removes the links below ours, and what they point to: the dead, and those who are about to see that they lost. */
async function sweep(directory: string, ours: number): Promise<void> {
  for (const generation of await generations(directory)) {
    if (generation >= ours) continue;
    const path = lockPath(directory, generation);
    const holder = await readlink(path).catch(missing);
    await rm(path, { force: true });
    if (holder !== null) await rm(join(directory, holder), { force: true });
  }
}

/** 0 where there never was one. */
const newestGeneration = async (directory: string) => Math.max(0, ...(await generations(directory)));

async function generations(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice('lock.'.length))] : []));
}

const lockPath = (directory: string, generation: number) => join(directory, `lock.${generation}`);

async function linked(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function listen(directory: string, name: string): Promise<Server> {
  return withSocketPath(directory, name, async (path) => {
    const server = createServer((socket) => socket.destroy()).unref();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    await chmod(path, 0o600);
    return server;
  });
}

/** Only a refused connection, or no socket at all, is a proof of death; a holder that is stopped or busy still has its socket. */
function listens(directory: string, name: string): Promise<boolean> {
  return withSocketPath(
    directory,
    name,
    (path) =>
      new Promise((resolve) => {
        const socket = connect(path);
        socket.once('connect', () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '')));
      }),
  );
}

function missing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
