import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type House, openHouse } from '../events/house.js';
import { graphql } from '../generated/gql.js';
import type { IngestFollowAnswersSubscription, IngestFollowSubscription } from '../generated/graphql.js';
import { responseOf, said } from '../ingest/openai.js';
import { ownRecordings, sharedRecordings } from '../ingest/recordings.js';
import { finish, messageStart, text, textDelta } from '../ingest/streams.js';
import { steady } from './doors.js';
import { beginUpload, codeOf, lines, sendUpload, type Upload } from './uploads.js';

let house: House;
beforeAll(async () => {
  house = await openHouse({ env: { TIDINGS_MAX_LINE: '100kB' } });
});
afterAll(() => house.close());

const begin = (sessionId: string, upload?: Upload) => beginUpload(house, sessionId, upload);
const send = (sessionId: string, body: string | Uint8Array, upload?: Upload) =>
  sendUpload(house, sessionId, body, upload);

/** Holds the lock that every append to the session waits for. */
async function holdSession(id: string) {
  const { promise, resolve } = withResolvers();
  const held = withResolvers();
  const transaction = house.database.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 AS one FROM session WHERE id = ${id}::uuid FOR UPDATE`;
      held.resolve();
      await promise;
    },
    { timeout: 20_000 },
  );
  await held.promise;
  return {
    release: async () => {
      resolve();
      await transaction;
    },
  };
}

function withResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const EVENTS = graphql(`query IngestedEvents($id: ID!) {
  session(sessionId: $id) { status checkpoint events { nodes {
    ... on SessionEventOccurrence { kind }
    ... on AgentMessageEvent { text completion }
  } } }
}`);

const FOLLOW = graphql(`subscription IngestFollow($id: ID!) {
  sessionEvents(sessionId: $id) { edges { node { ... on SessionEventOccurrence { kind } } } }
}`);

const FOLLOW_ANSWERS = graphql(`subscription IngestFollowAnswers($id: ID!) {
  sessionEvents(sessionId: $id, kinds: [AGENT_MESSAGE]) { edges { node {
    ... on AgentMessageEvent { displayText citations { quote source { title url } } }
  } } }
}`);

const STOP = graphql(`mutation IngestStop($id: ID!) {
  stopSession(input: { sessionId: $id }) { session { status } }
}`);

async function read(id: string) {
  const { session } = await house.execute(EVENTS, { token: house.tokens.service, variables: { id } });
  const events = session?.events?.nodes.flatMap((event) => (event === null ? [] : [event])) ?? [];
  return { ...session, events, kinds: events.map(({ kind }) => kind) };
}

const run = (id: string) => [messageStart(id), text(0, 'Yes, ', 'it does.'), finish()];

describe('a raw stream', () => {
  it('becomes the events of its session', async () => {
    const id = await house.newSession();
    const { status, body } = await send(id, lines(run('m')));
    expect(status).toBe(200);
    const session = await read(id);
    expect(body).toEqual({
      accepted: 2,
      duplicates: 0,
      kinds: {
        AGENT_MESSAGE: { accepted: 1, duplicates: 0 },
        SESSION_IDLE: { accepted: 1, duplicates: 0 },
      },
      ignored: {},
      checkpoint: session.checkpoint,
    });
    expect(session.events).toEqual([
      { kind: 'AGENT_MESSAGE', text: 'Yes, it does.', completion: 'COMPLETE' },
      { kind: 'SESSION_IDLE' },
    ]);
  });

  it.each(ownRecordings())('adds nothing when it comes again: $name', async ({ bytes }) => {
    const id = await house.newSession();
    const first = await send(id, bytes);
    const second = await send(id, bytes);
    expect(first.body.accepted).toBeGreaterThan(5);
    expect(second).toMatchObject({
      status: 200,
      body: { accepted: 0, duplicates: first.body.accepted, checkpoint: first.body.checkpoint },
    });
  });

  it('is told to those who follow the session while it still comes', async () => {
    const id = await house.newSession();
    const updates = house.subscribe(FOLLOW, { token: house.tokens.member, variables: { id } });
    const next = async () => {
      const { data }: { data?: IngestFollowSubscription | null } = (await updates.next()).value;
      return data?.sessionEvents?.edges.map(({ node }) => node?.kind);
    };
    expect(await next()).toEqual([]);
    const { upload, answer, send } = begin(id);
    send(run('m1'));
    expect(await next()).toEqual(['AGENT_MESSAGE', 'SESSION_IDLE']);
    send(run('m2'));
    expect(await next()).toEqual(['AGENT_MESSAGE', 'SESSION_IDLE']);
    upload.end();
    expect((await answer).body.accepted).toBe(4);
  });

  it('is read no faster than its events are committed', async () => {
    const id = await house.newSession();
    const { upload, answer } = begin(id);
    let written = 0;
    const messages = function* () {
      for (; written < 800; written += 1) {
        yield lines([messageStart(`m${written}`), text(0, 'x'.repeat(20_000)), finish()]);
      }
    };
    const lock = await holdSession(id);
    const sent = pipeline(messages, upload);
    await steady(() => written);
    expect(written).toBeLessThan(400);
    await lock.release();
    await sent;
    expect((await answer).body).toMatchObject({ accepted: 1_600 });
  });

  it('that its sender breaks off is cut, with the text so far', async () => {
    const id = await house.newSession();
    const { upload, send } = begin(id);
    send(run('m1'), messageStart('m2'), textDelta(0, ''), text(0, 'Half a sen'));
    await vi.waitFor(async () => expect((await read(id)).events).toHaveLength(2));
    upload.destroy();
    await vi.waitFor(async () =>
      expect((await read(id)).kinds).toEqual(['AGENT_MESSAGE', 'SESSION_IDLE', 'AGENT_MESSAGE', 'ERROR']),
    );
    expect((await read(id)).events[2]).toMatchObject({ text: 'Half a sen', completion: 'TRUNCATED' });
  });

  it('that ends in a session which was asked to stop was stopped', async () => {
    const id = await house.newSession();
    const { upload, answer, send } = begin(id);
    send(messageStart('m'), text(0, 'Half'));
    await house.execute(STOP, { token: house.tokens.member, variables: { id } });
    upload.end();
    await answer;
    const { events, status } = await read(id);
    expect(events).toMatchObject([
      { kind: 'STOP_REQUESTED' },
      { kind: 'AGENT_MESSAGE', text: 'Half', completion: 'ABORTED' },
      { kind: 'SESSION_STOPPED' },
    ]);
    expect(status).toBe('COMPLETED');
  });

  it('keeps what was complete before a fault', async () => {
    const id = await house.newSession();
    const tooLong = { type: 'ping', padding: 'x'.repeat(200_000) };
    const refused = await send(id, lines([run('m'), tooLong]));
    expect(codeOf(refused)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(refused.body.errors?.[0]?.extensions).toMatchObject({ accepted: 3, limit: 'lineBytes' });
    expect((await read(id)).kinds).toEqual(['AGENT_MESSAGE', 'SESSION_IDLE', 'ERROR']);
  });
});

describe('a raw stream of no named format', () => {
  it('is recognised by its first object', async () => {
    const id = await house.newSession();
    const streams = [run('m'), responseOf('r', said(0, ['Hello']))];
    for (const stream of streams) {
      expect((await send(id, lines(stream), { format: '' })).body).toMatchObject({
        accepted: 2,
        ignored: {},
      });
    }
    expect((await read(id)).kinds).toEqual([
      'AGENT_MESSAGE',
      'SESSION_IDLE',
      'AGENT_MESSAGE',
      'SESSION_IDLE',
    ]);
  });
});

describe('a raw stream is refused', () => {
  const body = lines(run('m'));

  it('without a credential, or by one that is no runtime', async () => {
    const id = await house.newSession();
    expect(codeOf(await send(id, body, { token: 'tdg_nobody' }))).toEqual([401, 'UNAUTHENTICATED']);
    for (const who of ['member', 'admin', 'run'] as const) {
      expect(codeOf(await send(id, body, { token: house.tokens[who] }))).toEqual([403, 'FORBIDDEN']);
    }
    expect((await read(id)).events).toEqual([]);
  });

  it('for a session that is unknown, malformed or foreign, all alike', async () => {
    const stranger = await house.createAccount();
    const foreign = await stranger.createSession();
    const refusals = await Promise.all(
      [randomUUID(), 'not-an-id', foreign.sessionId].map((id) => send(id, body)),
    );
    expect(refusals.map(codeOf)).toEqual(Array(3).fill([404, 'NOT_FOUND']));
    expect(new Set(refusals.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('in a format that is unknown, compressed, or by another method', async () => {
    const id = await house.newSession();
    expect(codeOf(await send(id, body, { format: 'morse' }))).toEqual([400, 'BAD_USER_INPUT']);
    expect(codeOf(await send(id, body, { headers: { 'content-encoding': 'gzip' } }))).toEqual([
      400,
      'BAD_USER_INPUT',
    ]);
    const got = await fetch(`${house.url}/ingest/${id}?format=anthropic-messages`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, HEAD']);
  });

  it('with the formats that there are, when it is like none of them', async () => {
    const id = await house.newSession();
    const answer = await send(id, '{"type":"telepathy"}\n', { format: '' });
    expect(codeOf(answer)).toEqual([422, 'BAD_USER_INPUT']);
    expect(answer.body.errors?.[0]?.extensions.formats).toContain('anthropic-messages');
    expect((await read(id)).events).toEqual([]);
  });

  it('with 422 when it is not what it says', async () => {
    const id = await house.newSession();
    const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}\n`;
    expect(codeOf(await send(id, deep))).toEqual([422, 'BAD_USER_INPUT']);
  });
});

describe('a server that closes', () => {
  it('tells a stream that it interrupts how far that came, and invents nothing', async () => {
    const kept = house;
    let kinds: readonly string[] = [];
    house = await openHouse({
      lastLook: async ({ prisma }) => {
        kinds = (await prisma.event.findMany({ orderBy: { number: 'asc' } })).map(({ kind }) => kind);
      },
    });
    try {
      const id = await house.newSession();
      const { send, answer } = begin(id);
      send(run('m1'), messageStart('m2'), text(0, 'Half'));
      await vi.waitFor(async () => expect((await read(id)).events).toHaveLength(2));
      const [told] = await Promise.all([answer, house.close()]);
      expect(codeOf(told)).toEqual([503, 'SHUTTING_DOWN']);
      expect(told.body.errors?.[0]?.extensions).toMatchObject({ accepted: 2, duplicates: 0 });
      expect(kinds).toEqual(['agent_message', 'session_idle']);
    } finally {
      house = kept;
    }
  });
});

describe.runIf(sharedRecordings().length > 0)('a recording of a web search', () => {
  it('shows its answer, citations and sources to who follows', async () => {
    const recording = sharedRecordings().find(
      ({ name }) => name === 'anthropic-web-search-tool.1.chunks.txt',
    );
    const id = await house.newSession();
    const updates = house.subscribe(FOLLOW_ANSWERS, { token: house.tokens.member, variables: { id } });
    await updates.next();
    await send(id, recording?.bytes ?? '');
    const { data }: { data?: IngestFollowAnswersSubscription | null } = (await updates.next()).value;
    const answers = (data?.sessionEvents?.edges ?? []).flatMap(({ node }) =>
      node !== null && 'citations' in node ? [node] : [],
    );
    const citations = answers.flatMap((answer) => answer.citations);
    // One answer, though it came in 19 pieces, with all that its recorded pieces say.
    expect(answers.map(({ displayText }) => displayText)).toEqual([textOf(recording?.bytes ?? '')]);
    expect(citations).toHaveLength(14);
    expect(citations.filter(({ source }) => source.url && source.title)).toHaveLength(14);
  });
});

/** What the text deltas of a recording say, one after the other. */
const textOf = (recording: string | Uint8Array): string =>
  Buffer.from(recording)
    .toString()
    .split('\n')
    .filter((line) => line.includes('"text_delta"'))
    .map((line): { delta: { text: string } } => JSON.parse(line))
    .map(({ delta }) => delta.text)
    .join('');
