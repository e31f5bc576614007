import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoom, present, type Room, type Who } from './room.js';

let room: Room;
/** Elicitations by what tells them apart: who asked whom. */
const asked: Record<string, string> = {};

beforeAll(async () => {
  room = await openRoom();
  const { admin, colleague, member } = room.accounts;
  const ask = async (name: string, who: Who, input: object = {}) => {
    const made = await room.change(who, 'requestElicitation', { message: name, ...input });
    asked[name] = made.elicitationId;
  };
  await ask('service asks member', 'service', { accountId: member.accountId });
  await ask('service asks colleague', 'service', { accountId: colleague.accountId });
  await ask('service asks admin', 'service', { accountId: admin.accountId });
  await ask('run asks member', 'run');
  await ask('member asks itself', 'member');
  await ask('stranger service asks stranger', 'strangerService');
  await ask('loner service asks loner', 'lonerService');
  await ask('loner run asks loner', 'lonerRun');
});
afterAll(() => room?.close());

/** Everything made in the organisation: ORG. */
const MADE = [
  'service asks member',
  'service asks colleague',
  'service asks admin',
  'run asks member',
  'member asks itself',
];
const OF_MEMBER = ['service asks member', 'run asks member', 'member asks itself'];
const OF_LONER = ['loner service asks loner', 'loner run asks loner'];

/** The row "elicitation by id" of the access table, a cell a line. */
const VISIBLE: Record<Who, readonly string[]> = {
  admin: MADE,
  member: OF_MEMBER,
  colleague: ['service asks colleague'],
  service: MADE,
  run: OF_MEMBER,
  blindRun: ['run asks member'],
  stranger: ['stranger service asks stranger'],
  strangerService: ['stranger service asks stranger'],
  loner: OF_LONER,
  lonerService: OF_LONER,
  lonerRun: OF_LONER,
};

describe('an elicitation by its id', () => {
  for (const [name, visible] of Object.entries(VISIBLE)) {
    const who = name as Who;
    it(`is shown to ${who} where ME, ORG or its asker shows it, and unknown elsewhere`, async () => {
      const unknown = await room.read(who, { elicitationId: randomUUID() });
      expect(unknown).toMatchObject({ elicitation: null, errors: [{ code: 'NOT_FOUND' }] });
      expect(await room.read(who, { elicitationId: 'x' })).toEqual(unknown);
      const seen: string[] = [];
      for (const [name, elicitationId] of Object.entries(asked)) {
        const answer = await room.read(who, { elicitationId });
        if (answer.elicitation !== null) seen.push(name);
        else expect(answer).toEqual(unknown);
      }
      expect(seen.sort()).toEqual([...visible].sort());
    });
  }

  it('is taken in any case, and never together with a key or without both', async () => {
    const elicitationId = present(asked['member asks itself']);
    const upper = await room.read('member', { elicitationId: elicitationId.toUpperCase() });
    expect(upper.elicitation?.elicitationId).toBe(elicitationId);
    for (const args of [{}, { elicitationId, idempotencyKey: 'k' }]) {
      expect((await room.read('member', args)).errors).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
    }
  });
});

describe('the node of an elicitation', () => {
  it('is there for whoever sees the elicitation, and null without an error for others', async () => {
    const ids = Object.entries(asked).map(([name, id]) => ({
      name,
      id: Buffer.from(`Elicitation:${id}`).toString('base64'),
    }));
    for (const [who, visible] of Object.entries(VISIBLE)) {
      const { nodes } = await room.execute<{ nodes: ({ elicitationId: string } | null)[] }>(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Elicitation { id elicitationId } } }',
        { token: room.tokens[who as Who], variables: { ids: ids.map(({ id }) => id) } },
      );
      const seen = ids.filter((_, index) => nodes[index] !== null).map(({ name }) => name);
      expect(seen.sort(), who).toEqual([...visible].sort());
    }
  });
});

describe("a session's elicitations", () => {
  const page = `elicitations { totalCount checkpoint nodes { message session { sessionId } } }`;

  it('are those that the viewer sees, newest first', async () => {
    const { sessionId } = room.sessions.member;
    const ask = (input: object) => room.change('service', 'requestElicitation', { sessionId, ...input });
    await ask({ message: 'to its owner' });
    await ask({ message: 'to a colleague', accountId: room.accounts.colleague.accountId });
    const seenBy = async (who: Who) => {
      const { session } = await room.execute<{
        session: { elicitations: { totalCount: number; nodes: { message: string }[] } };
      }>(`query ($id: ID!) { session(sessionId: $id) { ${page} } }`, {
        token: room.tokens[who],
        variables: { id: sessionId },
      });
      const { totalCount, nodes } = session.elicitations;
      expect(totalCount).toBe(nodes.length);
      return nodes.map(({ message }) => message);
    };
    const all = ['to a colleague', 'to its owner', 'run asks member'];
    expect(await seenBy('admin')).toEqual(all);
    expect(await seenBy('service')).toEqual(all);
    expect(await seenBy('member')).toEqual(['to its owner', 'run asks member']);
  });

  it('are paged, and cost the same statements for however many sessions', async () => {
    const document = `query ($first: Int) { sessions(first: $first) { nodes { ${page} } } }`;
    const cost = (first: number) =>
      room.countStatements(() => room.execute(document, { token: room.tokens.admin, variables: { first } }));
    await room.accounts.colleague.createSession();
    await room.accounts.colleague.createSession();
    await cost(1);
    expect(await cost(4)).toBe(await cost(1));
    const { session } = await room.execute<{ session: { elicitations: { edges: { cursor: string }[] } } }>(
      `query ($id: ID!) { session(sessionId: $id) { elicitations(first: 1) { edges { cursor } } } }`,
      { token: room.tokens.admin, variables: { id: room.sessions.member.sessionId } },
    );
    const next = await room.execute(
      `query ($id: ID!, $after: String) { session(sessionId: $id) { elicitations(first: 1, after: $after) {
        nodes { message } pageInfo { hasNextPage hasPreviousPage } } } }`,
      {
        token: room.tokens.admin,
        variables: { id: room.sessions.member.sessionId, after: session.elicitations.edges[0]?.cursor },
      },
    );
    expect(next).toEqual({
      session: {
        elicitations: {
          nodes: [{ message: 'to its owner' }],
          pageInfo: { hasNextPage: true, hasPreviousPage: true },
        },
      },
    });
  });

  it('do not show a session to a run, which sees none', async () => {
    const { elicitation } = await room.read<{ session: unknown }>(
      'run',
      { elicitationId: present(asked['run asks member']) },
      'session { sessionId }',
    );
    expect(elicitation).toEqual({ session: null });
  });
});

describe('bodies', () => {
  it('are read when they are selected, each by itself, and for a whole page at once', async () => {
    const { sessionId } = room.sessions.loner;
    for (const n of [1, 2, 3]) await room.ask({ context: { n }, sessionId, message: `body ${n}` }, 'loner');
    const statements = (selection: string) =>
      room.database.statementsOf(() =>
        room.execute(
          `query ($id: ID!) { session(sessionId: $id) { elicitations { nodes { ${selection} } } } }`,
          {
            token: room.tokens.loner,
            variables: { id: sessionId },
          },
        ),
      );
    const bodies = async (selection: string) =>
      (await statements(selection)).filter((sql) => sql.includes('elicitation_body'));
    expect(
      await bodies('message status statusAsOf(asOf: "2026-01-01T00:00:00Z") transitions { totalCount }'),
    ).toEqual([]);
    const [context, ...others] = await bodies('context');
    expect(others).toEqual([]);
    expect(context).not.toMatch(/requested_schema|form_submission/);
    expect(await bodies('context requestedSchema formSubmission')).toHaveLength(1);
  });
});
