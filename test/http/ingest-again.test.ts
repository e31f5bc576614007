import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareEvent } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';
import { hashOf } from '../../src/events/content-hash.js';
import { storedFields } from '../../src/events/payload.js';
import { FORMAT_NAMES } from '../../src/ingest/formats.js';
import { statusAfter } from '../../src/sessions/state.js';
import { type House, openHouse } from '../events/house.js';
import { graphql } from '../generated/gql.js';
import { ownRecordings } from '../ingest/recordings.js';
import {
  bytesOf,
  cited,
  finish,
  ingest,
  messageStart,
  text,
  thinking,
  toolUse,
  webCitation,
  webSearch,
} from '../ingest/streams.js';
import { beginUpload, codeOf, lines, sendUpload, type Upload } from './uploads.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const ASK = graphql(`mutation IngestAsk($id: ID!) {
  sendMessage(input: { sessionId: $id, text: "And?" }) { session { status } }
}`);
const STOP = graphql(`mutation IngestAskToStop($id: ID!) {
  stopSession(input: { sessionId: $id }) { edge { cursor } }
}`);

const ask = (id: string) => house.execute(ASK, { token: house.tokens.member, variables: { id } });
const stop = async (id: string) => {
  const asked = await house.execute(STOP, { token: house.tokens.member, variables: { id } });
  return asked.stopSession?.edge.cursor;
};

/** A session with a message that waits for its answer; what is ingested then has this run. */
async function asked(): Promise<string> {
  const id = await house.newSession();
  await ask(id);
  return id;
}
const FIRST_RUN = 'message 1';

const send = async (id: string, body: string | Uint8Array, upload?: Upload) =>
  (await sendUpload(house, id, body, upload)).body;

const kindsOf = async (id: string) => {
  const rows = await house.database.prisma.event.findMany({
    where: { sessionId: id },
    orderBy: { number: 'asc' },
  });
  return rows.map(({ kind }) => kind);
};
const statusOf = async (id: string) =>
  (await house.database.prisma.session.findUniqueOrThrow({ where: { id } })).status;

/** What the session shows in the end: the last that is said of each thing, and its status. */
async function stateOf(id: string) {
  const rows = await house.database.prisma.event.findMany({
    where: { sessionId: id, kind: { not: 'user_message' } },
    orderBy: { number: 'asc' },
  });
  return { status: await statusOf(id), things: thingsOf(rows) };
}

interface Stored {
  readonly kind: string;
  readonly resourceId: string | null;
  readonly payload: unknown;
}

const OF_THINGS = new Set(['agent_message', 'methods', 'activity', 'artifacts_delivered']);

function thingsOf(rows: readonly Stored[]): object {
  const told = rows.filter(({ kind }) => OF_THINGS.has(kind));
  return Object.fromEntries(
    told.map(({ kind, resourceId, payload }) => [
      `${kind} ${resourceId ?? hashOf(payload).toString('hex')}`,
      payload,
    ]),
  );
}

/** What it would show if these bytes alone had come. */
function stateAfter(id: string, bytes: Uint8Array, format?: string) {
  const { events } = ingest([bytes], { format, sessionId: id, run: FIRST_RUN });
  const rows = events.map((event: EventInput) => {
    const stored = storedFields(prepareEvent(event).content);
    return { ...stored, payload: JSON.parse(stored.payload) };
  });
  return { status: statusAfter({ status: 'PROCESSING', eventHead: 1 }, events), things: thingsOf(rows) };
}

const overloaded = { type: 'error', error: { type: 'overloaded_error' } };
const tooDeep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
const caller = (id: string) => [
  messageStart(id),
  thinking(0),
  text(1, 'Let me ', 'look.'),
  toolUse(2, { id: `${id}-a` }),
  toolUse(3, { id: `${id}-b` }),
  finish('tool_use'),
];
const answer = (id: string) => [messageStart(id), text(0, 'Yes, ', 'it ', 'does.'), finish()];
const searched = (id: string) => [
  messageStart(id),
  webSearch(0, 'q', `${id}-search`),
  cited(1, 'Yes.', webCitation('https://example.org', 'T')),
  text(2, ' It does.'),
];

interface Stream {
  readonly format: string;
  readonly bytes: Uint8Array;
}

/** Recordings of every format, and what they leave out. */
const STREAMS: ReadonlyMap<string, Stream> = new Map([
  ...FORMAT_NAMES.flatMap((format) =>
    ownRecordings(format).map(({ name, bytes }) => [name, { format, bytes }] as const),
  ),
  ...(
    [
      ['an answer', lines(answer('m'))],
      ['an answer without an id', lines(answer(''))],
      ['calls whose results their caller owes', lines(caller('m'))],
      ['a call alone', lines([messageStart('m'), toolUse(0), finish('tool_use')])],
      ['calls and an answer', lines([caller('m1'), caller('m2'), answer('m3')])],
      ['a pause', lines([searched('m'), finish('pause_turn')])],
      ['a pause and more', lines([searched('m1'), finish('pause_turn'), answer('m2')])],
      ['an answer that ran out of room', lines([searched('m'), finish('max_tokens')])],
      ['a refusal', lines([searched('m'), finish('refusal')])],
      ['a failure', lines([caller('m1'), searched('m2'), overloaded])],
      ['a failure before an answer', lines([overloaded, answer('m')])],
      ['two runs', lines([answer('m1'), searched('m2'), finish()])],
      ['an answer without its end', lines(searched('m'))],
      ['a line that is too deep', lines(searched('m')) + tooDeep],
      ['server-sent events', lines([caller('m1'), answer('m2')]).replace(/^.+$/gm, 'data: $&\n')],
    ] as const
  ).map(([name, body]) => [name, { format: 'anthropic-messages', bytes: bytesOf(body) }] as const),
]);
const streamNamed = (name: string): Stream => STREAMS.get(name) ?? { format: '', bytes: new Uint8Array() };

/** A first attempt that the stream takes back stays said if it broke off in between: what was told is never changed (P3). */
const TAKES_BACK: ReadonlySet<string> = new Set(['kite-wind.jsonl']);

/** The session is as if only these bytes of the stream had come. */
async function expectState(id: string, name: string, bytes: Uint8Array) {
  const expected = stateAfter(id, bytes, streamNamed(name).format);
  if (TAKES_BACK.has(name)) expect(await stateOf(id)).toMatchObject(expected);
  else expect(await stateOf(id)).toEqual(expected);
}

/** How long it is after some of its lines, the whole last. */
function lengthsOf(bytes: Uint8Array): number[] {
  const ends = Array.from(bytes.keys()).filter((at) => bytes[at] === 0x0a || at === bytes.length - 1);
  const every = ends.length > 14 ? Math.ceil(ends.length / 8) : 1;
  return ends.filter((_, line) => (ends.length - 1 - line) % every === 0).map((at) => at + 1);
}
const part = (bytes: Uint8Array, share: number) => bytes.subarray(0, Math.floor(share * bytes.length));

describe('a stream that comes again', () => {
  it('whole or broken off, in any order, leaves what the furthest alone would', async () => {
    const shares = fc.array(fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...STREAMS.keys()), shares, async (name, sent) => {
        const { format, bytes } = streamNamed(name);
        const id = await asked();
        for (const share of sent) await send(id, part(bytes, share), { format });
        await expectState(id, name, part(bytes, Math.max(...sent)));
      }),
      { numRuns: 20 },
    );
  });

  it.each([...STREAMS.keys()])('longer each time, then shorter: %s', async (name) => {
    const { format, bytes } = streamNamed(name);
    const id = await asked();
    for (const length of lengthsOf(bytes)) {
      await send(id, bytes.subarray(0, length), { format });
      await expectState(id, name, bytes.subarray(0, length));
    }
    const kinds = await kindsOf(id);
    for (const length of lengthsOf(bytes).reverse().slice(0, 5)) {
      const { events } = ingest([bytes.subarray(0, length)], { format });
      const { errors, ...counts } = await send(id, bytes.subarray(0, length), { format });
      expect(errors?.[0]?.extensions ?? counts).toMatchObject({ accepted: 0, duplicates: events.length });
    }
    expect(await kindsOf(id)).toEqual(kinds);
  });

  it('goes on where it broke off, and says so', async () => {
    const id = await asked();
    const cut = [messageStart('m'), text(0, 'Let me look.'), toolUse(1)];
    await send(id, lines(cut));
    expect(await statusOf(id)).toBe('FAILED');
    await send(id, lines([cut, finish('tool_use')]));
    expect(await kindsOf(id)).toEqual([
      ...['user_message', 'activity', 'activity', 'agent_message', 'error'],
      ...['session_resumed', 'activity', 'agent_message'],
    ]);
    expect(await statusOf(id)).toBe('PROCESSING');
  });

  it('while its first connection is still open: the late end of that adds nothing', async () => {
    const id = await asked();
    const first = beginUpload(house, id);
    first.send(messageStart('m'), thinking(0), text(1, 'Let me '));
    await expect.poll(() => kindsOf(id)).toHaveLength(3);
    await send(id, lines(caller('m')));
    first.upload.end();
    expect((await first.answer).body).toMatchObject({ accepted: 2, duplicates: 2 });
    expect(await kindsOf(id)).not.toContain('error');
    expect(await stateOf(id)).toEqual(stateAfter(id, bytesOf(lines(caller('m')))));
  });

  it('while its first connection breaks off: it goes on beyond that', async () => {
    const id = await asked();
    const [begun, rest] = [caller('m').slice(0, 3), caller('m').slice(3)];
    const first = beginUpload(house, id);
    const second = beginUpload(house, id);
    second.send(begun.slice(0, 2));
    await expect.poll(() => kindsOf(id)).toHaveLength(3);
    first.send(begun);
    first.upload.end();
    await first.answer;
    expect(await statusOf(id)).toBe('FAILED');
    second.send(begun.slice(2), rest);
    second.upload.end();
    await second.answer;
    expect(await stateOf(id)).toEqual(stateAfter(id, bytesOf(lines(caller('m')))));
  });

  it('after the next message of its user adds nothing, as what it says has names', async () => {
    const id = await asked();
    await send(id, lines(answer('m')));
    await ask(id);
    const kinds = await kindsOf(id);
    expect(await send(id, lines(answer('m')))).toMatchObject({ accepted: 0, duplicates: 2 });
    expect(await send(id, lines(answer('m').slice(0, 2)))).toMatchObject({ accepted: 0, duplicates: 2 });
    expect([await kindsOf(id), await statusOf(id)]).toEqual([kinds, 'PROCESSING']);
  });
});

describe('what a stream does not name', () => {
  it.each([
    ['a failure', lines([overloaded]), 'FAILED', 1],
    ['a failure as an SSE', 'event: error\ndata: {"error":{"type":"overloaded_error"}}\n\n', 'FAILED', 1],
    ['a line that is too deep', `${tooDeep}\n`, 'FAILED', 1],
    ['a message', lines(answer('')), 'COMPLETED', 2],
    ['a message that breaks off', lines(answer('').slice(0, 2)), 'FAILED', 2],
    [
      'a call',
      lines([messageStart(''), toolUse(0, { id: '' }), thinking(1), answer('').slice(1)]),
      'PROCESSING',
      4,
    ],
  ])(
    'belongs to its run, where it comes once, and is news in the next: %s',
    async (_, body, status, events) => {
      const id = await asked();
      for (const run of [1, 2, 3]) {
        await send(id, body);
        await send(id, body);
        expect(await kindsOf(id)).toHaveLength(run * (events + 1));
        expect(await statusOf(id)).toBe(status);
        await ask(id);
        expect(await statusOf(id)).toBe('PROCESSING');
      }
      const said = (await kindsOf(id)).filter((kind) => kind === 'agent_message');
      const messages = Object.keys((await stateOf(id)).things).filter((key) =>
        key.startsWith('agent_message'),
      );
      expect(messages).toHaveLength(said.length);
    },
  );

  it('is another if it says something else, and is told how it ends though it is shorter', async () => {
    const id = await asked();
    await send(id, lines([messageStart(''), ...caller('m').slice(1)]));
    expect(await statusOf(id)).toBe('PROCESSING');
    const other = lines([messageStart(''), toolUse(0, { id: 'other' })]);
    expect(await send(id, other)).toMatchObject({ accepted: 3, duplicates: 0 });
    expect(await statusOf(id)).toBe('FAILED');
    expect(await send(id, other)).toMatchObject({ accepted: 0, duplicates: 3 });
  });

  it('belongs to the stream that its writer names', async () => {
    const id = await asked();
    const sent = async (stream: string) => {
      const { accepted, duplicates } = await send(id, lines([overloaded]), { stream });
      return [accepted, duplicates];
    };
    expect([await sent('a'), await sent('b'), await sent('a')]).toEqual([
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
    const unnamed = await sendUpload(house, id, '', { stream: '' });
    expect(codeOf(unnamed)).toEqual([400, 'BAD_USER_INPUT']);
    expect(unnamed.body.errors?.[0]?.extensions.path).toBe('stream');
  });
});

describe('a request to stop', () => {
  it('that came after the end of its run does not stop the next', async () => {
    const id = await asked();
    await send(id, lines(answer('m1')));
    const late = await stop(id);
    expect(await stop(id)).toBe(late);
    await ask(id);
    await send(id, lines(caller('m2')));
    expect(await statusOf(id)).toBe('PROCESSING');
    expect(await kindsOf(id)).not.toContain('session_stopped');
    expect(await stop(id)).not.toBe(late);
  });

  it('holds for the run that it came in, though its user asks for more before that ends', async () => {
    const id = await asked();
    const { upload, answer, send } = beginUpload(house, id);
    send(messageStart('m'), thinking(0), text(1, 'Half'));
    await expect.poll(() => kindsOf(id)).toHaveLength(3);
    await stop(id);
    await ask(id);
    upload.end();
    await answer;
    expect((await kindsOf(id)).slice(3)).toEqual([
      ...['stop_requested', 'user_message', 'agent_message', 'session_stopped'],
    ]);
  });

  it('is over with the run that it stopped, also in the stream that goes on', async () => {
    const id = await asked();
    const { upload, answer: answered, send } = beginUpload(house, id);
    send(messageStart('m1'), thinking(0));
    await expect.poll(() => kindsOf(id)).toHaveLength(3);
    await stop(id);
    send(text(1, 'Yes.'), finish());
    await expect.poll(() => kindsOf(id)).toHaveLength(6);
    send(messageStart('m2'), text(0, 'Half'));
    upload.end();
    await answered;
    expect((await kindsOf(id)).at(-1)).toBe('error');
  });
});

describe('a fault in the last line, which has no line end', () => {
  it.each([
    ['alone', tooDeep],
    ['after a message', lines(answer('m')) + tooDeep],
  ])('is told as any other: %s', async (_, body) => {
    const id = await asked();
    const refused = await sendUpload(house, id, body);
    expect(codeOf(refused)).toEqual([422, 'BAD_USER_INPUT']);
    expect(refused.body.errors?.[0]?.extensions).toMatchObject({ limit: 'jsonDepth' });
    expect([(await kindsOf(id)).at(-1), await statusOf(id)]).toEqual(['error', 'FAILED']);
  });
});
