import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the system keeps servers, which is not on everybody's path. */
const SYSTEM = '/usr/sbin';

const PACKAGED = '/usr/lib/postgresql';

/** Where programs are looked for: the newest PostgreSQL that is packaged, then wherever the shell would look. */
const folders = (): readonly string[] => {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...versions.map((version) => join(PACKAGED, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
    SYSTEM,
  ];
};

/** The programs that tests start servers of their own with. */
export const PROGRAMS = ['initdb', 'postgres', 'redis-server'] as const;

export function programPath(name: (typeof PROGRAMS)[number] | 'nginx'): string | undefined {
  return folders()
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** PostgreSQL does not run as root: the user to be in its place. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('Expected a user postgres or nobody to run PostgreSQL as, found neither.');
}
