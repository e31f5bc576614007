import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort, OwnProcess, type Signal, until } from './own-process.js';
import { programPath, unprivileged } from './programs.js';

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

/** A PostgreSQL cluster of the test's own, in a temporary folder, with one empty database. */
export async function startOwnPostgres() {
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-postgres-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initdb = [
    ...['-D', data, '-U', 'tidings'],
    ...['--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
  ];
  await promisify(execFile)(need('initdb'), initdb, { ...user, cwd: folder });
  const port = await freePort();
  const url = `postgresql://tidings@127.0.0.1:${port}/postgres`;
  const settings = ['fsync=off', 'shared_buffers=32MB', 'max_connections=60', 'unix_socket_directories='];
  const command = [
    ...[need('postgres'), '-D', data, '-p', String(port)],
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const launch = async () => {
    const started = new OwnProcess(command, { ...user, cwd: folder });
    await until(`a PostgreSQL at port ${port}`, () => answers(url)).catch((error: unknown) => {
      throw new Error(`${String(error)} It said:\n${started.output}`);
    });
    return started;
  };
  let running = await launch();
  return {
    url,
    port,
    /** As told: INT ends all connections at once, QUIT and KILL are crashes. */
    stop: (signal: Signal = 'INT') => running.end(signal),
    async start(): Promise<void> {
      running = await launch();
    },
    async close(): Promise<void> {
      await running.end('QUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function need(name: Parameters<typeof programPath>[0]): string {
  const path = programPath(name);
  if (path === undefined) throw new Error(`Expected the program ${name}, found none.`);
  return path;
}
