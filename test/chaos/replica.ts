import { fileURLToPath } from 'node:url';
import { OwnProcess, type Signal } from '../servers/own-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A gateway as a process of its own, which is started again whenever it ends: while its database is away it cannot start. */
export class Replica {
  readonly port: number;
  readonly #env: NodeJS.ProcessEnv;
  readonly #said: string[] = [];
  #process: OwnProcess;
  #closing = false;
  starts = 0;

  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.port = port;
    const { PATH, HOME } = process.env;
    this.#env = { PATH, HOME, HOST: '127.0.0.1', PORT: String(port), RATE_LIMIT: 'off', ...env };
    this.#process = this.#start();
  }

  /** It takes requests, as far as it has said. */
  get listens(): boolean {
    return this.#process.output.includes('"listening"') && !this.#process.output.includes('"stopping"');
  }

  /** How often a process that was told to stop was not done in time, and left everything as it was. */
  get abandoned(): number {
    return this.#lines.filter((line) => line.startsWith('{"level":60')).length;
  }

  /** What its processes have logged as errors. */
  get errors(): readonly string[] {
    return this.#lines.flatMap((line) => {
      if (!line.startsWith('{"level":50')) return [];
      const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
      return [`${msg}: ${err?.message.replaceAll('\n', ' ')}`];
    });
  }

  /** Ends the process, and starts another. */
  async restart(signal: Signal): Promise<void> {
    await this.#process.end(signal);
    this.#said.push(this.#process.output);
    if (!this.#closing) this.#process = this.#start();
  }

  /** Starts another process in the place of one that ended by itself. */
  async revive(): Promise<void> {
    if (this.#process.hasEnded) await this.restart('KILL');
  }

  async close(signal: Signal): Promise<void> {
    this.#closing = true;
    await this.#process.end(signal);
    this.#said.push(this.#process.output);
  }

  get #lines(): readonly string[] {
    return [...this.#said, this.#process.output].join('\n').split('\n');
  }

  #start(): OwnProcess {
    this.starts += 1;
    return new OwnProcess([process.execPath, '--import', 'tsx', 'src/cli.ts', 'serve'], {
      cwd: root,
      env: this.#env,
    });
  }
}
