import { writeFile } from 'node:fs/promises';
import { ConfigError } from '../config.js';
import { DatabaseStartError } from '../database/faults.js';
import { DomainError } from '../errors.js';
import { ACCOUNT_COMMANDS } from './accounts.js';
import { IMPORT } from './import.js';
import { REPLAY } from './replay.js';
import {
  type Command,
  CommandError,
  type Environment,
  overview,
  readArguments,
  UsageError,
  usageOf,
} from './usage.js';

// What a command needs is loaded when it runs: most of them need little of the gateway.
const SERVE: Command = {
  name: 'serve',
  about: 'Run the gateway until it is told to stop. Configured by the environment.',
  options: {},
  run: async (_, env) => (await import('./serve.js')).serve(env),
};

const SCHEMA: Command = {
  name: 'schema',
  about: 'Print the GraphQL schema, sorted.',
  options: { out: { value: 'FILE', about: 'Write it there instead.' } },
  run: async (given) => {
    const { printedSchema } = await import('../schema.js');
    const file = given.text('out');
    if (file === undefined) process.stdout.write(printedSchema());
    else await writeFile(file, printedSchema());
    return 0;
  },
};

const COMMANDS: readonly Command[] = [SERVE, ...ACCOUNT_COMMANDS, REPLAY, IMPORT, SCHEMA];

/** Runs one command; gives its exit code: 0 done, 1 failed, 2 not understood. */
export async function main(args: readonly string[], env: Environment): Promise<number> {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
  if (command === undefined) return explain(args);
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(usageOf(command));
    return 0;
  }
  try {
    return await command.run(readArguments(command, rest), env);
  } catch (error) {
    console.error(shown(error));
    if (!(error instanceof UsageError)) return 1;
    console.error(`\n${usageOf(command)}`);
    return 2;
  }
}

/** No command, or none of that name: the usage of all, or of those that begin alike. */
function explain(args: readonly string[]): number {
  const family = COMMANDS.filter(({ name }) => name.startsWith(`${args[0]} `));
  const text = overview(family.length > 0 ? family : COMMANDS);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(text);
    return 0;
  }
  const given = args.length > 0 ? `Unknown command: ${args.join(' ')}` : 'Expected a command.';
  console.error(`${given}\n\n${text}`);
  return 2;
}

/** What a person can act on is one sentence; a fault of ours comes with its stack. */
function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isForPeople = [UsageError, CommandError, ConfigError, DatabaseStartError, DomainError].some(
    (kind) => error instanceof kind,
  );
  if (isForPeople) return error.message;
  const system = error as NodeJS.ErrnoException & { readonly address?: string; readonly port?: number };
  if (system.code === 'EADDRINUSE') {
    return `Port ${system.port} of ${system.address} is in use already. Stop what listens there, or set PORT to another.`;
  }
  return system.syscall === undefined ? (error.stack ?? error.message) : error.message;
}
