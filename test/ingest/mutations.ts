import { DomainError } from '../../src/errors.js';
import { eventContent } from '../../src/events/content.js';
import { FORMAT_NAMES, parseFormat } from '../../src/ingest/formats.js';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import type { EndReason } from '../../src/ingest/reducer.js';
import { IngestStream, type Piece } from '../../src/ingest/stream.js';
import { ownRecordings, sharedRecordings } from './recordings.js';
import { SESSION } from './streams.js';

/* Damaged recordings: bytes flipped, lines cut, doubled and shuffled, streams of two formats mixed; and what has to be true of them all. */

export type Random = () => number;

/** Mulberry32: the same numbers for the same seed, so that a finding can be had again. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const below = (random: Random, end: number): number => Math.floor(random() * end);
const pick = <T>(random: Random, from: readonly T[], otherwise: T): T =>
  from[below(random, from.length)] ?? otherwise;

/** What is longer gives a part of it, so that every run is short. */
const LONGEST = 24_000;

export const MATERIAL = FORMAT_NAMES.flatMap((format) =>
  [...ownRecordings(format), ...sharedRecordings(format)].map(({ bytes }) => ({ format, bytes })),
);

function part(random: Random, bytes: Uint8Array): Uint8Array {
  const from = below(random, Math.max(1, bytes.length - LONGEST + 1));
  return bytes.subarray(from, from + LONGEST);
}

type Damage = (random: Random, lines: string[]) => void;

const DAMAGES: readonly Damage[] = [
  (random, lines) => {
    const at = below(random, lines.length);
    const line = lines[at] ?? '';
    lines[at] = line.slice(0, below(random, line.length + 1));
  },
  (random, lines) => {
    lines.splice(below(random, lines.length), 0, lines[below(random, lines.length)] ?? '');
  },
  (random, lines) => {
    lines.splice(below(random, lines.length), 1 + below(random, 3));
  },
  (random, lines) => {
    const from = below(random, lines.length);
    const some = lines.splice(from, 2 + below(random, 20));
    lines.splice(from, 0, ...some.sort(() => random() - 0.5));
  },
  (random, lines) => {
    const { bytes } = pick(random, MATERIAL, { format: '', bytes: new Uint8Array() });
    const others = Buffer.from(part(random, bytes)).toString().split('\n');
    lines.splice(below(random, lines.length), 0, ...others.slice(0, below(random, 30)));
  },
];

function damaged(random: Random, bytes: Uint8Array): Buffer {
  const lines = Buffer.from(part(random, bytes)).toString().split('\n');
  for (let times = below(random, 6); times > 0; times -= 1)
    pick(random, DAMAGES, () => undefined)(random, lines);
  const text = Buffer.from(lines.join('\n'));
  for (let times = below(random, 12); times > 0 && text.length > 0; times -= 1) {
    text[below(random, text.length)] = below(random, 256);
  }
  return text;
}

const ENDS: readonly EndReason[] = ['eof', 'cutoff', 'timeout', 'stopped', 'limit'];
const FAULTS = new Set(['PAYLOAD_TOO_LARGE', 'BAD_USER_INPUT']);

/** Reads one damaged recording, put down and taken up again in its middle. Throws for anything that is not as it has to be. */
export function readDamaged(seed: number): void {
  const random = randomOf(seed);
  const { format, bytes } = pick(random, MATERIAL, { format: '', bytes: new Uint8Array() });
  const stream = damaged(random, bytes);
  const known = random() < 0.7 ? format : random() < 0.5 ? pick(random, FORMAT_NAMES, format) : null;
  const tight = random() < 0.1;
  const limits = tight ? { lineBytes: 2_000, jsonDepth: 8, openBlocks: 2, heldBytes: 1_000 } : DEFAULT_LIMITS;
  const given = { sessionId: SESSION, run: 'fuzz', limits };
  let reading = new IngestStream({ ...given, format: known === null ? undefined : parseFormat(known) });
  const cut = below(random, stream.length + 1);
  check(reading.push(stream.subarray(0, cut)));
  if (reading.fault === undefined) {
    const point = reading.point();
    const begun = point.format === null ? (known ?? null) : point.format;
    reading = new IngestStream({
      ...given,
      format: begun === null ? undefined : parseFormat(begun),
      from: point,
    });
    check(reading.push(stream.subarray(point.offset)));
  }
  const { fault } = reading;
  if (fault !== undefined && !(fault instanceof DomainError && FAULTS.has(fault.code))) throw fault;
  check(reading.end(pick(random, ENDS, 'eof')));
}

function check({ events, ending }: Piece): void {
  for (const event of [...events, ...ending]) {
    const { error } = eventContent.safeParse(event);
    if (error !== undefined) throw new Error(`${event.kind}: ${error.message}`);
  }
}
