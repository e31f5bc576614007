import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, parseFormat, recogniseFormat } from '../../src/ingest/formats.js';
import { foreignRecordings, hasShared, ownRecordings, sharedRecordings } from './recordings.js';
import { framesOf, ingest } from './streams.js';

/** The formats that take a stream with this beginning for theirs. */
const takersOf = (bytes: Uint8Array): readonly string[] => {
  const [first] = framesOf(bytes);
  return first === undefined ? [] : FORMAT_NAMES.filter((name) => parseFormat(name).recognises(first));
};

describe.each(FORMAT_NAMES.filter((name) => name !== 'tidings'))('%s', (format) => {
  test('is taken for no other format', () => {
    const recordings = [...ownRecordings(format), ...sharedRecordings(format)];
    const takers = recordings.flatMap(({ bytes }) => takersOf(bytes));
    expect(new Set(takers)).toEqual(new Set([format]));
    expect(takers.length).toBeLessThanOrEqual(recordings.length);
  });
});

test.skipIf(!hasShared)('a stream of another program is refused with the list of formats', () => {
  const foreign = foreignRecordings();
  expect(foreign).toHaveLength(3);
  for (const { bytes } of foreign) {
    expect(takersOf(bytes)).toEqual([]);
    const { events, stream } = ingest([bytes], { format: null });
    expect(events).toEqual([]);
    expect(stream.fault).toMatchObject({ code: 'BAD_USER_INPUT', details: { formats: FORMAT_NAMES } });
  }
});

test('the first format that takes a stream is the only one', () => {
  const place = { unit: 'line', at: 1 } as const;
  const first = { value: { sessionIdle: { eventId: 'e' } }, event: undefined, place };
  expect(recogniseFormat(first).name).toBe('tidings');
  expect(FORMAT_NAMES.filter((name) => parseFormat(name).recognises(first))).toEqual(['tidings']);
});
