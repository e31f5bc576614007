import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/ingest/formats.js';
import { type House, openHouse } from '../events/house.js';
import { selectionOf } from '../events/selection.js';
import { saidIn } from '../ingest/private.js';
import { ownRecordings, type Recording, sharedRecordings } from '../ingest/recordings.js';
import { leaksInto, secretsOf } from '../ingest/redaction.js';
import { objectsOf } from '../ingest/streams.js';
import { sendUpload } from './uploads.js';

/*
 * P10 over the wire, with everything that the server says: to the runtime that sends a stream, whole, cut and damaged, to whoever reads
 * the session, and to its own log.
 */

let house: House;
const logged: string[] = [];
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  house = await openHouse({ log });
});
afterAll(() => house.close());

const FORMATS = FORMAT_NAMES.filter((format) => format !== 'tidings');
const RECORDINGS = FORMATS.flatMap((format) =>
  [...ownRecordings(format), ...sharedRecordings(format)]
    .filter(({ bytes }) => bytes.length < 300_000)
    .map((recording) => ({ format, ...recording })),
);

const EVENTS = `query ($id: ID!, $after: String) { session(sessionId: $id) { title status
  events(first: 200, after: $after) { pageInfo { hasNextPage endCursor } nodes ${selectionOf('SessionEvent', 3)} } } }`;

/** A byte in the middle becomes another, and a line is lost: errors of many kinds, some of them about a line. */
function damaged(bytes: Uint8Array): Uint8Array {
  const lines = Buffer.from(bytes).toString().split('\n');
  lines.splice(Math.floor(lines.length / 3), 1, `{"type":7,"${'x'.repeat(20)}":`);
  const text = Buffer.from(lines.join('\n'));
  text[Math.floor(text.length / 2)] = 0x7b;
  return text;
}

interface Page {
  readonly session: {
    readonly events: { readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string } };
  };
}

async function eventsOf(id: string): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { session }: Page = await house.ask<Page>('member', EVENTS, { id, after });
    pages.push(session);
    ({ hasNextPage: more, endCursor: after } = session.events.pageInfo);
  }
  return pages;
}

async function tellAll({ format, bytes }: Recording & { format: string }): Promise<unknown[]> {
  const said: unknown[] = [];
  for (const body of [bytes, bytes.subarray(0, bytes.length / 2), damaged(bytes)]) {
    const id = await house.newSession();
    said.push((await sendUpload(house, id, body, { format, stream: 'private-name-of-a-stream' })).body);
    said.push(...(await eventsOf(id)));
  }
  return said;
}

it.each(FORMATS)(
  'nothing that is private in streams of %s is told to anybody',
  async (format) => {
    let looked = 0;
    for (const recording of RECORDINGS.filter((recording) => recording.format === format)) {
      const objects = objectsOf(recording.bytes);
      const secrets = secretsOf(objects, saidIn(objects));
      expect([recording.name, leaksInto(secrets, await tellAll(recording))]).toEqual([recording.name, []]);
      expect([recording.name, leaksInto(secrets, logged)]).toEqual([recording.name, []]);
      looked += secrets.length;
    }
    expect(looked).toBeGreaterThan(20);
    expect(logged.join()).not.toContain('private-name');
  },
  180_000,
);
