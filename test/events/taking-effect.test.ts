import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activity, type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

type Who = keyof House['tokens'];
interface Mutation {
  readonly who: Who;
  readonly field: string;
  readonly input: string;
  /** What is shown of the payload, all of which the transaction had. */
  readonly payload: string;
}

const FIELDS = 'sessionId title status updatedAt checkpoint url';
const SESSION = `session { ${FIELDS} }`;
const EDGE = 'edge { cursor node { ... on SessionEventOccurrence { eventId kind session { checkpoint } } } }';
const QUESTION = { question: { eventId: 'q', questionId: 'q1', text: '?', responseFormat: 'TEXT' } };

/** All that write to a session. */
const writes = (sessionId: string): readonly Mutation[] => [
  { who: 'member', field: 'createSession', input: '{ title: "T", text: "Hello" }', payload: SESSION },
  {
    who: 'member',
    field: 'updateSession',
    input: `{ sessionId: "${sessionId}", title: "${randomUUID()}" }`,
    payload: SESSION,
  },
  {
    who: 'member',
    field: 'sendMessage',
    input: `{ sessionId: "${sessionId}", text: "Hello" }`,
    payload: `${SESSION} ${EDGE}`,
  },
  {
    who: 'member',
    field: 'answerQuestion',
    input: `{ sessionId: "${sessionId}", questionId: "q1", answers: [{ questionId: "q1", text: "Yes" }] }`,
    payload: `${SESSION} ${EDGE}`,
  },
  {
    who: 'member',
    field: 'stopSession',
    input: `{ sessionId: "${sessionId}" }`,
    payload: `${SESSION} ${EDGE}`,
  },
  {
    who: 'service',
    field: 'appendSessionEvents',
    input: `{ sessionId: "${sessionId}", events: [{ activity: { eventId: "b", activityId: "b", status: STARTED, title: "T" } }] }`,
    payload: `${SESSION} edges { cursor node { ... on SessionEventOccurrence { eventId } } } duplicates checkpoint`,
  },
  {
    who: 'service',
    field: 'upsertSources',
    input: `{ sessionId: "${sessionId}", sources: [{ sourceRef: "r", title: "T", authors: ["A"], studyTypeTags: [] }] }`,
    payload: `${SESSION} sources { sourceRef title authors }`,
  },
];

async function openSession(): Promise<string> {
  const sessionId = await house.newSession();
  await house.append(sessionId, [activity('a'), QUESTION]);
  return sessionId;
}

const busy = (): Error =>
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
const broken = (): Error => new Error('the connection is lost');

/** From the first commit on no statement gets through. */
function afterCommit(fault: () => Error) {
  let committed = false;
  return (sql: string) => {
    if (committed) return fault();
    committed = /^COMMIT/i.test(sql);
    return undefined;
  };
}

const run = ({ who, field, input }: Mutation, payload: string, fault: () => Error = busy) =>
  house.database.withFaults(afterCommit(fault), async () => {
    const document = `mutation { ${field}(input: ${input}) { ${payload} } }`;
    const { body } = await house.request<Record<string, unknown>>(document, { token: house.tokens[who] });
    return body;
  });

describe('a mutation after whose commit the database answers nothing', () => {
  it('shows what it has done, without a read', async () => {
    const sessionId = await openSession();
    for (const mutation of writes(sessionId)) {
      const { data, errors } = await run(mutation, mutation.payload);
      expect([mutation.field, errors]).toEqual([mutation.field, undefined]);
      expect(data?.[mutation.field]).toMatchObject({ session: { sessionId: expect.any(String) } });
    }
  });

  it('shows what a read later shows', async () => {
    const sessionId = await openSession();
    for (const mutation of writes(sessionId).slice(1)) {
      const { data } = await run(mutation, SESSION);
      const shown = await house.ask('member', `{ session(sessionId: "${sessionId}") { ${FIELDS} } }`);
      expect(data?.[mutation.field]).toEqual(shown);
    }
  });

  it.each([
    [busy, { code: 'TIMEOUT', tookEffect: true }],
    [broken, { code: 'INTERNAL_SERVER_ERROR', id: expect.any(String), tookEffect: true }],
  ])(
    'gives the rest of the answer, and says at the path of what is missing that it took effect: %#',
    async (fault, extensions) => {
      const sessionId = await openSession();
      for (const mutation of writes(sessionId)) {
        const { data, errors } = await run(
          mutation,
          `session { ${FIELDS} events { totalCount nodes { __typename } } }`,
          fault,
        );
        expect(data?.[mutation.field]).toMatchObject({
          session: { sessionId: expect.any(String), events: null },
        });
        expect(errors).toEqual([
          {
            message: expect.stringContaining('The mutation took effect'),
            path: [mutation.field, 'session', 'events', 'nodes'],
            locations: expect.anything(),
            extensions,
          },
        ]);
        expect(errors?.[0]?.message).not.toMatch(/again|check/);
      }
    },
  );

  it('says so too where what is missing makes the whole payload null', async () => {
    const sessionId = await openSession();
    for (const mutation of writes(sessionId)) {
      const { data, errors } = await run(mutation, 'session { owner { name } }');
      expect(data).toEqual({ [mutation.field]: null });
      expect(errors).toMatchObject([
        { path: [mutation.field, 'session', 'owner'], extensions: { tookEffect: true } },
      ]);
    }
  });
});

describe('what is no fault of the database below a mutation', () => {
  it('keeps its own message and details', async () => {
    const sessionId = await openSession();
    const input = `{ sessionId: "${sessionId}", title: "New" }`;
    const { body } = await house.request(
      `mutation { updateSession(input: ${input}) { session { title events(after: "x") { totalCount } } } }`,
      { token: house.tokens.member },
    );
    expect(body.data).toEqual({ updateSession: { session: { title: 'New', events: null } } });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID_CURSOR',
      reason: 'MALFORMED',
      tookEffect: true,
    });
  });

  it('is not said of a mutation that was refused, nor of a query', async () => {
    const refused = await house.request(
      'mutation { stopSession(input: { sessionId: "x" }) { session { id } } }',
      {
        token: house.tokens.member,
      },
    );
    expect(refused.body.errors?.[0]?.extensions).toEqual({ code: 'NOT_FOUND' });
    const sessionId = await openSession();
    const asked = await house.request(
      `{ session(sessionId: "${sessionId}") { events(after: "x") { totalCount } } }`,
      {
        token: house.tokens.member,
      },
    );
    expect(asked.body.errors?.[0]?.extensions).not.toHaveProperty('tookEffect');
  });
});
