import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../events/house.js';
import { graphql } from '../generated/gql.js';
import { ownRecordings, sharedRecordings } from '../ingest/recordings.js';
import { codeOf, lines, sendUpload } from './uploads.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const send = (sessionId: string, body: string | Uint8Array, format: string) =>
  sendUpload(house, sessionId, body, { format });

const EVENTS = graphql(`query KeptEvents($id: ID!) {
  session(sessionId: $id) { status events(first: 200) { totalCount nodes {
    ... on SessionEventOccurrence { eventId kind createdAt }
  } } }
}`);

async function read(id: string) {
  const { session } = await house.execute(EVENTS, { token: house.tokens.service, variables: { id } });
  const events = session?.events?.nodes.flatMap((event) => (event === null ? [] : [event])) ?? [];
  return { status: session?.status, events };
}

const HISTORY = [
  { userMessage: { eventId: 'e1', messageId: 'm1', text: 'Why?', createdAt: '2024-02-03T04:05:06.789Z' } },
  {
    agentMessage: {
      eventId: 'e2',
      messageId: 'm2',
      text: 'So.',
      citations: [],
      suggestedFollowUps: [],
      historical: true,
    },
  },
  { sessionIdle: { eventId: 'e3', createdAt: '2024-02-03T04:06:00+02:00' } },
];

describe('events as they are', () => {
  it('keep their ids and times, and come once however often they are sent', async () => {
    const id = await house.newSession();
    expect((await send(id, lines(HISTORY), '')).body).toMatchObject({
      accepted: 3,
      duplicates: 0,
      ignored: {},
    });
    expect(await read(id)).toEqual({
      status: 'COMPLETED',
      events: [
        { eventId: 'e1', kind: 'USER_MESSAGE', createdAt: '2024-02-03T04:05:06.789Z' },
        { eventId: 'e2', kind: 'AGENT_MESSAGE', createdAt: null },
        { eventId: 'e3', kind: 'SESSION_IDLE', createdAt: '2024-02-03T02:06:00.000Z' },
      ],
    });
    expect((await send(id, lines(HISTORY), 'tidings')).body).toMatchObject({ accepted: 0, duplicates: 3 });
  });

  it('end with 422 at a line that is none, and what was before it stays', async () => {
    const id = await house.newSession();
    const [first, second, third] = HISTORY.map((event) => JSON.stringify(event));
    const bad = `${first}\n${second}\n{"sessionIdle":{"eventId":""}}\n${third}\n`;
    const answer = await send(id, bad, 'tidings');
    expect(codeOf(answer)).toEqual([422, 'BAD_USER_INPUT']);
    expect(answer.body.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^line 3\.sessionIdle\.eventId: expected some text/),
      extensions: { accepted: 2, duplicates: 0 },
    });
    expect((await read(id)).events.map(({ eventId }) => eventId)).toEqual(['e1', 'e2']);
    const mended = await send(id, lines(HISTORY), 'tidings');
    expect(mended.body).toMatchObject({ accepted: 1, duplicates: 2 });
  });

  it('with an id that is taken by other content are a conflict', async () => {
    const id = await house.newSession();
    await send(id, lines(HISTORY), 'tidings');
    const answer = await send(id, lines([{ sessionPaused: { eventId: 'e1' } }]), 'tidings');
    expect(codeOf(answer)).toEqual([409, 'CONFLICT']);
  });
});

describe('what Claude Code writes', () => {
  const recordings = [...ownRecordings('claude-code'), ...sharedRecordings('claude-code')];

  it.each(recordings)('adds nothing when it comes again: $name', async ({ bytes }) => {
    const id = await house.newSession();
    const first = await send(id, bytes, 'claude-code');
    const second = await send(id, bytes, 'claude-code');
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 200, body: { accepted: 0, duplicates: first.body.accepted } });
  });

  it('and keeps, as a transcript that grows, is told on where it ended', async () => {
    const id = await house.newSession();
    const [transcript] = recordings.filter(({ name }) => name === 'allotment.transcript.jsonl');
    const all = new TextDecoder().decode(transcript?.bytes).trim().split('\n');
    await send(id, `${all.slice(0, 9).join('\n')}\n`, 'claude-code');
    expect((await read(id)).events.map(({ kind }) => kind)).toEqual([
      'USER_MESSAGE',
      'ACTIVITY',
      'ACTIVITY',
      'AGENT_MESSAGE',
      'SESSION_IDLE',
    ]);
    await send(id, `${all.join('\n')}\n`, 'claude-code');
    const { events, status } = await read(id);
    expect(events.slice(-3).map(({ kind }) => kind)).toEqual([
      'USER_MESSAGE',
      'AGENT_MESSAGE',
      'SESSION_IDLE',
    ]);
    expect(events.find(({ kind }) => kind === 'USER_MESSAGE')?.createdAt).toBe('2026-03-01T08:01:00.000Z');
    expect(status).toBe('COMPLETED');
  });
});
