import { z } from 'zod';
import type { Hint } from './bus.js';

/** What one process tells the others at a time; one without hints only shows that the way is open. */
export interface Message {
  /** The process, by a name that is new at every start. */
  readonly from: string;
  /** Its messages are numbered 1, 2, 3 … */
  readonly number: number;
  readonly hints: readonly Hint[];
  /** Others were lost before these: whoever hears it looks at everything again. */
  readonly lost: boolean;
}

const message = z.object({
  from: z.string(),
  number: z.number(),
  hints: z.array(z.tuple([z.string(), z.number(), z.array(z.string())])),
  lost: z.boolean().optional(),
});

/** undefined for what is no message: another version's, or somebody else's. */
export function readMessage(text: string): Message | undefined {
  const parsed = message.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { from, number, hints, lost = false } = parsed.data;
  return { from, number, hints: hints.map(([log, head, topics]) => ({ log, head, topics })), lost };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Sender {
  readonly from: string;
  nextNumber(): number;
  /** Of a text. */
  readonly maxBytes: number;
}

/**
 * Texts that carry these hints, in order, as few as may be and at least one. A hint that is too large for any is left out: `lost` of
 * the first then says so.
 */
export function writeMessages(hints: readonly Hint[], lost: boolean, sender: Sender): readonly string[] {
  const fitting = hints.map(write).filter((hint) => Buffer.byteLength(hint) <= sender.maxBytes - FRAME);
  const bodies: string[][] = [[]];
  let bytes = 0;
  for (const hint of fitting) {
    bytes += Buffer.byteLength(hint) + 1;
    if (bytes > sender.maxBytes - FRAME) {
      bodies.push([]);
      bytes = Buffer.byteLength(hint) + 1;
    }
    bodies.at(-1)?.push(hint);
  }
  const incomplete = lost || fitting.length < hints.length;
  return bodies.map((body, index) => {
    const flag = incomplete && index === 0 ? ',"lost":true' : '';
    return `{"from":"${sender.from}","number":${sender.nextNumber()}${flag},"hints":[${body.join(',')}]}`;
  });
}

/** More bytes than a message has around its hints. */
const FRAME = 128;

const write = ({ log, head, topics }: Hint): string => JSON.stringify([log, head, topics]);
