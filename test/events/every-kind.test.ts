import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_KIND } from './every-kind.js';
import { type House, openHouse } from './house.js';
import { selectionOf } from './selection.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

type Event = Record<string, unknown> & { readonly id: string; readonly __typename: string };
const EVENTS = `query ($sessionId: ID!) { session(sessionId: $sessionId) { events { nodes ${selectionOf('SessionEvent', 4)} } } }`;
const eventsOf = async (sessionId: string) =>
  (await house.ask<{ session: { events: { nodes: Event[] } } }>('member', EVENTS, { sessionId })).session
    .events.nodes;

const camel = (kind: string) => kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const asInput = ({ kind, ...fields }: (typeof EVERY_KIND)[number]) => ({ [camel(kind)]: fields });

describe('an event of every kind', () => {
  it('comes back field by field as it was sent', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, EVERY_KIND.map(asInput));
    const events = await eventsOf(sessionId);
    expect(events).toMatchObject([
      {
        __typename: 'UserMessageEvent',
        kind: 'USER_MESSAGE',
        eventId: 'every-1',
        createdAt: '2026-03-01T10:00:00.001Z',
        session: { sessionId },
        isInitial: true,
        files: [{ filename: 'protocol.pdf', contentType: 'application/pdf', sizeBytes: 2 ** 53 - 1 }],
      },
      { __typename: 'ActivityEvent', activityId: 'a1', status: 'STARTED', summary: 'Two corpora.' },
      {
        __typename: 'AgentMessageEvent',
        displayText: 'It does. Probably.',
        segments: [
          { text: 'It does.', citations: [{ citationId: 'c1' }], unresolved: ['r2'] },
          { text: ' Probably.', citations: [], unresolved: [] },
        ],
        citations: [
          {
            reference: 'r1',
            quote: 'It helped.',
            source: { sourceRef: 's1', citationCount: 2 ** 31, abstract: 'An abstract.' },
          },
        ],
        completion: 'TRUNCATED',
        suggestedFollowUps: ['For whom?'],
      },
      {
        __typename: 'MethodsEvent',
        answer: { eventId: 'every-3' },
        sections: [{ heading: 'Search', body: 'Two corpora.' }],
        searches: [
          { source: 'pubmed', maxResults: 50, resultsCount: 12, searchedAt: '2026-03-01T10:00:01.000Z' },
        ],
        evidenceBase: { sourceCount: 1, earliestYear: 1998, latestYear: 2024 },
        artifacts: [
          { deliveredArtifactId: 'f1', title: 'Table', artifact: { artifactId: 'f1', sizeBytes: 2 ** 31 } },
        ],
      },
      {
        __typename: 'QuestionEvent',
        responseFormat: 'FILE',
        options: [{ optionId: 'o1', label: 'One' }],
        prefilledText: 'Perhaps',
        questions: [
          { questionId: 'q1a', responseFormat: 'SINGLE_SELECT', options: [{ optionId: 'o2', label: 'Two' }] },
        ],
        reply: null,
      },
      {
        __typename: 'ArtifactsDeliveredEvent',
        artifacts: [{ filename: 'table.csv', sizeBytes: 2 ** 31, kind: 'AGENT_DELIVERED_FILE' }],
      },
      {
        __typename: 'DeliveredOutputsEvent',
        deliveredOutputs: [{ title: 'Trials', rowCount: 12, kind: 'TABLE' }],
      },
      { __typename: 'ErrorEvent', code: 'AGENT_API_ERROR', message: 'Overloaded.', retryable: true },
      { __typename: 'SessionIdleEvent', kind: 'SESSION_IDLE' },
      { __typename: 'SessionPausedEvent', kind: 'SESSION_PAUSED' },
      { __typename: 'SessionResumedEvent', kind: 'SESSION_RESUMED' },
      { __typename: 'StopRequestedEvent', kind: 'STOP_REQUESTED' },
      { __typename: 'SessionStoppedEvent', kind: 'SESSION_STOPPED' },
      {
        __typename: 'UnknownEvent',
        kind: 'UNKNOWN',
        rawKind: 'table_reviewed',
        payload: { rows: [1, null] },
      },
    ]);
  });

  it('with nothing but what is required has nulls and empty lists, and never null for a list (case 83)', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, [
      { userMessage: { eventId: 'e1', messageId: 'm', text: '' } },
      {
        methods: {
          eventId: 'e2',
          messageId: 'm',
          approach: 'A.',
          sections: [],
          keyJudgments: [],
          searches: [],
          artifacts: [],
        },
      },
      { question: { eventId: 'e3', questionId: 'q', text: '?', responseFormat: 'TEXT' } },
      { agentMessage: { eventId: 'e4', messageId: 'm4', text: 'x', citations: [], suggestedFollowUps: [] } },
      {
        methods: {
          eventId: 'e5',
          messageId: 'm',
          approach: 'A.',
          sections: [],
          keyJudgments: [],
          searches: [],
          artifacts: [{ title: 'T' }, { title: 'U', artifactId: 'gone' }],
        },
      },
    ]);
    expect(await eventsOf(sessionId)).toMatchObject([
      { isInitial: false, files: [] },
      {
        summary: null,
        sections: [],
        keyJudgments: [],
        searches: [],
        artifacts: [],
        evidenceBase: null,
        answer: null,
      },
      { options: null, prefilledText: null, questions: null },
      { completion: 'COMPLETE', citations: [], segments: [{ text: 'x' }] },
      {
        artifacts: [
          { deliveredArtifactId: null, artifact: null },
          { deliveredArtifactId: 'gone', artifact: null },
        ],
      },
    ]);
  });

  it('is found again by its id, as its own type and to nobody else', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, EVERY_KIND.map(asInput));
    const ids = (await eventsOf(sessionId)).map(({ id }) => id);
    const document =
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on SessionEventOccurrence { eventId } } }';
    const { nodes } = await house.ask<{ nodes: Event[] }>('member', document, { ids });
    expect(nodes.map(({ id, eventId }) => [id, eventId])).toEqual(
      ids.map((id, index) => [id, EVERY_KIND[index]?.eventId]),
    );
    expect(await house.ask('stranger', document, { ids })).toEqual({ nodes: ids.map(() => null) });
    const made = ['UserMessageEvent', 'ActivityEvent', 'UnknownEvent'].flatMap((type) =>
      [
        `${sessionId}:3`,
        `${sessionId}:0`,
        `${sessionId}:99`,
        `${sessionId}:9999999999`,
        sessionId,
        'x:1',
        '',
      ].map((id) => Buffer.from(`${type}:${id}`).toString('base64')),
    );
    expect(await house.ask('member', document, { ids: made })).toEqual({ nodes: made.map(() => null) });
  });

  it('is found by its eventId within its session', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, EVERY_KIND.map(asInput));
    const document = `query ($sessionId: ID!, $eventId: ID!) { session(sessionId: $sessionId) { event(eventId: $eventId) { __typename ... on SessionEventOccurrence { eventId } } } }`;
    const find = (eventId: string) => house.ask('member', document, { sessionId, eventId });
    expect(await find('every-8')).toEqual({
      session: { event: { __typename: 'ErrorEvent', eventId: 'every-8' } },
    });
    expect(await find('every-99')).toEqual({ session: { event: null } });
    expect(await find('')).toEqual({ session: { event: null } });
    expect(await house.refuse('member', document, { sessionId, eventId: 'a\u0000' })).toMatchObject([
      { code: 'BAD_USER_INPUT' },
    ]);
  });
});

describe('what is stored', () => {
  it('and cannot be read is an unknown event, and the page has the others (cases 79, 80)', async () => {
    const sessionId = await house.newSession(3);
    await house.database.prisma.event.update({
      where: { sessionId_number: { sessionId, number: 2 } },
      data: { payload: { status: 'PONDERING' } },
    });
    expect(await eventsOf(sessionId)).toMatchObject([
      { __typename: 'ActivityEvent', eventId: 'e1' },
      { __typename: 'UnknownEvent', eventId: 'e2', kind: 'UNKNOWN', rawKind: 'activity', payload: null },
      { __typename: 'ActivityEvent', eventId: 'e3' },
    ]);
  });

  it('is text verbatim: right to left, zero width, broken markup (case 76)', async () => {
    const sessionId = await house.newSession();
    const texts = [
      'مرحبا \u202eabc',
      'a\u200db\ufeff',
      '<citations>a<citations>b</citations>',
      '</citations>x<citations>',
      '\r\n\t 💥',
    ];
    await house.append(
      sessionId,
      texts.map((text, index) => ({
        agentMessage: {
          eventId: `e${index}`,
          messageId: `m${index}`,
          text,
          citations: [],
          suggestedFollowUps: [],
        },
      })),
    );
    expect((await eventsOf(sessionId)).map(({ text }) => text)).toEqual(texts);
  });

  it('stays as it is when a message comes again with more citations (case 11)', async () => {
    const sessionId = await house.newSession();
    const source = (sourceRef: string) => ({ sourceRef, authors: [], studyTypeTags: [] });
    const message = (eventId: string, ...refs: string[]) => ({
      agentMessage: {
        eventId,
        messageId: 'm1',
        text: 'x',
        suggestedFollowUps: [],
        citations: refs.map((ref) => ({ citationId: ref, quote: ref, source: source(ref) })),
      },
    });
    await house.append(sessionId, [message('e1', 'a')]);
    const [before] = await eventsOf(sessionId);
    await house.append(sessionId, [message('e2', 'a', 'b')]);
    const [first, second] = await eventsOf(sessionId);
    expect(first).toEqual(before);
    expect(second).toMatchObject({ messageId: 'm1', citations: [{ quote: 'a' }, { quote: 'b' }] });
  });
});
