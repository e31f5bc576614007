import { z } from 'zod';
import { CommandError } from './usage.js';

/** Nothing answered where a server was expected. */
export class Unreachable extends CommandError {}

/** @throws Unreachable */
export async function reach<T>(url: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new Unreachable(
      `Expected a running server at ${url}: ${reasonOf(error)}. Start it, or correct --url.`,
    );
  }
}

/** fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.cause === undefined ? error.message || (code ?? error.name) : reasonOf(error.cause);
}

const refusal = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });

/** @throws CommandError with the errors that are in an answer, or that it is none of this API's. */
export function understood<T>(url: string, expected: z.ZodType<T>, text: string): T {
  const answer = jsonOf(text);
  const refused = refusal.safeParse(answer);
  if (refused.success) throw new CommandError(refused.data.errors.map(({ message }) => message).join('\n'));
  const read = expected.safeParse(answer);
  if (read.success) return read.data;
  throw new CommandError(`Expected a server of this API at ${url}, got another answer. Correct --url.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
