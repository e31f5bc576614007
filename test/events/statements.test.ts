import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from './house.js';
import { selectionOf } from './selection.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const source = (sourceRef: string) => ({ sourceRef, title: sourceRef, authors: ['A'], studyTypeTags: [] });
const citing = (index: number) => ({
  agentMessage: {
    eventId: `e${index}`,
    messageId: `m${index}`,
    text: 'Yes.<citations>r1,r2</citations>',
    suggestedFollowUps: [],
    citations: ['r1', 'r2', 'r3'].map((reference) => ({
      citationId: reference,
      reference,
      quote: reference,
      source: source(`${reference}-${index % 7}`),
    })),
  },
});
const others = (index: number) => [
  {
    methods: {
      eventId: `w${index}`,
      messageId: `m${index}`,
      approach: 'A.',
      sections: [],
      keyJudgments: [],
      searches: [],
      artifacts: [{ artifactId: `f${index}`, title: 'T' }],
    },
  },
  {
    artifactsDelivered: {
      eventId: `f${index}`,
      artifacts: [{ artifactId: `f${index}`, kind: 'REPORT_ASSET', filename: 'f' }],
    },
  },
  { question: { eventId: `q${index}`, questionId: `q${index}`, text: '?', responseFormat: 'TEXT' } },
];

/** The statements of a document, without those that find out who asks. */
async function statementsOf(document: string, variables: object): Promise<number> {
  const asked = await house.database.statementsOf(() => house.ask('member', document, { ...variables }));
  const known = await house.database.statementsOf(() => house.ask('member', '{ __typename }'));
  return asked.length - known.length;
}

describe('what a page costs in statements', () => {
  const page = (selection: string) =>
    `query ($sessionId: ID!, $first: Int) { session(sessionId: $sessionId) { events(first: $first) { nodes ${selection} } } }`;

  it('does not grow with its messages, citations and sources (case 23)', async () => {
    const sessionId = await house.newSession();
    await house.append(
      sessionId,
      Array.from({ length: 50 }, (_, index) => citing(index)),
    );
    const document = page(
      '{ ... on AgentMessageEvent { displayText segments { text citations { citationId } } citations { quote source { title abstract } } session { status } } }',
    );
    const counts: number[] = [];
    for (const first of [1, 10, 50]) counts.push(await statementsOf(document, { sessionId, first }));
    // The session, the events, the citations with their sources, the abstracts.
    expect(counts).toEqual([4, 4, 4]);
  });

  it('does not grow when every field of every kind is asked for', async () => {
    const sessionId = await house.newSession();
    const round = (index: number) => [citing(index), ...others(index)];
    await house.append(sessionId, Array.from({ length: 50 }, (_, index) => round(index)).flat());
    const document = page(selectionOf('SessionEvent', 4));
    const few = await statementsOf(document, { sessionId, first: 4 });
    expect(await statementsOf(document, { sessionId, first: 200 })).toBe(few);
    expect(few).toBeLessThan(12);
  });

  it('does not grow with the sessions of a list, each with its last events', async () => {
    const list = `query ($first: Int) { sessions(first: $first) { nodes { checkpoint events(last: 5) { checkpoint pageInfo { hasNextPage } nodes { ... on SessionEventOccurrence { eventId session { status } } } } } } }`;
    for (let count = 0; count < 4; count += 1) await house.newSession(7);
    const one = await statementsOf(list, { first: 1 });
    expect(await statementsOf(list, { first: 4 })).toBe(one);
  });
});
