import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a Unix socket's path that every kernel takes: sun_path is 108 on Linux, 104 on macOS, with its final zero. */
const MAX_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * Calls `use` with a path of `name` in `directory` that is short enough to bind or connect, however long the directory's own is: Linux
 * can go through the open directory. The path holds only until `use` settles.
 * @throws Error where the path is too long and the system offers no way around.
 */
export async function withSocketPath<T>(
  directory: string,
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= MAX_BYTES) return use(path);
  if (process.platform !== 'linux') {
    throw new Error(
      `${path}: expected a path of at most ${MAX_BYTES} bytes for a socket. Choose a shorter directory.`,
    );
  }
  const open = openSync(directory, 'r');
  try {
    return await use(`/proc/self/fd/${open}/${name}`);
  } finally {
    closeSync(open);
  }
}
