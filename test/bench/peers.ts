import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('./peers/', import.meta.url));

/** Where a peer's server is, to be forked. */
export const peerPath = (name: string): string => `${FOLDER}${name}.js`;

/**
 * Installs what Tidings is compared with, unless what is there is what the lock says. It is no dependency of Tidings: only the benches
 * that need it fetch it.
 * @throws Error that says what to do.
 */
export function installPeers(): void {
  if (isInstalled()) return;
  console.error('Installing the peers of the bench, once …');
  try {
    execFileSync('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (cause) {
    throw new Error(
      'Expected to install the peers of the bench, npm could not. With a registry in reach: npm ci --prefix test/bench/peers',
      { cause },
    );
  }
}

/** npm leaves a lock of its own beside what it has installed. */
function isInstalled(): boolean {
  const installed = `${FOLDER}node_modules/.package-lock.json`;
  return existsSync(installed) && versionsOf(installed) === versionsOf(`${FOLDER}package-lock.json`);
}

/** What a lock holds, beside the root's own entry and what the platform does not need. */
function versionsOf(lock: string): string {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages: Record<string, { readonly version?: string; readonly optional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { optional }]) => path !== '' && optional !== true)
    .map(([path, { version }]) => `${path}@${version}`)
    .sort()
    .join('\n');
}
