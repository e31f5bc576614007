import { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { moveAccount, setPlan, setRole } from '../../src/accounts/actions.js';
import { revokeToken } from '../../src/accounts/tokens.js';
import { activity, type House } from '../events/house.js';
import { beginUpload } from '../http/uploads.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { eventIds, named, SESSION_EVENTS, updateOf } from '../subscriptions/streams.js';
import { farewellOf, NEVER, open, openEventStream, openReplica, SOON } from './house.js';

const REVOKE =
  'mutation ($id: ID!) { revokeCredential(input: { credentialId: $id }) { credential { revokedAt } } }';
const WHO = '{ viewer { role credential { credentialId } } }';

const idOf = async (house: House, token: string): Promise<string> => {
  const { viewer } = await house.execute<{ viewer: { credential: { credentialId: string } } }>(WHO, {
    token,
  });
  return viewer.credential.credentialId;
};

/** Follows a session by both transports, with a fresh credential of the member's, and has had the first updates. */
async function followTwice(house: House, sessionId: string, token: string, url = house.url) {
  const socket = await openRawSocket(url, token);
  const reason = new Promise<string>((resolve) => {
    socket.socket.once('close', (_, text) => resolve(String(text)));
  });
  socket.subscribe(SESSION_EVENTS, { sessionId });
  const stream = await openEventStream(url, token, SESSION_EVENTS, { sessionId });
  await eventually(() => expect(socket.messages.length).toBeGreaterThan(0));
  return { socket, reason, stream };
}

/** How both have ended. */
async function endOf({ socket, reason, stream }: Awaited<ReturnType<typeof followTwice>>) {
  const [code, text] = await Promise.all([socket.closed, reason, stream.ended]);
  return { code, text, errors: farewellOf(stream.messages).errors };
}

const REVOKED = {
  code: 4403,
  text: 'UNAUTHENTICATED: The credential has been revoked',
  errors: [{ code: 'UNAUTHENTICATED', message: expect.stringContaining('revoked') }],
};

describe('hints alone', () => {
  let house: House;
  beforeAll(async () => {
    house = await open(NEVER);
  });
  afterEach(() => eventually(() => expect([house.watched(), house.listeners()]).toEqual([0, 0])));
  afterAll(() => house.close());

  it('end what is open with a credential that is revoked over the API, at once (case 34)', async () => {
    const sessionId = await house.newSession(1);
    const token = await house.accounts.member.createToken();
    const followed = await followTwice(house, sessionId, token);
    const other = await followTwice(house, sessionId, house.tokens.member);
    await house.ask('member', REVOKE, { id: await idOf(house, token) });
    expect(await endOf(followed)).toEqual(REVOKED);
    const seen = [followed.socket.messages.length, followed.stream.messages.length];
    await house.append(sessionId, [activity('later')]);
    await eventually(() => expect(JSON.stringify(other.socket.messages)).toContain('"later"'));
    await eventually(() => expect(JSON.stringify(other.stream.messages)).toContain('"later"'));
    expect([followed.socket.messages.length, followed.stream.messages.length]).toEqual(seen);
    other.socket.socket.close();
    other.stream.leave();
  });

  it('end a socket without a subscription too', async () => {
    const token = await house.accounts.member.createToken();
    const socket = await openRawSocket(house.url, token);
    await house.ask('member', REVOKE, { id: await idOf(house, token) });
    expect(await socket.closed).toBe(4403);
  });
});

describe('an operation over a socket that was open before', () => {
  let house: House;
  beforeAll(async () => {
    house = await open(NEVER);
  });
  afterAll(() => house.close());

  it('is refused when the credential was revoked, though nobody has told', async () => {
    const token = await house.accounts.member.createToken();
    const credentialId = await idOf(house, token);
    const socket = await openRawSocket(house.url, token);
    await revokeToken(house.database, { credentialId });
    socket.subscribe(WHO, {});
    expect(await socket.closed).toBe(4403);
    expect(socket.messages).toEqual([]);
  });

  it('is asked by whom the credential speaks for now', async () => {
    const account = await house.createOrganization('Promotions').createAccount({ role: 'ADMIN' });
    const socket = await openRawSocket(house.url, await account.createToken());
    const roles: unknown[] = [];
    for (const role of ['MEMBER', 'ADMIN'] as const) {
      await setRole(house.database, { accountId: account.accountId, role });
      socket.subscribe(WHO, {}, role);
      await eventually(() => expect(socket.messages.at(-1)).toMatchObject({ type: 'complete', id: role }));
      roles.push(socket.messages.at(-2)?.payload?.data);
    }
    expect(roles).toMatchObject([{ viewer: { role: 'MEMBER' } }, { viewer: { role: 'ADMIN' } }]);
    socket.socket.close();
  });
});

describe('looks alone', () => {
  let house: House;
  beforeAll(async () => {
    house = await open(SOON);
  });
  afterEach(() => eventually(() => expect([house.watched(), house.listeners()]).toEqual([0, 0])));
  afterAll(() => house.close());

  it('end what is open with a credential that is revoked elsewhere, on every server', async () => {
    const replica = await openReplica(house, SOON);
    const sessionId = await house.newSession(1);
    const token = await house.accounts.member.createToken();
    const here = await followTwice(house, sessionId, token);
    const there = await followTwice(house, sessionId, token, replica.url);
    await revokeToken(house.database, { credentialId: await idOf(house, token) });
    expect(await endOf(here)).toEqual(REVOKED);
    expect(await endOf(there)).toEqual(REVOKED);
    expect(replica.watched()).toBe(0);
    await replica.close();
  });

  it('end what is open with a credential that has expired (case 33)', async () => {
    const sessionId = await house.newSession(1);
    const token = await house.accounts.member.createToken({ ttlSeconds: 1 });
    expect(await endOf(await followTwice(house, sessionId, token))).toEqual({
      code: 4403,
      text: 'UNAUTHENTICATED: The credential has expired',
      errors: [{ code: 'UNAUTHENTICATED', message: expect.stringContaining('expired') }],
    });
  });

  it('end a run, whose credential is revoked', async () => {
    const session = await house.accounts.member.createSession();
    const token = await session.createToken({ scopes: ['conversation:read', 'elicitations:read'] });
    const stream = await openEventStream(
      house.url,
      token,
      'subscription { conversationEntries { checkpoint } }',
    );
    const asked = await openEventStream(
      house.url,
      token,
      'subscription { elicitationChanges { checkpoint } }',
    );
    await house.ask('member', REVOKE, { id: await idOf(house, token) });
    await Promise.all([stream.ended, asked.ended]);
    for (const { messages } of [stream, asked]) expect(farewellOf(messages).errors).toEqual(REVOKED.errors);
  });

  it('end a runtime whose account is no admin any more, and one whose account has moved', async () => {
    for (const change of [
      (accountId: string) => setRole(house.database, { accountId, role: 'MEMBER' }),
      (accountId: string) => moveAccount(house.database, { accountId }),
    ]) {
      const account = await house.createOrganization().createAccount({ role: 'ADMIN' });
      const token = await account.createToken({ kind: 'SERVICE' });
      const socket = await openRawSocket(house.url, token);
      const stream = await openEventStream(house.url, token, 'subscription { sessionChanged { resync } }');
      await change(account.accountId);
      expect(await socket.closed).toBe(4403);
      await stream.ended;
      expect(farewellOf(stream.messages).errors).toEqual(REVOKED.errors);
    }
  });

  it('end what is open without a plan, and a client that comes back is told at the door', async () => {
    const account = await house.createOrganization('Unpaid').createAccount();
    const { sessionId } = await account.createSession();
    const token = await account.createToken();
    const followed = await followTwice(house, sessionId, token);
    await setPlan(house.database, { organization: 'Unpaid', apiAccess: false });
    expect(await endOf(followed)).toEqual({
      code: 4403,
      text: 'PLAN_UPGRADE_REQUIRED: Expected a plan with API access',
      errors: [{ code: 'PLAN_UPGRADE_REQUIRED', message: expect.stringContaining('plan') }],
    });
    const socket = new WebSocket(`${house.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve([code, String(reason)]));
    });
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
    });
    expect(await closed).toEqual([4401, 'PLAN_UPGRADE_REQUIRED']);
    const refused = await house.request('{ viewer { role } }', { token });
    expect([refused.status, refused.body.errors?.[0]?.extensions.code]).toEqual([
      403,
      'PLAN_UPGRADE_REQUIRED',
    ]);
  });

  it('let an official client come back with another credential, without a gap or a duplicate (case 33)', async () => {
    const sessionId = await house.newSession(3);
    const first = await house.accounts.member.createToken();
    const tokens = [first, await house.accounts.member.createToken()];
    const variables: { sessionId: string; after?: string } = { sessionId };
    const codes: unknown[] = [];
    const client = createClient({
      url: `${house.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 5,
      retryWait: async () => undefined,
      connectionParams: () => ({ authorization: `Bearer ${tokens.shift()}` }),
      on: { closed: (event) => codes.push(Reflect.get(Object(event), 'code')) },
    });
    const updates: ReturnType<typeof updateOf>[] = [];
    const all = () => eventIds(updates).length;
    const leave = client.subscribe<Parameters<typeof updateOf>[0]['data']>(
      { query: SESSION_EVENTS, variables },
      {
        next: (result) => {
          const update = updateOf(Object(result));
          updates.push(update);
          variables.after = update.checkpoint;
        },
        error: (error) => updates.push(error as never),
        complete: () => {},
      },
    );
    await eventually(() => expect(all()).toBe(3));
    await revokeToken(house.database, { credentialId: await idOf(house, first) });
    await eventually(() => expect(codes).toEqual([4403]));
    await house.append(sessionId, [activity('e4'), activity('e5')]);
    await eventually(() => expect(all()).toBe(5));
    expect(eventIds(updates)).toEqual(named(1, 5));
    leave();
    await client.dispose();
  });

  it('end an upload of a runtime, which is told how far it came', async () => {
    const account = await house.createOrganization().createAccount({ role: 'ADMIN' });
    const session = await account.createSession();
    const token = await account.createToken({ kind: 'SERVICE' });
    const { upload, answer, send } = beginUpload(house, session.sessionId, { token });
    send({ type: 'unheard-of' });
    await eventually(() => expect(house.watched()).toBe(1));
    await house.execute(REVOKE, {
      token: await account.createToken(),
      variables: { id: await idOf(house, token) },
    });
    const { status, body } = await answer;
    expect([status, body.errors?.[0]?.extensions]).toEqual([
      401,
      expect.objectContaining({ code: 'UNAUTHENTICATED', accepted: 0 }),
    ]);
    upload.destroy();
  });

  it('cut a reader that does not take its farewell', async () => {
    const sessionId = await house.newSession();
    const token = await house.accounts.member.createToken();
    const query = SESSION_EVENTS.replace('{ eventId kind }', '{ eventId } ... on UserMessageEvent { text }');
    const leaving = new AbortController();
    const written = vi.spyOn(ServerResponse.prototype, 'write');
    try {
      const response = await fetch(`${house.url}/graphql`, {
        method: 'POST',
        signal: leaving.signal,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ query, variables: { sessionId } }),
      });
      await eventually(() => expect(house.watched()).toBe(2));
      await fillUp(sessionId, () => written.mock.contexts);
      const destroyed = vi.spyOn(ServerResponse.prototype, 'destroy');
      await house.ask('member', REVOKE, { id: await idOf(house, token) });
      await eventually(() => expect(destroyed).toHaveBeenCalled());
      await expect(response.text()).rejects.toThrow();
    } finally {
      leaving.abort();
      vi.restoreAllMocks();
    }
  });

  /** Appends a MiB at a time until a response is stuck: until what is between it and its reader, which takes nothing, is full. */
  async function fillUp(sessionId: string, responses: () => readonly unknown[]): Promise<void> {
    const text = 'x'.repeat(1024 * 1024);
    const isStuck = () =>
      responses().some((response) => response instanceof ServerResponse && response.writableNeedDrain);
    for (let number = 1; number <= 100; number++) {
      await house.append(sessionId, [{ userMessage: { eventId: `e${number}`, messageId: 'm', text } }]);
      let looks = 0;
      while (looks < 6 && (looks === 0 || isStuck())) {
        await setTimeout(50);
        looks++;
      }
      if (isStuck()) return;
    }
    throw new Error('A response took 100 MiB that nobody read.');
  }
});
