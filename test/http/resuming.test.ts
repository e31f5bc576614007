import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runOf } from '../../src/ingest/resuming.js';
import { sweepSilent } from '../../src/ingest/silence.js';
import { DEFAULT_TITLES } from '../../src/ingest/titles.js';
import { type House, openHouse } from '../events/house.js';
import { ownRecordings } from '../ingest/recordings.js';
import { bytesOf, eventOffsets, finish, ingest, messageStart, text, toolUse } from '../ingest/streams.js';
import { askOffset, beginUpload, codeOf, lines, sendUpload, type Upload } from './uploads.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const PATIENT = { timeout: 30_000, interval: 20 };

const eventsOf = (sessionId: string, of = house) =>
  of.database.prisma.event.findMany({ where: { sessionId }, orderBy: { number: 'asc' } });
const kindsOf = async (id: string, of = house) => (await eventsOf(id, of)).map(({ kind }) => kind);
const statusOf = async (id: string, of = house) =>
  (await of.database.prisma.session.findUniqueOrThrow({ where: { id } })).status;

/** Sends some bytes of a stream, waits until as many events are there, and breaks the connection. */
async function breakOff(
  of: House,
  sessionId: string,
  upload: Upload,
  { bytes, events }: { bytes: string | Uint8Array; events: number },
): Promise<void> {
  const begun = beginUpload(of, sessionId, upload);
  begun.upload.write(bytes);
  await vi.waitFor(async () => expect(await eventsOf(sessionId, of)).toHaveLength(events), PATIENT);
  begun.upload.destroy();
}

/** Whoever broke off is taken note of by and by. */
const keptAt = (sessionId: string, stream: string, offset: number, of = house) =>
  vi.waitFor(
    async () => expect(await askOffset(of, sessionId, stream)).toEqual({ status: 200, offset }),
    PATIENT,
  );

/** It is as if the silence were over. */
const letTimePass = (of = house) =>
  of.database.prisma
    .$executeRaw`UPDATE ingest_stream SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`;

const first = lines([messageStart('m1'), text(0, 'Yes.'), finish()]);
const begun = lines([messageStart('m2'), text(0, 'Half a sen')]);
const rest = lines([text(1, 'tence.'), finish()]);

describe('a writer that broke off', () => {
  it('hears how far its stream was read, and goes on there, and all is as if it had not', async () => {
    const [recording] = ownRecordings();
    const bytes = recording?.bytes ?? new Uint8Array();
    const id = await house.newSession();
    const expected = ingest([bytes], { sessionId: id, run: runOf('s') }).events;
    let offset = 0;
    const told = eventOffsets(bytes);
    for (const share of [0.2, 0.5, 0.8]) {
      const cut = (told[Math.floor(told.length * share)] ?? 0) + 77;
      const { pieces } = ingest([bytes.subarray(0, cut)], { sessionId: id, run: runOf('s') });
      const events = pieces.flatMap(({ events }) => events).length;
      expect(events).toBeGreaterThan((await eventsOf(id)).length);
      await breakOff(house, id, { stream: 's', offset }, { bytes: bytes.subarray(offset, cut), events });
      offset = bytes.subarray(0, cut).lastIndexOf(0x0a) + 1;
      await keptAt(id, 's', offset);
    }
    const answer = await sendUpload(house, id, bytes.subarray(offset), { stream: 's', offset, format: '' });
    expect(answer).toMatchObject({ status: 200, offset: bytes.length });
    expect((await eventsOf(id)).map(({ eventId }) => eventId)).toEqual(
      expected.map(({ eventId }) => eventId),
    );
    expect(await askOffset(house, id, 's')).toEqual({ status: 200, offset: bytes.length });
  });

  it('that sends it again from the beginning adds nothing twice', async () => {
    const id = await house.newSession();
    await breakOff(house, id, { stream: 's' }, { bytes: first + begun, events: 2 });
    await keptAt(id, 's', (first + begun).length);
    const answer = await sendUpload(house, id, first + begun + rest, { stream: 's' });
    expect(answer.body).toMatchObject({ accepted: 2, duplicates: 2 });
    expect(await kindsOf(id)).toEqual(['agent_message', 'session_idle', 'agent_message', 'session_idle']);
  });

  it('is told where it is, if it goes on elsewhere', async () => {
    const id = await house.newSession();
    await sendUpload(house, id, first, { stream: 's' });
    for (const [stream, offset, current] of [
      ['s', 3, first.length],
      ['s', 0, first.length],
      ['other', 7, 0],
    ] as const) {
      const answer = await sendUpload(house, id, begun, { stream, offset });
      expect(codeOf(answer)).toEqual([409, 'CONFLICT']);
      expect(answer.offset).toBe(current);
      expect(answer.body.errors?.[0]?.extensions.current).toEqual({ offset: current });
    }
    expect(await eventsOf(id)).toHaveLength(2);
  });

  it('is read no further when another has begun to write the stream', async () => {
    const id = await house.newSession();
    const lost = beginUpload(house, id, { stream: 's' });
    lost.upload.write(first + begun);
    await vi.waitFor(async () => expect(await eventsOf(id)).toHaveLength(2), PATIENT);
    const { offset } = await askOffset(house, id, 's');
    const whole = first + begun + rest;
    const answer = await sendUpload(house, id, whole.slice(offset), { stream: 's', offset: offset ?? 0 });
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2 } });
    lost.upload.end(lines([text(1, 'another end'), finish()]));
    const refused = await lost.answer;
    expect(codeOf(refused)).toEqual([409, 'CONFLICT']);
    expect(refused.offset).toBe(whole.length);
    expect(await kindsOf(id)).toEqual(['agent_message', 'session_idle', 'agent_message', 'session_idle']);
  });

  it('is refused with what makes no sense', async () => {
    const id = await house.newSession();
    await sendUpload(house, id, first, { stream: 's' });
    const refusals = [
      await sendUpload(house, id, first, { offset: 0 }),
      await sendUpload(house, id, first, { stream: 's', headers: { 'ingest-offset': '-1' } }),
      await sendUpload(house, id, first, { stream: 's', offset: first.length, format: 'ai-sdk' }),
    ];
    expect(refusals.map(codeOf)).toEqual(Array(3).fill([400, 'BAD_USER_INPUT']));
    expect(await askOffset(house, id, '')).toEqual({ status: 400, offset: undefined });
    expect(await askOffset(house, id, 's', house.tokens.member)).toEqual({ status: 403, offset: undefined });
    for (const foreign of [randomUUID(), (await house.accounts.stranger.createSession()).sessionId]) {
      expect(await askOffset(house, foreign, 's')).toEqual({ status: 404, offset: undefined });
    }
  });

  it('while its session was asked to stop, has stopped', async () => {
    const id = await house.newSession();
    const { upload } = beginUpload(house, id, { stream: 's' });
    upload.write(first + begun);
    await vi.waitFor(async () => expect(await eventsOf(id)).toHaveLength(2), PATIENT);
    await house.ask(
      'member',
      'mutation ($i: ID!) { stopSession(input: { sessionId: $i }) { session { id } } }',
      {
        i: id,
      },
    );
    upload.destroy();
    await vi.waitFor(
      async () =>
        expect((await kindsOf(id)).slice(2)).toEqual(['stop_requested', 'agent_message', 'session_stopped']),
      PATIENT,
    );
  });
});

describe('a stream that stays silent', () => {
  const means = () => ({
    means: house.means,
    titles: DEFAULT_TITLES,
    onError: (error: unknown) => expect.fail(`${error}`),
  });
  const call = toolUse(1, { type: 'server_tool_use' });

  it('is over when nobody goes on with it, with its text so far, once, whoever looks', async () => {
    const id = await house.newSession();
    await breakOff(house, id, { stream: 's' }, { bytes: first + begun + lines(call), events: 3 });
    const length = (first + begun + lines(call)).length;
    await keptAt(id, 's', length);
    expect(await kindsOf(id)).toEqual(['agent_message', 'session_idle', 'activity']);
    await sweepSilent(means());
    expect(await eventsOf(id)).toHaveLength(3);
    await letTimePass();
    await Promise.all([sweepSilent(means()), sweepSilent(means()), sweepSilent(means())]);
    const ending = (await eventsOf(id)).slice(3);
    expect(ending.map(({ kind, payload }) => ({ kind, payload }))).toMatchObject([
      { kind: 'activity', payload: { status: 'FAILED' } },
      { kind: 'agent_message', payload: { text: 'Half a sen', completion: 'TRUNCATED' } },
      { kind: 'error', payload: { code: 'AGENT_TIMED_OUT', retryable: true } },
    ]);
    expect(await statusOf(id)).toBe('FAILED');
    await letTimePass();
    await sweepSilent(means());
    expect(await eventsOf(id)).toHaveLength(6);

    // And its writer may come back all the same.
    const answer = await sendUpload(house, id, rest.replaceAll('"index":1', '"index":2'), {
      stream: 's',
      offset: length,
    });
    expect(answer.status).toBe(200);
    expect((await kindsOf(id)).slice(6)).toEqual([
      'session_resumed',
      'activity',
      'agent_message',
      'activity',
      'session_idle',
    ]);
    expect(await statusOf(id)).toBe('COMPLETED');
  });

  it('is not over while its writer is back, nor said to be anything when it had said all', async () => {
    const [live, done] = [await house.newSession(), await house.newSession()];
    await breakOff(house, live, { stream: 's' }, { bytes: first + begun, events: 2 });
    await breakOff(house, done, { stream: 's' }, { bytes: first, events: 2 });
    await keptAt(live, 's', (first + begun).length);
    await letTimePass();
    const { upload, answer } = beginUpload(house, live, { stream: 's', offset: (first + begun).length });
    upload.write('\n');
    const claimed = () =>
      house.database.prisma.ingestStream.count({ where: { sessionId: live, dueAt: { gt: new Date() } } });
    await vi.waitFor(async () => expect(await claimed()).toBe(1), PATIENT);
    await sweepSilent(means());
    upload.end(rest);
    await answer;
    expect(await kindsOf(live)).toEqual(['agent_message', 'session_idle', 'agent_message', 'session_idle']);
    expect(await kindsOf(done)).toEqual(['agent_message', 'session_idle']);
  });

  it('in a format that nobody knows any more keeps no other from ending', async () => {
    const [strange, id] = [await house.newSession(), await house.newSession()];
    const failed: unknown[] = [];
    for (const session of [strange, id]) {
      await breakOff(house, session, { stream: 's' }, { bytes: first + begun, events: 2 });
      await keptAt(session, 's', (first + begun).length);
    }
    await house.database.prisma.ingestStream.updateMany({
      where: { sessionId: strange },
      data: { format: 'morse' },
    });
    await letTimePass();
    await sweepSilent({ ...means(), onError: (error) => failed.push(error) });
    expect(failed).toHaveLength(1);
    expect(await statusOf(id)).toBe('FAILED');
    expect(await statusOf(strange)).toBe('COMPLETED');
  });

  it('is forgotten a day after its end', async () => {
    const id = await house.newSession();
    await sendUpload(house, id, first, { stream: 's' });
    await house.database.prisma
      .$executeRaw`UPDATE ingest_stream SET updated_at = now() - interval '25 hours'`;
    await sweepSilent(means());
    expect(await askOffset(house, id, 's')).toEqual({ status: 200, offset: 0 });
  });
});

describe('with a short silence', () => {
  let hasty: House;
  beforeAll(async () => {
    hasty = await openHouse({ env: { TIDINGS_SILENCE: '1' }, sweepPace: 50 });
  });
  afterAll(() => hasty.close());

  it('the gateway itself ends what broke off', async () => {
    const id = await hasty.newSession();
    await breakOff(hasty, id, { stream: 's' }, { bytes: first + begun, events: 2 });
    await vi.waitFor(
      async () => expect((await kindsOf(id, hasty)).slice(2)).toEqual(['agent_message', 'error']),
      PATIENT,
    );
  });

  it.each([['with'], ['without']])(
    'an open connection %s a name that sends nothing is over',
    async (which) => {
      const id = await hasty.newSession();
      const upload = which === 'with' ? { stream: 's' } : {};
      const { upload: open, answer } = beginUpload(hasty, id, upload);
      open.write(first + begun);
      const told = await answer;
      expect(codeOf(told)).toEqual([408, 'TIMEOUT']);
      const { accepted, duplicates } = told.body.errors?.[0]?.extensions ?? {};
      // Where the sweep was first, this connection only found the end there.
      expect(Number(accepted) + Number(duplicates)).toBe(4);
      expect((await eventsOf(id, hasty)).slice(2)).toMatchObject([
        { kind: 'agent_message', payload: { text: 'Half a sen', completion: 'TRUNCATED' } },
        { kind: 'error', payload: { code: 'AGENT_TIMED_OUT' } },
      ]);
      open.destroy();
    },
  );

  it('one that goes on sending is not, however little it says', async () => {
    const id = await hasty.newSession();
    const { upload, answer } = beginUpload(hasty, id, { stream: 's' });
    upload.write(first + begun);
    const dots = setInterval(() => upload.write('\n'), 100);
    // One that began later and says nothing is over by then.
    const silent = beginUpload(hasty, await hasty.newSession(), { stream: 's' });
    silent.upload.write(first + begun);
    expect(codeOf(await silent.answer)).toEqual([408, 'TIMEOUT']);
    silent.upload.destroy();
    clearInterval(dots);
    upload.end(rest);
    expect((await answer).status).toBe(200);
    expect(await kindsOf(id, hasty)).toEqual([
      'agent_message',
      'session_idle',
      'agent_message',
      'session_idle',
    ]);
  });
});

describe('a server that closes', () => {
  it('keeps where a named stream is', async () => {
    let kept: unknown;
    const closing = await openHouse({
      lastLook: async ({ prisma }) => {
        kept = await prisma.ingestStream.findFirst({ select: { offset: true, dueAt: true } });
      },
    });
    const id = await closing.newSession();
    const { upload, answer } = beginUpload(closing, id, { stream: 's' });
    upload.write(first + begun);
    await vi.waitFor(async () => expect(await eventsOf(id, closing)).toHaveLength(2), PATIENT);
    const [told] = await Promise.all([answer, closing.close()]);
    expect(codeOf(told)).toEqual([503, 'SHUTTING_DOWN']);
    expect(kept).toEqual({ offset: BigInt(told.offset ?? 0), dueAt: expect.any(Date) });
    expect(told.offset).toBe(bytesOf(first + begun).length);
  });
});
