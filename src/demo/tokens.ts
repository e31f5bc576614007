import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { SECRET } from '../accounts/secrets.js';

const secret = z.string().regex(SECRET);
const tokens = z.object({ admin: secret, member: secret, service: secret, run: secret });

/** The demo workspace's secrets, one of each kind of caller. */
export type DemoTokens = z.output<typeof tokens>;

export const tokensFile = (dataDir: string): string => resolve(dataDir, 'tokens.json');

/** Writes the secrets into an existing directory, where only their owner reads them: never, not for a moment, with other permissions. */
export async function writeTokens(dataDir: string, secrets: DemoTokens): Promise<void> {
  const file = tokensFile(dataDir);
  const unfinished = `${file}.unfinished`;
  // A start that was killed may have left one; what is new is made with the permissions that are asked for.
  await rm(unfinished, { force: true });
  await writeFile(unfinished, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(unfinished, file);
}

/** The secrets of the demo workspace in this directory; undefined where none was made or the file is not readable. */
export async function readTokens(dataDir: string): Promise<DemoTokens | undefined> {
  try {
    return tokens.parse(JSON.parse(await readFile(tokensFile(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}
