import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs a program until it ends, or until its own input says a signal's name; the end of the input is one too, so that nothing outlives
 * a test that was killed. What runs in a shell's background has no input of its own, hence the third one.
 */
const KEEPER = `exec 3<&0
"$@" 3<&- & child=$!
{ read signal <&3 || signal=KILL; kill -s $signal $child; } & reader=$!
wait $child
kill $reader 2>/dev/null
exit 0`;

export type Signal = 'INT' | 'TERM' | 'QUIT' | 'KILL';

export interface OwnProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** As whom; the user of the tests by default. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/** A program that runs for one test, and ends with it whatever becomes of the test. */
export class OwnProcess {
  readonly #keeper: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';

  constructor(command: readonly string[], options: OwnProcessOptions = {}) {
    this.#keeper = spawn('sh', ['-c', KEEPER, 'sh', ...command], { ...options, stdio: 'pipe' });
    this.#ended = once(this.#keeper, 'close');
    for (const stream of [this.#keeper.stdout, this.#keeper.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
    // Its input is closed once it has ended by itself.
    this.#keeper.stdin?.on('error', () => undefined);
  }

  /** All that it has said. */
  get output(): string {
    return this.#output;
  }

  get hasEnded(): boolean {
    return this.#keeper.exitCode !== null;
  }

  /** Resolves when it is gone. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  async end(signal: Signal): Promise<void> {
    this.#keeper.stdin?.end(`${signal}\n`);
    await this.#ended;
  }
}

/** A port that is free and stays free of connections that go out, which take those above 32767. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]);
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Asks until the answer is yes, for half a minute. */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await ask()) return;
    await sleep(50);
  }
  throw new Error(`Expected ${what} within half a minute.`);
}
