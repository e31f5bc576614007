import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventInput } from '../../src/events/content.js';
import { FORMAT_NAMES, parseFormat } from '../../src/ingest/formats.js';
import { runOf } from '../../src/ingest/resuming.js';
import { IngestStream, type Piece, type StreamPoint } from '../../src/ingest/stream.js';
import { ownRecordings, type Recording, recordedEvents, sharedRecordings } from './recordings.js';
import { bytesOf, ingest, SESSION } from './streams.js';

/*
 * A writer that broke off goes on where its stream was kept, and the events are those of a stream that never broke. Here without a
 * database; test/http/resuming.test.ts does it over the wire.
 */

const RUN = runOf('s');
const MAX_CHUNK = 4_096;

const recordingsOf = (format: string) =>
  format === 'tidings' ? recordedEvents() : [...ownRecordings(format), ...sharedRecordings(format)];

const RECORDINGS = FORMAT_NAMES.flatMap((format) =>
  recordingsOf(format).map((recording) => ({ format, ...recording })),
);

const open = (from?: StreamPoint) =>
  new IngestStream({
    sessionId: SESSION,
    run: RUN,
    format: from?.format ? parseFormat(from.format) : undefined,
    ...(from && { from }),
  });

const eventsOf = ({ events, ending }: Piece) => [...events, ...ending];

interface Told {
  readonly events: EventInput[];
  point: StreamPoint | undefined;
}

/** Reads bytes in chunks. What a piece says is committed with the stream's place, as `Intake` does it. */
function readInto(told: Told, stream: IngestStream, bytes: Uint8Array, chunk: number): void {
  for (let from = 0; from < bytes.length; from += chunk) {
    const piece = stream.push(bytes.subarray(from, from + chunk));
    if (eventsOf(piece).length === 0) continue;
    told.events.push(...eventsOf(piece));
    if (stream.fault === undefined) told.point = stream.point();
  }
}

/** The events if the stream breaks off after each of `cuts` bytes; `isKept`: the server sees it, and keeps what it had read. */
function broken({ bytes }: Recording, cuts: readonly number[], chunk: number, isKept: boolean) {
  const told: Told = { events: [], point: undefined };
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const from = told.point?.offset ?? 0;
    const stream = open(told.point);
    if (cut > from) readInto(told, stream, bytes.subarray(from, cut), chunk);
    if (stream.fault !== undefined) return told.events;
    if (isKept) told.point = stream.point();
  }
  const last = open(told.point);
  readInto(told, last, bytes.subarray(told.point?.offset ?? 0), chunk);
  told.events.push(...eventsOf(last.end()));
  return told.events;
}

const unbroken = ({ bytes }: Recording) => ingest([bytes], { format: null, run: RUN }).events;

test('there are recordings of every format', () => {
  expect(new Set(RECORDINGS.map(({ format }) => format))).toEqual(new Set(FORMAT_NAMES));
});

describe.each(RECORDINGS)('$format $name', (recording) => {
  const expected = unbroken(recording);
  const cut = fc.integer({ min: 0, max: recording.bytes.length });
  const chunk = fc.integer({ min: Math.min(64, recording.bytes.length), max: MAX_CHUNK });
  const numRuns = recording.bytes.length > 500_000 ? 3 : 12;

  test.each([
    ['the server is killed', false],
    ['the connection breaks', true],
  ])('goes on where %s, wherever that is', (_, isKept) => {
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), chunk, (cuts, size) => {
        expect(broken(recording, cuts, size, isKept)).toEqual(expected);
      }),
      { numRuns },
    );
  });
});

test('at every single byte of a stream, in every framing', () => {
  const [short] = ownRecordings().sort((a, b) => a.bytes.length - b.bytes.length);
  const objects = new TextDecoder()
    .decode(short?.bytes)
    .trim()
    .split('\n')
    .slice(0, 40)
    .map((line): unknown => JSON.parse(line));
  const shapes = [
    objects.map((object) => `${JSON.stringify(object)}\r\n`).join('noise\n'),
    JSON.stringify(objects, null, 1),
    `: hi\n\n${objects.map((object) => `event: x\ndata: ${JSON.stringify(object)}\n\n`).join('')}`,
  ];
  for (const shape of shapes) {
    const recording = { name: '', bytes: bytesOf(shape) };
    const expected = unbroken(recording);
    for (let at = 0; at <= recording.bytes.length; at += 1) {
      const events = broken(recording, [at], MAX_CHUNK, at % 2 === 0);
      // Compared by ids, which are hashes of all they say.
      expect(events.map(({ eventId }) => eventId)).toEqual(expected.map(({ eventId }) => eventId));
    }
  }
});

test('what is kept of a stream is no longer than what it holds open', () => {
  const [recording] = ownRecordings();
  const stream = open();
  stream.push(bytesOf(new TextDecoder().decode(recording?.bytes).repeat(200)));
  expect(stream.point().state.length).toBeLessThan(recording?.bytes.length ?? 0);
});
