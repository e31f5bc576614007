import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/ingest/formats.js';
import { saidIn } from './private.js';
import { ownRecordings, sharedRecordings } from './recordings.js';
import { leaks, secretsOf } from './redaction.js';
import { ingest, objectsOf } from './streams.js';

/** Events as they are say what their writer wanted them to say. */
const FORMATS = FORMAT_NAMES.filter((format) => format !== 'tidings');

const RECORDINGS = FORMATS.flatMap((format) =>
  [...ownRecordings(format), ...sharedRecordings(format)].map((recording) => ({ format, ...recording })),
);

describe.each(RECORDINGS)('$format $name', ({ bytes, format }) => {
  test('lets out no string of a tool, of thinking or of a path, however the stream ends', () => {
    const objects = objectsOf(bytes);
    const said = saidIn(objects);
    expect(secretsOf(objects, said).length).toBeGreaterThan(0);
    for (const share of [1, 0.7, 0.3]) {
      const { events } = ingest([bytes.subarray(0, bytes.length * share)], { format, why: 'cutoff' });
      expect(leaks(objects, said, events)).toEqual([]);
    }
  });
});

test('names, arguments, results, thinking and paths are among what is looked for', () => {
  const secrets = RECORDINGS.flatMap(({ bytes }) => {
    const objects = objectsOf(bytes);
    return secretsOf(objects, saidIn(objects));
  });
  expect(secrets).toEqual(
    expect.arrayContaining([
      'search_reading_list',
      '/tmp/workspace/tabulate.py',
      'read 48 rows from /tmp/inputs/canopy.json',
      expect.stringContaining('I want measured winters'),
      'Overloaded (node 7, /srv/models/pool-3)',
    ]),
  );
});
