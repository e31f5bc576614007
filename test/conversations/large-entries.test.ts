import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentMessage, type ConversationHouse, openConversations } from './house.js';

const KB = 1024;
const MAXIMUM = 1024 * KB;

let house: ConversationHouse;
let token: string;
beforeAll(async () => {
  house = await openConversations({ env: { TIDINGS_MAX_ANSWER: '1MB' } });
  const { sessionId, token: run } = await house.newConversation();
  token = run;
  for (let n = 0; n < 12; n += 1) {
    await house.append(sessionId, [agentMessage(`e${n}`, { text: `needle ${'x'.repeat(500 * KB)}` })]);
  }
}, 60_000);
afterAll(() => house.close());

const page = (argument: string) => `query ($n: Int!) {
  conversation { entries(first: $n, ${argument}) { nodes { ... on MessageEntry { createdAt } } } }
}`;

it.each(['types: [MESSAGE]', 'search: "needle"'])(
  'a page of large entries is refused before they are read: %s',
  async (argument) => {
    const ask = (n: number) => house.request<unknown>(page(argument), { token, variables: { n } });
    const { status, body } = await ask(12);
    expect([status, body.errors?.map(({ extensions }) => extensions)]).toEqual([
      413,
      [{ code: 'PAYLOAD_TOO_LARGE', maximum: MAXIMUM }],
    ]);
    expect((await ask(1)).body.errors).toBeUndefined();
  },
);

it('who follows large entries gets each', async () => {
  const updates = house.subscribe<{
    conversationEntries: { edges: { node: { content: string } }[]; caughtUp: boolean };
  }>('subscription { conversationEntries { edges { node { ... on MessageEntry { content } } } caughtUp } }', {
    token,
  });
  let seen = 0;
  for await (const { data, errors } of updates) {
    expect(errors).toBeUndefined();
    seen += data?.conversationEntries.edges.length ?? 0;
    if (data?.conversationEntries.caughtUp) break;
  }
  expect(seen).toBe(12);
});
