import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { activity, type House, openHouse } from '../events/house.js';
import { finish, messageStart, result, text, webSearch } from '../ingest/streams.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { SESSION_EVENTS } from '../subscriptions/streams.js';
import { ask } from './ask.js';

const MB = 1024 * 1024;

let house: House;
let sessionId: string;
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession(3);
});
afterAll(() => house.close());

/** A socket as it is opened, before it has said who it is. */
function dial() {
  const socket = new WebSocket(`${house.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise<[number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, String(reason)]));
  });
  const opened = new Promise((resolve) => socket.once('open', resolve));
  const init = (authorization?: string) =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
  return { socket, closed, opened, init };
}

describe('a WebSocket', () => {
  it('that asks for 20,000 subscriptions gets a hundred, an error for each other, and lives (case 19)', async () => {
    const raw = await openRawSocket(house.url, house.tokens.member);
    for (let id = 0; id < 20_000; id++) raw.subscribe(SESSION_EVENTS, { sessionId }, `${id}`);
    await eventually(() => expect(raw.messages.length).toBe(20_000));
    const kinds = (type: string) => raw.messages.filter((message) => message.type === type);
    expect([kinds('next').length, kinds('error').length]).toEqual([100, 19_900]);
    expect(new Set(kinds('error').map(({ id }) => id)).size).toBe(19_900);
    expect(kinds('error')[0]?.payload).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', maximum: 100 } },
    ]);
    raw.send({ type: 'complete', id: '0' });
    await eventually(() => expect(house.watched()).toBe(100));
    raw.subscribe('{ viewer { role } }', {}, 'again');
    await eventually(() => expect(raw.messages.at(-1)).toEqual({ type: 'complete', id: 'again' }));
    raw.socket.close();
  });

  it('that goes on asking far past that is closed (case 19)', async () => {
    const raw = await openRawSocket(house.url, house.tokens.member);
    const message = JSON.stringify({
      type: 'subscribe',
      payload: { query: SESSION_EVENTS, variables: { sessionId } },
    });
    for (let id = 0; id < 60_000 && raw.socket.readyState === WebSocket.OPEN; id++) {
      raw.socket.send(message.replace('{', `{"id":"${id}",`));
    }
    expect(await raw.closed).toBe(4400);
  });

  it('is closed with 4408 without a connection_init, and with 4429 at the second (case 20)', async () => {
    const [silent, hasty] = [dial(), dial()];
    await Promise.all([silent.opened, hasty.opened]);
    hasty.init(`Bearer ${house.tokens.member}`);
    hasty.init(`Bearer ${house.tokens.member}`);
    expect((await hasty.closed)[0]).toBe(4429);
    expect((await silent.closed)[0]).toBe(4408);
  });

  it('is closed with 1009 for a frame of 5 MB, which is never parsed (case 21)', async () => {
    const raw = await openRawSocket(house.url, house.tokens.member);
    raw.socket.send('x'.repeat(5 * MB));
    expect(await raw.closed).toBe(1009);
    expect(raw.messages).toEqual([]);
  });
});

describe('a bad token', () => {
  it.each([
    ['none', undefined],
    ['other text', 'Bearer tdg_x'],
    ['an unknown one', `Bearer tdg_${'x'.repeat(43)}`],
    ['another scheme', 'Basic dGlkaW5ncw=='],
  ])('(%s) is 401 over HTTP and 4401 over WebSocket (case 36)', async (_, authorization) => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const response = await fetch(`${house.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...(authorization && { authorization }) },
        body: JSON.stringify({ query: SESSION_EVENTS, variables: { sessionId } }),
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(JSON.parse(await response.text())).toMatchObject({
        errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
      });
    }
    const { opened, init, closed } = dial();
    await opened;
    init(authorization);
    expect(await closed).toEqual([4401, 'UNAUTHENTICATED']);
  });
});

describe('the scope of an organisation', () => {
  const DOCUMENTS = [
    '{ elicitations(scope: ORG, first: 10) { totalCount } }',
    '{ elicitationHistory(scope: ORG) { total items { message } } }',
    'subscription { elicitationChanges(scope: ORG) { checkpoint } }',
  ];

  it('is FORBIDDEN to a member, a run and an account without one, without partial data (case 39)', async () => {
    const loner = await (await house.createAccount()).createToken();
    for (const token of [house.tokens.member, house.tokens.run, loner]) {
      for (const document of DOCUMENTS) {
        const { body } = await ask(house, token, document);
        expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
        expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
      }
      // Beside something that is allowed, the refused field is null and the other as it is.
      const { body } = await ask(
        house,
        token,
        '{ viewer { credential { kind } } elicitations(scope: ORG, first: 1) { totalCount } }',
      );
      expect(body).toMatchObject({
        data: { viewer: { credential: {} }, elicitations: null },
        errors: [{ path: ['elicitations'], extensions: { code: 'FORBIDDEN' } }],
      });
    }
  });
});

const SEND =
  'mutation ($i: SendMessageInput!) { sendMessage(input: $i) { edge { node { ... on UserMessageEvent { text } } } } }';
const REQUEST =
  'mutation ($i: RequestElicitationInput!) { requestElicitation(input: $i) { elicitation { message context } } }';

describe('text at the door', () => {
  const NUL = 'a\u0000b';

  it.each([
    ['a message', 'member', SEND, () => ({ i: { sessionId, text: NUL } })],
    [
      'a title',
      'member',
      'mutation ($i: UpdateSessionInput!) { updateSession(input: $i) { session { id } } }',
      () => ({ i: { sessionId, title: NUL } }),
    ],
    ['JSON', 'member', REQUEST, () => ({ i: { message: 'Q', context: { deep: [{ text: NUL }] } } })],
    ['a key of JSON', 'member', REQUEST, () => ({ i: { message: 'Q', context: { [NUL]: 1 } } })],
    ['an idempotency key', 'member', REQUEST, () => ({ i: { message: 'Q', idempotencyKey: NUL } })],
    [
      'a key that is looked for',
      'member',
      'query ($k: String) { elicitation(idempotencyKey: $k) { message } }',
      () => ({ k: NUL }),
    ],
    [
      'a cursor',
      'member',
      'query ($id: ID!, $c: String) { session(sessionId: $id) { events(first: 1, after: $c) { totalCount } } }',
      () => ({ id: sessionId, c: NUL }),
    ],
    ['a search', 'reader', '{ conversation { entries(search: "a\\u0000b") { totalCount } } }', () => ({})],
    [
      'an event',
      'service',
      'mutation ($i: AppendSessionEventsInput!) { appendSessionEvents(input: $i) { checkpoint } }',
      () => ({ i: { sessionId, events: [activity(NUL)] } }),
    ],
    ['a cursor of a subscription', 'member', SESSION_EVENTS, () => ({ sessionId, after: NUL })],
  ] as const)('is refused with U+0000 in %s (case 72)', async (_, who, document, variables) => {
    const token =
      who === 'reader'
        ? await (await house.accounts.member.createSession()).createToken({ scopes: ['conversation:read'] })
        : house.tokens[who];
    const { status, body } = await ask(house, token, document, variables());
    expect(status).toBeLessThan(500);
    expect(['BAD_USER_INPUT', 'INVALID_CURSOR']).toContain(body.errors?.[0]?.extensions.code);
  });

  it.each(['{ session(sessionId: "a\\u0000b") { id } }', '{ node(id: "a\\u0000b") { id } }'])(
    'with U+0000 for an id names nothing: %s (case 72)',
    async (document) => {
      const { status, body } = await ask(house, house.tokens.member, document);
      expect(status).toBe(200);
      expect(body.errors?.map(({ extensions }) => extensions.code) ?? ['null']).toEqual([
        document.includes('node') ? 'null' : 'NOT_FOUND',
      ]);
    },
  );

  it('has U+FFFD for a lone surrogate, in text and in JSON alike (case 73)', async () => {
    const sent = await house.ask<{ sendMessage: { edge: { node: { text: string } } } }>('member', SEND, {
      i: { sessionId, text: 'a\ud800b' },
    });
    expect(sent.sendMessage.edge.node.text).toBe('a\ufffdb');
    const asked = await house.ask<{ requestElicitation: { elicitation: { context: unknown } } }>(
      'member',
      REQUEST,
      { i: { message: 'a\ud800b', context: { 'k\udc00': ['\ud800'] } } },
    );
    expect(asked.requestElicitation.elicitation).toEqual({
      message: 'a\ufffdb',
      context: { 'k\ufffd': ['\ufffd'] },
    });
  });

  it('that is cut is cut between graphemes (case 74)', async () => {
    const family = '👨‍👩‍👧‍👦';
    // One more unit before them in each, so that the bound falls on every place within one.
    for (let shift = 0; shift < family.length; shift++) {
      const id = await house.newSession();
      const query = 'x'.repeat(shift) + family.repeat(7_000);
      const objects = [
        messageStart(`m${shift}`),
        webSearch(0, query),
        result(1, 'search_0', []),
        text(2, 'Found.'),
        finish(),
      ].flat(3);
      const response = await fetch(`${house.url}/ingest/${id}?format=anthropic-messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${house.tokens.service}` },
        body: objects.map((object) => `${JSON.stringify(object)}\n`).join(''),
      });
      expect(response.status).toBe(200);
      const { session } = await house.ask<{
        session: { events: { nodes: { searches?: { query: string }[] }[] } };
      }>(
        'member',
        'query ($id: ID!) { session(sessionId: $id) { events(first: 50) { nodes { ... on MethodsEvent { searches { query } } } } } }',
        { id },
      );
      const cut = session.events.nodes.flatMap(({ searches = [] }) => searches)[0]?.query ?? '';
      expect(cut.length).toBeGreaterThan(100);
      expect(cut.length).toBeLessThan(query.length);
      expect(cut.slice(shift).replaceAll(family, '')).toBe('');
    }
  });

  it('of 10 MB is refused before it is parsed (case 75)', async () => {
    const text = 'x'.repeat(10 * MB);
    const statements = await house.database.statementsOf(async () => {
      const { status, body } = await ask(house, house.tokens.member, SEND, { i: { sessionId, text } });
      expect([status, body.errors?.[0]?.extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    });
    // Who asks is looked up, and nothing else happens.
    expect(statements).toHaveLength(1);
  });
});
