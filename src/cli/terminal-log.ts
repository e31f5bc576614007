import { type DestinationStream, type Logger, pino } from 'pino';
import { traceFields } from '../http/trace.js';

/** Credentials never reach a log, wherever they hide. */
const redact = ['headers.authorization', 'authorization', 'token', 'secret'];

/** JSON lines for machines; for a person at a terminal the same in short. */
export function createLog(level: string, isTerminal: boolean): Logger {
  const options = { level, redact, mixin: traceFields };
  return isTerminal ? pino(options, TERMINAL) : pino(options);
}

const TERMINAL: DestinationStream = {
  write: (line) => {
    process.stdout.write(`${readable(JSON.parse(line))}\n`);
  },
};

function readable({ level, time, pid: _, hostname: __, msg, err, ...rest }: Record<string, unknown>): string {
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const name = pino.levels.labels[Number(level)] ?? '';
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof err === 'object' && err !== null ? `\n${String(Reflect.get(err, 'stack'))}` : '';
  return [clock, name.padEnd(5), msg, ...details].join(' ') + stack;
}
