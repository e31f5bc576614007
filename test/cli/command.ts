import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Begins `tidings …` as a process of its own, from the source. `output` grows while it runs. */
export function begin(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...args], {
    cwd: root,
    // What the tests run on is none of the command's business.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text;
  });
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...output }));
  });
  return { child, output, ended };
}

/** Runs `tidings …` to its end. */
export const run = (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome> =>
  begin(args, env).ended;
