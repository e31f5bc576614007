import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The arguments are wrong: the message and the command's usage are shown, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An option that came with a value that does not fit. */
export const misfit = (option: string, expected: string, got: string): UsageError =>
  new UsageError(`--${option}: expected ${expected}, got ${JSON.stringify(got.slice(0, 100))}.`);

/** What could not be done, in words for whoever asked; the exit code is 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The environment's variables, which `readConfig` reads. */
export type Environment = NodeJS.ProcessEnv;

/** An option of a command, as its usage shows it. */
export interface Option {
  readonly value?: string;
  readonly multiple?: boolean;
  readonly about: string;
}

export interface Command {
  /** `account create`, or `serve`. */
  readonly name: string;
  readonly about: string;
  /** What is given without a name, if anything; several if its name ends in an ellipsis. */
  readonly operand?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Gives the exit code. */
  run(given: Given, env: Environment): Promise<number>;
}

/** What was given to a command. */
export interface Given {
  readonly operand: string | undefined;
  readonly operands: readonly string[];
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

/** @throws UsageError for unknown options, missing values and superfluous operands. */
export function readArguments(command: Command, args: readonly string[]): Given {
  const { values, positionals } = parsed(command, args);
  const [operand] = positionals;
  if (command.operand !== undefined && !operand) {
    throw new UsageError(`Expected ${command.operand}, got nothing.`);
  }
  const extra = positionals.slice(mostOperands(command))[0];
  if (extra !== undefined) throw new UsageError(`Expected no ${JSON.stringify(extra)} here.`);
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const texts = (name: string) => {
    const value = values[name];
    return Array.isArray(value) ? value.map(String) : [];
  };
  return { operand, operands: positionals, text, texts, flag: (name) => values[name] === true };
}

function mostOperands({ operand }: Command): number {
  if (operand === undefined) return 0;
  return operand.endsWith('…') ? Number.POSITIVE_INFINITY : 1;
}

function parsed({ options }: Command, args: readonly string[]) {
  const config: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple = false }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true });
  } catch (error) {
    // Node adds how to give an operand that looks like an option; one sentence is enough.
    throw new UsageError(error instanceof Error ? `${error.message.split(/\.\s/)[0]}.` : String(error));
  }
}

/** The usage of one command. */
export function usageOf({ name, about, operand, options }: Command): string {
  const entries = Object.entries(options).map(([option, { value, about }]) => [
    `--${option}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  const head = [
    'tidings',
    name,
    ...(operand === undefined ? [] : [operand]),
    ...(entries.length ? ['[options]'] : []),
  ];
  return [
    `Usage: ${head.join(' ')}`,
    '',
    about,
    ...(entries.length ? ['', 'Options:', table(entries)] : []),
  ].join('\n');
}

/** The usage of all. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, about }) => [name, about.split('. ')[0]?.replace(/\.$/, '') ?? '']);
  return `Usage: tidings <command> [options]\n\nCommands:\n${table(rows)}\n\ntidings <command> --help tells more. Variables of the environment are in .env.example.`;
}

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
