import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const SESSION = `{ sessionId title status owner { accountId } checkpoint events { totalCount nodes {
  ... on SessionEventOccurrence { eventId kind } ... on UserMessageEvent { messageId text isInitial } } } }`;
const CREATE = `mutation ($input: CreateSessionInput!) { createSession(input: $input) { session ${SESSION} } }`;
const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
  session ${SESSION} edge { cursor node { ... on UserMessageEvent { eventId messageId text isInitial files { filename } } } } } }`;
const STOP = `mutation ($input: StopSessionInput!) { stopSession(input: $input) {
  session ${SESSION} edge { cursor node { ... on StopRequestedEvent { eventId } } } } }`;

interface Session {
  readonly sessionId: string;
  readonly status: string;
  readonly checkpoint: string;
  readonly events: { readonly totalCount: number; readonly nodes: readonly object[] };
}
interface Written {
  readonly session: Session;
  readonly edge: {
    readonly cursor: string;
    readonly node: { readonly eventId: string; readonly messageId: string };
  };
}

type Who = Parameters<House['ask']>[0];
const create = async (who: Who, input: object): Promise<Session> =>
  (await house.ask<{ createSession: { session: Session } }>(who, CREATE, { input })).createSession.session;
const send = async (input: object): Promise<Written> =>
  (await house.ask<{ sendMessage: Written }>('member', SEND, { input })).sendMessage;
const stop = async (sessionId: string): Promise<Written> =>
  (await house.ask<{ stopSession: Written }>('member', STOP, { input: { sessionId } })).stopSession;

describe('creating a session', () => {
  it('without a text makes an empty one that awaits input', async () => {
    expect(await create('member', { title: 'Creatine' })).toMatchObject({
      title: 'Creatine',
      status: 'COMPLETED',
      owner: { accountId: house.accounts.member.accountId },
      events: { totalCount: 0 },
    });
  });

  it('with a text makes that its initial message', async () => {
    expect(await create('member', { text: 'Does it help?' })).toMatchObject({
      title: null,
      status: 'PROCESSING',
      events: { nodes: [{ kind: 'USER_MESSAGE', text: 'Does it help?', isInitial: true }] },
    });
  });

  it('again with the same content gives the session as it is now, under an id in lower case', async () => {
    const sessionId = randomUUID();
    const first = await create('member', { sessionId: sessionId.toUpperCase(), text: 'Hi.', title: null });
    expect(first.sessionId).toBe(sessionId);
    await send({ sessionId, text: 'More.' });
    const again = await create('member', { sessionId, text: 'Hi.' });
    expect(again.events.totalCount).toBe(2);
  });

  it('with other content, or for another owner, is CONFLICT with what has the id', async () => {
    const sessionId = randomUUID();
    await create('member', { sessionId, title: 'One' });
    for (const input of [{ title: 'Two' }, { title: 'One', text: 'x' }, {}]) {
      expect(await house.refuse('member', CREATE, { input: { sessionId, ...input } })).toMatchObject([
        { code: 'CONFLICT', current: { sessionId, title: 'One' } },
      ]);
    }
    expect(await house.refuse('service', CREATE, { input: { sessionId, title: 'One' } })).toMatchObject([
      { code: 'CONFLICT', current: { sessionId } },
    ]);
  });

  it("tells its owner's lists, and once", async () => {
    const heard: string[] = [];
    const topic = `account:${house.accounts.member.accountId}`;
    const stop = house.means.bus.subscribe(topic, ({ log, head }) => heard.push(`${log} ends at ${head}`));
    const { sessionId } = await create('member', { text: 'Hi.' });
    await create('member', { sessionId, text: 'Hi.' });
    const { sessionId: empty } = await create('member', {});
    stop();
    expect(heard).toEqual([`session:${sessionId} ends at 1`, `session:${empty} ends at 0`]);
  });

  it('under an id that one may not see is CONFLICT and says no more', async () => {
    const sessionId = randomUUID();
    await create('member', { sessionId, title: 'Secret' });
    const [error] = await house.refuse('stranger', CREATE, { input: { sessionId, title: 'Secret' } });
    expect(error).toMatchObject({ code: 'CONFLICT' });
    expect(error).not.toHaveProperty('current');
    expect(JSON.stringify(error)).not.toContain('Secret');
  });

  it('is for oneself, or by a runtime for an account of its organisation', async () => {
    const accountId = house.accounts.member.accountId;
    expect(await create('member', { accountId })).toMatchObject({ owner: { accountId } });
    expect(await create('service', { accountId })).toMatchObject({ owner: { accountId } });
    expect(await create('service', {})).toMatchObject({
      owner: { accountId: house.accounts.admin.accountId },
    });
    expect(await house.refuse('admin', CREATE, { input: { accountId } })).toMatchObject([
      { code: 'FORBIDDEN' },
    ]);
    expect(await house.refuse('run', CREATE, { input: {} })).toMatchObject([{ code: 'FORBIDDEN' }]);
    const foreign = house.accounts.stranger.accountId;
    const refused = await Promise.all(
      [foreign, randomUUID(), 'nobody'].map((id) =>
        house.refuse('service', CREATE, { input: { accountId: id } }),
      ),
    );
    expect(refused[0]).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(refused).toEqual([refused[0], refused[0], refused[0]]);
  });

  it('needs a UUID for an id, and text that is some', async () => {
    expect(await house.refuse('member', CREATE, { input: { sessionId: 'mine' } })).toMatchObject([
      { code: 'BAD_USER_INPUT', path: 'input.sessionId' },
    ]);
    expect(await house.refuse('member', CREATE, { input: { text: '' } })).toMatchObject([
      { code: 'BAD_USER_INPUT', path: 'input.text' },
    ]);
  });
});

describe('sending a message', () => {
  it('adds it, with its files, and the agent works', async () => {
    const sessionId = await house.newSession();
    const { session, edge } = await send({ sessionId, text: 'And?', files: [{ filename: 'a.pdf' }] });
    expect(edge.node).toMatchObject({ text: 'And?', isInitial: false, files: [{ filename: 'a.pdf' }] });
    expect(session).toMatchObject({ status: 'PROCESSING', checkpoint: edge.cursor });
  });

  it('twice without a messageId adds two', async () => {
    const sessionId = await house.newSession();
    await send({ sessionId, text: 'And?' });
    expect((await send({ sessionId, text: 'And?' })).session.events.totalCount).toBe(2);
  });

  it('again with its messageId gives the first, with other content CONFLICT', async () => {
    const sessionId = await house.newSession();
    const first = await send({ sessionId, messageId: 'm1', text: 'And?' });
    expect(first.edge.node.messageId).toBe('m1');
    const again = await send({ sessionId, messageId: 'm1', text: 'And?', files: [] });
    expect(again.edge).toEqual(first.edge);
    expect(again.session.events.totalCount).toBe(1);
    const other = { input: { sessionId, messageId: 'm1', text: 'Or?' } };
    expect(await house.refuse('member', SEND, other)).toMatchObject([
      {
        code: 'CONFLICT',
        message: expect.stringContaining('messageId "m1"'),
        current: { eventId: first.edge.node.eventId },
      },
    ]);
  });

  it('needs some text or a file', async () => {
    const sessionId = await house.newSession();
    expect(await house.refuse('member', SEND, { input: { sessionId, text: '' } })).toMatchObject([
      { code: 'BAD_USER_INPUT', path: 'input.text' },
    ]);
    await send({ sessionId, text: '', files: [{ filename: 'a.pdf' }] });
    expect(
      await house.refuse('member', SEND, { input: { sessionId, text: 'x', messageId: '' } }),
    ).toMatchObject([{ code: 'BAD_USER_INPUT', path: 'input.messageId' }]);
  });
});

describe('stopping a session', () => {
  it('asks once until something settles it', async () => {
    const sessionId = await house.newSession();
    const first = await stop(sessionId);
    expect((await stop(sessionId)).edge).toEqual(first.edge);
    await house.append(sessionId, [{ sessionStopped: { eventId: 'e1' } }]);
    const second = await stop(sessionId);
    expect(second.edge.cursor).not.toBe(first.edge.cursor);
    expect(second.session.events.totalCount).toBe(3);
  });
});

describe('writing to a session', () => {
  it('is told to who follows it, but not when nothing was written', async () => {
    const sessionId = await house.newSession();
    const heads: number[] = [];
    const leave = house.means.bus.subscribe(`session:${sessionId}`, ({ head }) => heads.push(head));
    await send({ sessionId, text: 'Hi.', messageId: 'm1' });
    await send({ sessionId, text: 'Hi.', messageId: 'm1' });
    await stop(sessionId);
    await stop(sessionId);
    leave();
    expect(heads).toEqual([1, 2]);
  });

  it.each([
    ['sendMessage', SEND, { text: 'x' }],
    ['stopSession', STOP, {}],
  ])('by %s is for its owner and its runtimes; to others it is not there', async (_, document, fields) => {
    const sessionId = await house.newSession();
    const refusals = (who: Who, id = sessionId) =>
      house.refuse(who, document, { input: { sessionId: id, ...fields } });
    const foreign = await refusals('stranger');
    expect(foreign).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(await refusals('member', randomUUID())).toEqual(foreign);
    expect(await refusals('member', 'nonsense')).toEqual(foreign);
    // An admin reads it and does not write to it.
    expect(await refusals('admin')).toEqual(foreign);
    expect(await refusals('run')).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(await refusals('service')).toEqual([]);
    expect(await refusals('member', sessionId.toUpperCase())).toEqual([]);
  });
});
