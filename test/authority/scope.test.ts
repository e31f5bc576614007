import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moveAccount, setRole } from '../../src/accounts/actions.js';
import type { House } from '../events/house.js';
import { eventually } from '../subscriptions/eventually.js';
import { holdAnswer } from '../subscriptions/held-statement.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { farewellOf, open, openEventStream, SOON } from './house.js';

let house: House;
beforeAll(async () => {
  house = await open(SOON);
});
afterEach(() => eventually(() => expect([house.watched(), house.listeners()]).toEqual([0, 0])));
afterAll(() => house.close());

const SESSION = `subscription ($id: ID!) {
  sessionEvents(sessionId: $id) { edges { node { ... on SessionEventOccurrence { eventId } } } }
}`;
const SESSIONS = 'subscription { sessionChanged { session { sessionId } resync } }';
const ORG = 'subscription { elicitationChanges(scope: ORG) { edges { node { elicitation { message } } } } }';
const ME = 'subscription { elicitationChanges { edges { node { elicitation { message } } } } }';

/** An organisation with an admin, who has a session, and a member with another one. */
async function seed() {
  const organization = house.createOrganization();
  const [admin, member] = [
    await organization.createAccount({ role: 'ADMIN' }),
    await organization.createAccount({ role: 'MEMBER' }),
  ];
  return {
    organization,
    admin,
    token: await admin.createToken(),
    service: await admin.createToken({ kind: 'SERVICE' }),
    own: await admin.createSession(),
    others: await member.createSession(),
    memberToken: await member.createToken(),
  };
}

type Seed = Awaited<ReturnType<typeof seed>>;

/** What an admin follows: of its organisation, and of its own. */
const wide = ({ others }: Seed) =>
  [
    [SESSION, { id: others.sessionId }],
    [SESSIONS, {}],
    [ORG, {}],
  ] as const;
const narrow = ({ own }: Seed) =>
  [
    [SESSION, { id: own.sessionId }],
    [ME, {}],
  ] as const;

const rename = (token: string, sessionId: string, title: string) =>
  house.execute('mutation ($i: UpdateSessionInput!) { updateSession(input: $i) { session { sessionId } } }', {
    token,
    variables: { i: { sessionId, title } },
  });
const sendMessage = (token: string, sessionId: string, text: string) =>
  house.execute('mutation ($i: SendMessageInput!) { sendMessage(input: $i) { edge { cursor } } }', {
    token,
    variables: { i: { sessionId, text } },
  });
const ask = (token: string, message: string) =>
  house.execute(
    'mutation ($i: RequestElicitationInput!) { requestElicitation(input: $i) { elicitation { id } } }',
    { token, variables: { i: { message, ttlSeconds: 600 } } },
  );

describe.each([
  ['who is no admin any more', (accountId: string) => setRole(house.database, { accountId, role: 'MEMBER' })],
  ['who has left its organisation', (accountId: string) => moveAccount(house.database, { accountId })],
  [
    'who is an admin elsewhere now',
    (accountId: string) =>
      moveAccount(house.database, { accountId, organization: `New ${accountId}`, role: 'ADMIN' }),
  ],
])('an admin %s', (_, change) => {
  it('keeps the streams of its own, and loses the others over server-sent events', async () => {
    const seeded = await seed();
    const { token, admin, own, others } = seeded;
    const openAll = (asked: readonly (readonly [string, object])[]) =>
      Promise.all(asked.map(([query, variables]) => openEventStream(house.url, token, query, variables)));
    const [lost, kept] = await Promise.all([openAll(wide(seeded)), openAll(narrow(seeded))]);
    await change(admin.accountId);
    expect(await Promise.all(lost.map(({ ended }) => ended))).toEqual(['whole', 'whole', 'whole']);
    const codes = lost.map(({ messages }) => farewellOf(messages).errors.map(({ code }) => code));
    expect(codes).toEqual([['NOT_FOUND'], ['FORBIDDEN'], ['FORBIDDEN']]);
    await sendMessage(token, own.sessionId, 'Still here.');
    await ask(token, 'Still mine?');
    await eventually(() => expect(JSON.stringify(kept[0]?.messages)).toContain('eventId'));
    await eventually(() => expect(JSON.stringify(kept[1]?.messages)).toContain('Still mine?'));
    expect(JSON.stringify(lost.map(({ messages }) => messages))).not.toContain(others.sessionId);
    for (const { leave } of kept) leave();
  });

  it('loses them over a WebSocket, which stays open, with what asking again is answered with', async () => {
    const seeded = await seed();
    const { token, admin } = seeded;
    const raw = await openRawSocket(house.url, token);
    const asked = [...wide(seeded), ...narrow(seeded)];
    for (const [index, [query, variables]] of asked.entries()) raw.subscribe(query, variables, `${index}`);
    const ofId = (id: number) => raw.messages.filter((message) => message.id === `${id}`);
    await eventually(() => asked.forEach((_, index) => void expect(ofId(index)).toHaveLength(1)));
    await change(admin.accountId);
    for (const [index, [query, variables]] of wide(seeded).entries()) {
      await eventually(() => expect(ofId(index).at(-1)?.type).toBe('complete'));
      const told = ofId(index).at(-2)?.payload?.errors;
      expect(told).toHaveLength(1);
      const again = await openRawSocket(house.url, token);
      again.subscribe(query, variables);
      await eventually(() => expect(again.messages.length).toBeGreaterThan(0));
      const refusal = again.messages[0]?.payload?.errors;
      // What may be followed still, but tells of something else, is to be asked for again.
      const expected = refusal ?? [
        { message: expect.stringContaining('Subscribe again'), extensions: { code: 'FORBIDDEN' } },
      ];
      const wordsOf = (errors: typeof told) =>
        errors?.map(({ message, extensions }) => ({ message, extensions }));
      expect(wordsOf(told)).toEqual(wordsOf(expected as typeof told));
      again.socket.close();
    }
    await ask(token, 'Mine?');
    await eventually(() => expect(JSON.stringify(ofId(4))).toContain('Mine?'));
    expect(ofId(3)).toHaveLength(1);
    raw.socket.close();
  });
});

describe('a change that takes nothing', () => {
  it('leaves the streams of a member who becomes an admin, but for the list that has grown', async () => {
    const { organization } = await seed();
    const member = await organization.createAccount({ role: 'MEMBER' });
    const session = await member.createSession();
    const token = await member.createToken();
    const kept = await openEventStream(house.url, token, SESSION, { id: session.sessionId });
    const list = await openEventStream(house.url, token, SESSIONS);
    await setRole(house.database, { accountId: member.accountId, role: 'ADMIN' });
    await list.ended;
    expect(farewellOf(list.messages).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
    await rename(token, session.sessionId, 'Mine');
    const again = await openEventStream(house.url, token, SESSIONS);
    await rename(token, session.sessionId, 'Still mine');
    await eventually(() => expect(again.messages.length).toBeGreaterThan(1));
    expect(kept.messages).toHaveLength(1);
    kept.leave();
    again.leave();
  });

  it('leaves those of a run whose owner moves', async () => {
    const { admin, own, service } = await seed();
    const run = await own.createToken({ scopes: ['conversation:read'] });
    const stream = await openEventStream(
      house.url,
      run,
      'subscription { conversationEntries { edges { node { ... on MessageEntry { content } } } } }',
    );
    await moveAccount(house.database, { accountId: admin.accountId });
    const personal = await admin.createToken();
    await sendMessage(personal, own.sessionId, 'After the move');
    await eventually(() => expect(JSON.stringify(stream.messages)).toContain('After the move'));
    expect((await house.request('{ viewer { role } }', { token: service })).status).toBe(401);
    stream.leave();
  });
});

describe('an update that is being made when access ends', () => {
  it('is not sent, nor waited for', async () => {
    const { admin, others, token, memberToken } = await seed();
    const query = SESSION.replace('edges', 'session { title } edges');
    const stream = await openEventStream(house.url, token, query, { id: others.sessionId });
    const held = holdAnswer(house.database.pool, /FROM "public"."session"/);
    const send = sendMessage(memberToken, others.sessionId, 'Private');
    await held.reached;
    await setRole(house.database, { accountId: admin.accountId, role: 'MEMBER' });
    await stream.ended;
    held.release();
    await send;
    expect(farewellOf(stream.messages).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(stream.messages).toHaveLength(3);
  });
});
