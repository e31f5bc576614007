import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseStartError } from './faults.js';

/**
 * Makes DATA_DIR, and those above it that are missing, for their owner alone.
 * @throws DatabaseStartError at once where it cannot be made, read or written.
 */
export async function requireDataDirectory(directory: string): Promise<void> {
  try {
    await make(resolve(directory));
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(directory, error);
  }
}

/** What the system refuses in DATA_DIR, for whoever starts Tidings; any other error as it is. */
export function unusable(directory: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new DatabaseStartError(
    `DATA_DIR: expected a directory that can be made, read and written, got ${directory} (${error.message}). ` +
      'Correct its permissions, or set DATA_DIR to another directory.',
    { cause: error },
  );
}

/** Step by step, since Node's own way of making several tries for ever where the system makes none, as in /proc. */
async function make(directory: string): Promise<void> {
  if (await exists(directory)) return;
  if (dirname(directory) !== directory) await make(dirname(directory));
  await mkdir(directory, { mode: 0o700 }).catch(async (error: unknown) => {
    // Somebody else made it meanwhile.
    if (!(await exists(directory))) throw error;
  });
}

async function exists(directory: string): Promise<boolean> {
  try {
    return (await stat(directory)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
