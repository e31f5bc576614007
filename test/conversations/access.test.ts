import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALL,
  activity,
  agentMessage,
  type ConversationHouse,
  delivered,
  openConversations,
  userMessage,
} from './house.js';

let house: ConversationHouse;
beforeAll(async () => {
  house = await openConversations();
});
afterAll(() => house.close());

const CONVERSATION = '{ conversation { id conversationId } }';
const NODE = 'query ($id: ID!) { node(id: $id) { id __typename } }';
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';

const EVERYTHING = [
  userMessage('m1', { files: [{ filename: 'a' }] }),
  agentMessage('m2'),
  activity('t1'),
  delivered('f1'),
];

/** A conversation, and the global ids of itself and of all that is in it. */
async function known() {
  const { sessionId, token } = await house.newConversation(EVERYTHING);
  const { conversation } = await house.execute<{ conversation: { id: string } }>(CONVERSATION, { token });
  const { nodes } = await house.read(token, { types: ALL });
  return { sessionId, token, ids: [conversation.id, ...nodes.map(({ id }) => id)] };
}

describe('a conversation is read by the agent in it', () => {
  it('and by `node` and `nodes` each of its entries is what the list shows', async () => {
    const { token, ids, sessionId } = await known();
    const types = [
      'Conversation',
      'MessageEntry',
      'ArtifactEntry',
      'MessageEntry',
      'ToolCallEntry',
      'ArtifactEntry',
    ];
    expect(ids).toHaveLength(types.length);
    const expected = ids.map((id, index) => ({ id, __typename: types[index] }));
    expect(await house.execute(NODES, { token, variables: { ids } })).toEqual({ nodes: expected });
    for (const node of expected) {
      expect(await house.execute(NODE, { token, variables: { id: node.id } })).toEqual({ node });
    }
    const { conversation } = await house.execute<{ conversation: object }>(CONVERSATION, { token });
    expect(conversation).toEqual({ id: ids[0], conversationId: sessionId });
  });

  it('is FORBIDDEN to everybody else, the owner among them, before anything is looked up (case 40)', async () => {
    const { sessionId, ids } = await known();
    const { tokens } = house;
    const others = [
      tokens.member,
      tokens.admin,
      tokens.service,
      tokens.stranger,
      tokens.run,
      await house.runIn(sessionId, ['elicitations:read']),
    ];
    for (const token of others) {
      const statements = await house.database.statementsOf(async () => {
        expect(await house.refusal(token, CONVERSATION)).toBe('FORBIDDEN');
        expect(await house.execute(NODES, { token, variables: { ids } })).toEqual({
          nodes: ids.map(() => null),
        });
      });
      expect(
        statements.filter((sql) => /conversation|"?session"?\./i.test(sql) && !/credential/.test(sql)),
      ).toEqual([]);
    }
  });

  it('and a run reaches nothing of another by any route (case 40)', async () => {
    const { ids, sessionId } = await known();
    const { token } = await house.newConversation(EVERYTHING);
    expect(await house.execute(NODES, { token, variables: { ids } })).toEqual({ nodes: ids.map(() => null) });
    for (const id of ids)
      expect(await house.execute(NODE, { token, variables: { id } })).toEqual({ node: null });
    expect(
      await house.refusal(token, 'query ($id: ID!) { session(sessionId: $id) { id } }', { id: sessionId }),
    ).toBe('NOT_FOUND');
  });

  it('and an id of another type, or beyond the end, names nothing', async () => {
    const { token, sessionId } = await known();
    const idOf = (type: string, number: number | string) =>
      Buffer.from(`${type}:${sessionId}:${number}`).toString('base64');
    const ids = [
      idOf('ToolCallEntry', 1),
      idOf('MessageEntry', 6),
      idOf('MessageEntry', 0),
      idOf('MessageEntry', '1x'),
      idOf('MessageEntry', 999_999_999),
    ];
    expect(await house.execute(NODES, { token, variables: { ids } })).toEqual({ nodes: ids.map(() => null) });
    expect(
      await house.execute(NODES, { token, variables: { ids: [idOf('MessageEntry', 1)] } }),
    ).toMatchObject({ nodes: [{ __typename: 'MessageEntry' }] });
  });
});
