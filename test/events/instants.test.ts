import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activity, type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** As sent, and as every field of the graph shows it. */
const EDGES = [
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0099-12-31T23:59:59.5Z', '0099-12-31T23:59:59.500Z'],
  ['2026-07-30T14:00:00.0009+02:00', '2026-07-30T12:00:00.000Z'],
  ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
] as const;

const REFUSED = [
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-14:00',
  '0000-06-01T00:00:00Z',
  '2026-02-30T12:00:00Z',
  '2026-07-30T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-07-30T12:00:00',
  'banana',
];

const methods = (eventId: string, searchedAt: string) => ({
  methods: {
    ...{ eventId, messageId: 'm1', approach: 'Reading.', sections: [], keyJudgments: [], artifacts: [] },
    searches: [{ source: 'pubmed', query: 'creatine', searchedAt }],
  },
});

const file = (eventId: string, createdAt: string) => ({
  artifactsDelivered: {
    eventId,
    artifacts: [{ artifactId: `of-${eventId}`, kind: 'REPORT_ASSET', filename: 'a.md', createdAt }],
  },
});

const output = (eventId: string, createdAt: string) => ({
  deliveredOutputs: {
    eventId,
    deliveredOutputs: [{ artifactId: `of-${eventId}`, kind: 'TABLE', title: 'A table', createdAt }],
  },
});

/** Every place of an event where an instant is written. */
const PLACES = {
  createdAt: (eventId: string, at: string) => ({
    activity: { ...activity(eventId).activity, createdAt: at },
  }),
  searchedAt: methods,
  'an artifact’s createdAt': file,
  'an output’s createdAt': output,
};

const READ = `query ($sessionId: ID!) { session(sessionId: $sessionId) { events { nodes {
  ... on ActivityEvent { at: createdAt }
  ... on MethodsEvent { searches { at: searchedAt } }
  ... on ArtifactsDeliveredEvent { artifacts { at: createdAt } }
  ... on DeliveredOutputsEvent { deliveredOutputs { at: createdAt } }
} } } }`;

const instantsOf = async (sessionId: string): Promise<string[]> => {
  const data = await house.ask<unknown>('member', READ, { sessionId });
  return [...JSON.stringify(data).matchAll(/"at":"([^"]+)"/g)].map(([, at = '']) => at);
};

describe.each(Object.entries(PLACES))('%s', (_place, event) => {
  it('comes back from the first to the last instant there is, cut to milliseconds', async () => {
    const sessionId = await house.newSession();
    await house.append(
      sessionId,
      EDGES.map(([sent], index) => event(`e${index}`, sent)),
    );
    expect(await instantsOf(sessionId)).toEqual(EDGES.map(([, shown]) => shown));
  });

  it.each(REFUSED)('is refused as %s, and nothing is kept', async (at) => {
    const sessionId = await house.newSession();
    const document = `mutation ($input: AppendSessionEventsInput!) {
      appendSessionEvents(input: $input) { checkpoint } }`;
    const refusals = await house.refuse('service', document, {
      input: { sessionId, events: [event('e0', '2026-07-30T12:00:00Z'), event('e1', at)] },
    });
    expect(refusals).toMatchObject([
      { code: 'BAD_USER_INPUT', message: expect.stringMatching(/events\[1\].*DateTime: expected an?/s) },
    ]);
    expect(await instantsOf(sessionId)).toEqual([]);
  });
});

describe('the end of a credential', () => {
  const ISSUE = `mutation ($input: IssueCredentialInput!) {
    issueCredential(input: $input) { credential { expiresAt } } }`;
  const LIST = '{ viewer { credentials { nodes { expiresAt } } } }';

  it.each(REFUSED)('is refused as %s, and the list of credentials stays readable', async (expiresAt) => {
    const refusals = await house.refuse('member', ISSUE, { input: { kind: 'PERSONAL', expiresAt } });
    expect(refusals).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
    await house.ask('member', LIST);
  });

  it('may be the last instant there is', async () => {
    const expiresAt = '9999-12-31T23:59:59.9999Z';
    await house.ask('member', ISSUE, { input: { kind: 'PERSONAL', expiresAt } });
    expect(JSON.stringify(await house.ask('member', LIST))).toContain('"9999-12-31T23:59:59.999Z"');
  });
});
