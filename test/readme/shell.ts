import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { VARIABLES } from '../../src/config.js';
import { root } from './document.js';

/**
 * `npm ci` is what `.ci/run` does first. There, and only there, `dist` is sure to be what `src` is; elsewhere the source itself runs.
 */
const COMMANDS = process.env.CI
  ? 'npm() { [ "$1" = ci ] || command npm "$@"; }'
  : `tidings() { command node --import tsx src/cli.ts "$@"; }
     node() { if [ "$1" = dist/cli.js ]; then shift; tidings "$@"; else command node "$@"; fi; }
     npm() { case "$1" in ci) ;; start) tidings serve ;; *) return 1 ;; esac; }`;

/** Standard input ends when whoever started the shell has ended it, or is no more; then all that the shell started ends. */
const UNTIL_ALONE = 'exec 3<&0 </dev/null; { read -r <&3; kill -TERM 0; } >/dev/null 2>&1 &';

/** What the README's shell remembers from block to block. */
const KEPT = 'MEMBER SERVICE SESSION RUN ELICITATION BEFORE ACCOUNT';

/** A reader who types what the README says, with a directory and a port of its own in the place of the README's. */
export async function openShell(env: Readonly<Record<string, string>> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'tidings-readme-'));
  const dataDir = join(directory, '.tidings');
  const state = join(directory, 'state');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running = new Set<Running>();
  const unset = Object.fromEntries(VARIABLES.map((name) => [name, '']));
  const place = (text: string) =>
    text.replaceAll(/(\.\/)?\.tidings\//g, `${dataDir}/`).replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`);

  const start = (script: string): Running => {
    const prepared = [
      UNTIL_ALONE,
      'set -euo pipefail',
      COMMANDS,
      `[ ! -e ${state} ] || source ${state}`,
      place(script),
      `declare -p ${KEPT} >${state} 2>/dev/null || true`,
    ];
    const variables = { ...process.env, ...unset, PORT: String(port), DATA_DIR: dataDir, ...env };
    const started = new Running(prepared.join('\n'), variables);
    running.add(started);
    return started;
  };

  return {
    url,
    dataDir,
    place,
    /** Starts what goes on until it is ended. */
    start,
    /** Starts a server and waits until it says that it is ready; fails with all that it said if it does not get there. */
    async serve(script: string): Promise<Running> {
      const server = start(script);
      const askWhetherReady = async () => expect((await fetch(`${url}/ready`)).status).toBe(200);
      await vi.waitFor(askWhetherReady, { timeout: 45_000, interval: 50 }).catch(async () => {
        throw new Error(`Expected the server to be ready within 45 s. It said:\n${await server.end()}`);
      });
      return server;
    },
    /** Runs what ends by itself, and gives what it printed; fails with all that it said if it fails. */
    run: (script: string): Promise<string> => start(script).ended(),
    /** What a variable has been set to. */
    variable: (name: string): string | undefined =>
      new RegExp(`^declare \\S+ ${name}="(.*)"$`, 'm').exec(readFileSync(state, 'utf8'))?.[1],
    /** Ends whatever still runs. */
    async close(): Promise<void> {
      await Promise.all([...running].map((started) => started.end()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A shell and all that it started. */
class Running {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #printed = '';
  #complained = '';

  constructor(script: string, env: NodeJS.ProcessEnv) {
    // A group of its own, so that ending it ends all that it started.
    this.#child = spawn('bash', ['-c', script], { cwd: root, env, detached: true, stdio: 'pipe' });
    this.#closed = once(this.#child, 'close');
    this.#child.once('exit', () => this.#child.stdin?.end());
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#printed += chunk;
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#complained += chunk;
    });
  }

  get printed(): string {
    return this.#printed;
  }

  async ended(): Promise<string> {
    await this.#closed;
    // A newer npm is no fault of what was typed.
    const complained = this.#complained.replaceAll(/^npm notice.*\n/gm, '');
    expect({ exitCode: this.#child.exitCode, complained }).toEqual({ exitCode: 0, complained: '' });
    return this.#printed;
  }

  /** Asks all of it to stop, and waits until it has; gives all that it said. */
  async end(): Promise<string> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#signal('SIGTERM');
    const insist = setTimeout(() => this.#signal('SIGKILL'), 10_000);
    await this.#closed;
    clearTimeout(insist);
    return this.#printed + this.#complained;
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined) process.kill(-pid, signal);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
