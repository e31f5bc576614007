import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStretches } from '../../src/events/page-store.js';
import { type House, openHouse } from './house.js';

const KB = 1024;
const MAXIMUM = 1024 * KB;
const TOO_LARGE = { code: 'PAYLOAD_TOO_LARGE', maximum: MAXIMUM };

let house: House;
/** 20 messages of 100 kB each. */
let large: string;
/** 10 messages of a few bytes, each with 100 citations of 2 kB. */
let cited: string;
beforeAll(async () => {
  house = await openHouse({ env: { TIDINGS_MAX_ANSWER: '1MB' } });
  large = await house.newSession();
  cited = await house.newSession();
  for (let n = 0; n < 20; n += 1) await house.append(large, [message(n, 'x'.repeat(100 * KB))]);
  for (let n = 0; n < 10; n += 1) await house.append(cited, [message(n, 'short', 100)]);
}, 120_000);
afterAll(() => house.close());

const message = (n: number, text: string, citations = 0) => ({
  agentMessage: {
    eventId: `e${n}`,
    messageId: `m${n}`,
    text,
    suggestedFollowUps: [],
    citations: Array.from({ length: citations }, (_, index) => ({
      citationId: `c${index}`,
      quote: 'q'.repeat(KB),
      source: { sourceRef: `s${index}`, title: 't'.repeat(KB), authors: [], studyTypeTags: [] },
    })),
  },
});

const page = (fields: string) =>
  `query ($id: ID!, $first: Int) { session(sessionId: $id) { events(first: $first) { nodes { ... on AgentMessageEvent { ${fields} } } } } }`;

async function ask(document: string, variables: Readonly<Record<string, unknown>>) {
  const { status, body } = await house.request<Record<string, unknown>>(document, {
    token: house.tokens.member,
    variables,
  });
  return { status, data: body.data, errors: body.errors?.map(({ extensions }) => extensions) };
}

describe('a page of large events', () => {
  it('is refused before they are read, and given by fewer', async () => {
    expect(await ask(page('text'), { id: large, first: 20 })).toEqual({
      status: 413,
      data: null,
      errors: [TOO_LARGE],
    });
    const { status, errors } = await ask(page('eventId'), { id: large, first: 5 });
    expect([status, errors]).toEqual([200, undefined]);
  });

  it('is read as far as it fits', async () => {
    const stretch = { sessionId: large, above: 0, below: 100, limit: 20, order: 'ascending' as const };
    const read = (maximum: number) => readStretches(house.database, [stretch], maximum);
    await expect(read(350 * KB)).rejects.toMatchObject({ name: 'TooManyBytes', fits: 3 });
    await expect(read(99 * KB)).rejects.toMatchObject({ fits: 1 });
    const { pages, bytes } = await read(3 * MAXIMUM);
    expect(pages[0]).toHaveLength(20);
    expect(bytes).toBeGreaterThan(20 * 100 * KB);
    expect(bytes).toBeLessThan(20 * 101 * KB);
  });

  it('counts together with every other of the operation', async () => {
    const names = Array.from(
      { length: 5 },
      (_, i) =>
        `p${i}: events(first: ${5 + i}) { totalCount nodes { ... on AgentMessageEvent { eventId } } }`,
    );
    const { errors } = await ask(`query ($id: ID!) { session(sessionId: $id) { ${names.join(' ')} } }`, {
      id: large,
    });
    expect(errors).toEqual([TOO_LARGE]);
  });

  it('is refused by ids too', async () => {
    const { session } = await house.ask<{ session: { events: { edges: { node: { id: string } }[] } } }>(
      'service',
      'query ($id: ID!) { session(sessionId: $id) { events(first: 5) { edges { node { ... on AgentMessageEvent { id } } } } } }',
      { id: large },
    );
    const ids = session.events.edges.map(({ node }) => node.id);
    const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on AgentMessageEvent { eventId } } }';
    expect((await ask(nodes, { ids })).errors).toBeUndefined();
    const more = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        Buffer.from(
          Buffer.from(ids[0] ?? '', 'base64')
            .toString()
            .replace(/1$/, String(n + 1)),
        ).toString('base64'),
      ),
    );
    expect((await ask(nodes, { ids: more })).errors).toEqual([TOO_LARGE]);
  });
});

describe('a page of messages with many citations', () => {
  it('is refused if they are asked for', async () => {
    expect((await ask(page('text'), { id: cited, first: 10 })).errors).toBeUndefined();
    expect(await ask(page('citations { quote }'), { id: cited, first: 10 })).toEqual({
      status: 413,
      data: null,
      errors: [TOO_LARGE],
    });
    expect((await ask(page('citations { quote }'), { id: cited, first: 2 })).errors).toBeUndefined();
  });
});

describe('what was loaded once', () => {
  it('is not shown under a thousand names', async () => {
    const fields = Array.from({ length: 20 }, (_, i) => `t${i}: text`).join(' ');
    expect(await ask(page(fields), { id: large, first: 1 })).toEqual({
      status: 413,
      data: null,
      errors: [TOO_LARGE],
    });
    expect((await ask(page('a: text b: text'), { id: large, first: 1 })).errors).toBeUndefined();
  });

  it('counts as small fields too', async () => {
    const fields = Array.from(
      { length: 500 },
      (_, i) => `aLongAliasOfAFieldThatSaysLittle${'x'.repeat(100)}${i}: eventId`,
    ).join(' ');
    expect((await ask(page(fields), { id: large, first: 20 })).errors).toEqual([TOO_LARGE]);
  });

  it('is told of a mutation that took effect', async () => {
    const sessionId = await house.newSession();
    const texts = Array.from({ length: 8 }, (_, i) => `t${i}: text`).join(' ');
    const { body } = await house.request(
      `mutation ($i: AppendSessionEventsInput!) { appendSessionEvents(input: $i) { edges { node { ... on AgentMessageEvent { ${texts} } } } } }`,
      {
        token: house.tokens.service,
        variables: { i: { sessionId, events: [message(1, 'x'.repeat(200 * KB))] } },
      },
    );
    expect(body.errors?.map(({ extensions }) => extensions)).toEqual([{ ...TOO_LARGE, tookEffect: true }]);
    const { data } = await ask('query ($id: ID!) { session(sessionId: $id) { events { totalCount } } }', {
      id: sessionId,
    });
    expect(data).toEqual({ session: { events: { totalCount: 1 } } });
  });
});

describe('who follows large events', () => {
  it('gets each, in updates that are no larger than they may be, by reads that hold little more', async () => {
    const sessionId = await house.newSession();
    for (let n = 0; n < 12; n += 1) await house.append(sessionId, [message(n, 'x'.repeat(500 * KB))]);
    const updates = house.subscribe<{
      sessionEvents: { edges: { node: { eventId: string } }[]; caughtUp: boolean };
    }>(
      'subscription ($id: ID!) { sessionEvents(sessionId: $id) { edges { node { ... on AgentMessageEvent { eventId text } } } caughtUp } }',
      { variables: { id: sessionId }, token: house.tokens.member },
    );
    const seen: string[] = [];
    for await (const { data, errors } of updates) {
      expect(errors).toBeUndefined();
      expect(JSON.stringify(data).length).toBeLessThan(1.1 * MAXIMUM);
      seen.push(...(data?.sessionEvents.edges.map(({ node }) => node.eventId) ?? []));
      if (data?.sessionEvents.caughtUp) break;
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => `e${n}`));
  });
});
