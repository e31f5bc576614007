import { parse, subscribe } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.js';
import { encodeCursor, logTag } from '../../src/graphql/cursors.js';
import { schema } from '../../src/schema.js';
import { sessionLogKey } from '../../src/sessions/topics.js';
import { activity, agentMessage, type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const FOLLOW = `subscription ($sessionId: ID!, $after: String, $kinds: [SessionEventKind!]) {
  sessionEvents(sessionId: $sessionId, after: $after, kinds: $kinds) {
    session { sessionId status checkpoint }
    edges { cursor node { ... on SessionEventOccurrence { eventId kind } ... on AgentMessageEvent { text citations { quote } } } }
    checkpoint caughtUp
  }
}`;

interface Update {
  readonly session: { readonly sessionId: string; readonly status: string; readonly checkpoint: string };
  readonly edges: readonly {
    readonly cursor: string;
    readonly node: { readonly eventId: string; readonly kind: string } | null;
  }[];
  readonly checkpoint: string;
  readonly caughtUp: boolean;
}

/** Reads a stream update by update; an error fails the test. */
function follow(sessionId: string, args: object = {}, who: 'member' | 'service' | 'admin' = 'member') {
  const stream = house.subscribe<{ sessionEvents: Update }>(FOLLOW, {
    token: house.tokens[who],
    variables: { sessionId, ...args },
  });
  return {
    async next(): Promise<Update> {
      const { value } = await stream.next();
      if (!value?.data?.sessionEvents || value.errors) throw new Error(`No update: ${JSON.stringify(value)}`);
      return value.data.sessionEvents;
    },
    end: () => stream.return?.(),
  };
}

/** The error that a subscription is refused with. */
async function refusal(who: keyof House['tokens'], variables: object) {
  const stream = house.subscribe(FOLLOW, { token: house.tokens[who], variables: { ...variables } });
  const { value } = await stream.next();
  return (value?.errors ?? []).map((error: { extensions?: unknown }) => error.extensions);
}

const ids = ({ edges }: Update) => edges.map(({ node }) => node?.eventId);
const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `e${from + index}`);

describe('following a session', () => {
  it('from the start replays it, says so when that is done, and goes on live', async () => {
    const sessionId = await house.newSession(3);
    const stream = follow(sessionId);
    const replay = await stream.next();
    expect(ids(replay)).toEqual(['e1', 'e2', 'e3']);
    expect(replay).toMatchObject({ caughtUp: true, checkpoint: replay.edges.at(-1)?.cursor });
    const { edges } = await house.append(sessionId, [
      agentMessage('e4', {
        citations: [
          { citationId: 'c', quote: 'q', source: { sourceRef: 's', authors: [], studyTypeTags: [] } },
        ],
      }),
    ]);
    const live = await stream.next();
    expect(live.edges).toMatchObject([
      { cursor: edges[0]?.cursor, node: { eventId: 'e4', text: 'Yes.', citations: [{ quote: 'q' }] } },
    ]);
    expect(live).toMatchObject({ caughtUp: true, checkpoint: live.session.checkpoint });
    await stream.end();
  });

  it('replays 450 events in updates of up to 200, whole and in order', async () => {
    const sessionId = await house.newSession(450);
    const stream = follow(sessionId);
    const updates = [await stream.next(), await stream.next(), await stream.next()];
    expect(updates.map(({ edges, caughtUp }) => [edges.length, caughtUp])).toEqual([
      [200, false],
      [200, false],
      [50, true],
    ]);
    expect(updates.flatMap(ids)).toEqual(names(1, 450));
    await stream.end();
  });

  it('from the end gives one empty update, then nothing until something comes (case 6)', async () => {
    const sessionId = await house.newSession();
    const { checkpoint } = await house.append(sessionId, [activity('e1')]);
    const stream = follow(sessionId, { after: checkpoint });
    expect(await stream.next()).toMatchObject({ edges: [], checkpoint, caughtUp: true });
    const next = stream.next();
    await house.append(sessionId, [activity('e2')]);
    expect(ids(await next)).toEqual(['e2']);
    await stream.end();
  });

  it('of an empty session tells at once that there is nothing', async () => {
    const sessionId = await house.newSession();
    const stream = follow(sessionId);
    expect(await stream.next()).toMatchObject({
      edges: [],
      caughtUp: true,
      session: { sessionId, status: 'COMPLETED' },
    });
    await stream.end();
  });

  it('shows the session at least as new as the edges, and each update anew', async () => {
    const sessionId = await house.newSession();
    const stream = follow(sessionId);
    await stream.next();
    for (const [event, status] of [
      [activity('e1'), 'PROCESSING'],
      [{ sessionIdle: { eventId: 'e2' } }, 'COMPLETED'],
      [{ error: { eventId: 'e3', code: 'AGENT_FAILED', message: 'x', retryable: false } }, 'FAILED'],
    ] as const) {
      await house.append(sessionId, [event]);
      expect((await stream.next()).session.status).toBe(status);
    }
    await stream.end();
  });

  it('hears what every way of writing brings', async () => {
    const sessionId = await house.newSession();
    const stream = follow(sessionId);
    await stream.next();
    await house.ask(
      'member',
      `mutation { sendMessage(input: { sessionId: "${sessionId}", text: "Hi." }) { session { id } } }`,
    );
    expect((await stream.next()).edges).toMatchObject([{ node: { kind: 'USER_MESSAGE' } }]);
    await house.append(sessionId, [
      { question: { eventId: 'q', questionId: 'q', text: '?', responseFormat: 'TEXT' } },
    ]);
    expect(ids(await stream.next())).toEqual(['q']);
    await house.ask(
      'member',
      `mutation { answerQuestion(input: { sessionId: "${sessionId}", questionId: "q", answers: [{ questionId: "q", text: "!" }] }) { session { id } } }`,
    );
    expect((await stream.next()).edges).toMatchObject([{ node: { kind: 'USER_MESSAGE' } }]);
    await house.ask(
      'member',
      `mutation { stopSession(input: { sessionId: "${sessionId}" }) { session { id } } }`,
    );
    expect((await stream.next()).edges).toMatchObject([{ node: { kind: 'STOP_REQUESTED' } }]);
    await stream.end();
  });

  it('delivers a message of 1 MB whole (case 27)', async () => {
    const sessionId = await house.newSession();
    const stream = follow(sessionId);
    await stream.next();
    const text = 'abcd💥'.repeat(128 * 1024);
    await house.append(sessionId, [agentMessage('e1', { text })]);
    const { edges } = await stream.next();
    expect(edges[0]?.node).toMatchObject({ text });
    await stream.end();
  });

  it('narrowed to kinds skips the others, and its checkpoint does not (case 12)', async () => {
    const sessionId = await house.newSession(250);
    await house.append(sessionId, [agentMessage('m1')]);
    const first = follow(sessionId, { kinds: ['AGENT_MESSAGE'] });
    const replay = await first.next();
    expect(replay).toMatchObject({ caughtUp: true, checkpoint: replay.session.checkpoint });
    expect(ids(replay)).toEqual(['m1']);
    await first.end();
    const { checkpoint } = await house.append(sessionId, [
      activity('a1'),
      agentMessage('m2'),
      activity('a2'),
    ]);
    const again = follow(sessionId, { kinds: ['AGENT_MESSAGE'], after: replay.checkpoint });
    const update = await again.next();
    expect(ids(update)).toEqual(['m2']);
    expect(update).toMatchObject({ checkpoint, caughtUp: true });
    await again.end();
  });

  it('that is narrowed to unknown kinds hears of those that come later', async () => {
    const sessionId = await house.newSession(1);
    const stream = follow(sessionId, { kinds: ['UNKNOWN'] });
    expect((await stream.next()).edges).toEqual([]);
    await house.append(sessionId, [
      activity('e2'),
      { unknown: { eventId: 'e3', rawKind: 'new_kind', payload: 1 } },
    ]);
    expect(ids(await stream.next())).toEqual(['e3']);
    await stream.end();
  });
});

describe('resuming by the last checkpoint', () => {
  it('gives each of 10,000 events once and in order, though the socket is cut after every update (case 1)', async () => {
    const sessionId = await house.newSession();
    const total = 10_000;
    const writing = (async () => {
      for (let from = 1; from <= total; from += 500) {
        await house.append(sessionId, names(from, from + 499).map(activity));
      }
    })();
    const seen: (string | undefined)[] = [];
    let after: string | undefined;
    let cuts = 0;
    for (; seen.length < total; cuts += 1) {
      const stream = follow(sessionId, { after });
      const update = await stream.next();
      seen.push(...ids(update));
      after = update.checkpoint;
      await stream.end();
    }
    await writing;
    expect(seen).toEqual(names(1, total));
    expect(cuts).toBeGreaterThanOrEqual(50);
  });

  it('misses nothing that was committed between subscribing and the first pull (case 5)', async () => {
    const sessionId = await house.newSession(2);
    const operation = { viewer: await authenticate(house.database, house.tokens.member), ...house.means };
    const stream = await subscribe({
      schema,
      document: parse(FOLLOW),
      variableValues: { sessionId },
      contextValue: { operation, publicUrl: house.url },
    });
    if (!(Symbol.asyncIterator in stream)) throw new Error(`Refused: ${JSON.stringify(stream)}`);
    await house.append(sessionId, [activity('e3')]);
    const seen: (string | undefined)[] = [];
    while (seen.length < 3) {
      const { value } = await stream.next();
      seen.push(...ids((value as { data: { sessionEvents: Update } }).data.sessionEvents));
    }
    expect(seen).toEqual(['e1', 'e2', 'e3']);
    await stream.return?.();
  });
});

describe('a stream is refused before it starts', () => {
  it('where one may not see the session, as if it were not there', async () => {
    const sessionId = await house.newSession(1);
    const foreign = await refusal('stranger', { sessionId });
    expect(foreign).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(await refusal('member', { sessionId: 'nonsense' })).toEqual(foreign);
    expect(await refusal('run', { sessionId })).toEqual(foreign);
    const admin = follow(sessionId, {}, 'admin');
    expect(ids(await admin.next())).toEqual(['e1']);
    await admin.end();
  });

  it('with a cursor that is malformed, of another session or ahead of the end (case 7)', async () => {
    const [sessionId, other] = [await house.newSession(1), await house.newSession()];
    const { checkpoint } = await house.append(other, [activity('e1')]);
    for (const [after, reason] of [
      ['nonsense', 'MALFORMED'],
      ['', 'MALFORMED'],
      [checkpoint, 'WRONG_LOG'],
      [encodeCursor(logTag(sessionLogKey(sessionId)), 2), 'AHEAD'],
    ]) {
      expect(await refusal('member', { sessionId, after })).toMatchObject([
        { code: 'INVALID_CURSOR', reason, retry: 'WITHOUT_CURSOR' },
      ]);
    }
  });

  it('with an empty list of kinds', async () => {
    const sessionId = await house.newSession();
    expect(await refusal('member', { sessionId, kinds: [] })).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
  });
});

describe('an update of which a field fails', () => {
  it('has that error beside its edges and checkpoint, and later updates arrive (case 16)', async () => {
    const sessionId = await house.newSession(2);
    const artifact = { artifactId: 'f1', kind: 'REPORT_ASSET', filename: 'f', sizeBytes: 1 };
    await house.append(sessionId, [{ artifactsDelivered: { eventId: 'e3', artifacts: [artifact] } }]);
    await house.database.prisma.event.update({
      where: { sessionId_number: { sessionId, number: 3 } },
      data: { payload: { artifacts: [{ ...artifact, sizeBytes: 1e300 }] } },
    });
    const stream = house.subscribe<{ sessionEvents: Update }>(
      `subscription ($sessionId: ID!) { sessionEvents(sessionId: $sessionId) {
        edges { cursor node { ... on SessionEventOccurrence { eventId } ... on ArtifactsDeliveredEvent { artifacts { sizeBytes } } } }
        checkpoint
      } }`,
      { token: house.tokens.member, variables: { sessionId } },
    );
    const { value: broken } = await stream.next();
    expect(broken?.errors).toMatchObject([
      {
        path: ['sessionEvents', 'edges', 2, 'node', 'artifacts', 0, 'sizeBytes'],
        extensions: { code: expect.any(String) },
      },
    ]);
    expect(broken?.data?.sessionEvents.edges).toHaveLength(3);
    await house.append(sessionId, [activity('e4')]);
    const { value: sound } = await stream.next();
    expect(sound?.errors).toBeUndefined();
    expect(sound?.data?.sessionEvents.edges).toMatchObject([{ node: { eventId: 'e4' } }]);
    await stream.return?.();
  });
});
