import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentMessage, type House, openHouse } from '../events/house.js';
import { follow, pullTo } from './streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const FOLLOW = `subscription ($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) { edges { node { ... on UserMessageEvent { text } } } }
}`;

interface Data {
  readonly sessionEvents: { readonly edges: readonly { readonly node: { readonly text: string } }[] };
}

/** About 1 MB and 2 MB of UTF-8, of characters of one to four bytes, quotes and line ends. */
const TEXTS = [1, 2].map((megabytes) => 'a"é\n€💥'.repeat((megabytes * 1_000_000) / 13).slice(0, -2));

async function texts(stream: AsyncIterator<{ data?: Data | null }>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { value } = await stream.next();
    seen.push(
      ...(value?.data?.sessionEvents.edges ?? []).map(({ node }: { node: { text: string } }) => node.text),
    );
  }
  return seen;
}

it('a message of 1 MB, and of 2 MB, comes whole over either transport, live and replayed (case 27)', async () => {
  const sessionId = await house.newSession();
  const variables = { sessionId };
  const client = createClient({
    url: `${house.url}/graphql`,
    headers: { authorization: `Bearer ${house.tokens.member}` },
    retryAttempts: 0,
  });
  const follow = () => [
    house.subscribe<Data>(FOLLOW, { token: house.tokens.member, variables }),
    client.iterate<Data>({ query: FOLLOW, variables }),
  ];
  const live = follow();
  const updates = live.map((stream) => texts(stream, TEXTS.length));
  for (const [index, text] of TEXTS.entries()) {
    await house.append(sessionId, [{ userMessage: { eventId: `e${index}`, messageId: `m${index}`, text } }]);
  }
  const replayed = follow();
  updates.push(...replayed.map((stream) => texts(stream, TEXTS.length)));
  // Not by toEqual: what it would print of a difference is of no use.
  for (const seen of await Promise.all(updates)) {
    expect(seen.map((text, index) => text === TEXTS[index])).toEqual([true, true]);
  }
  client.dispose();
  await Promise.all([...live, ...replayed].map((stream) => stream.return?.()));
});

it('an update is no larger for what its messages cite: it brings fewer of them', async () => {
  const sessionId = await house.newSession();
  const source = { sourceRef: 's1', authors: [], studyTypeTags: [] };
  const citations = Array.from({ length: 10 }, (_, index) => ({
    citationId: `c${index}`,
    quote: 'x'.repeat(30_000),
    source,
  }));
  const messages = Array.from({ length: 20 }, (_, index) => agentMessage(`e${index + 1}`, { citations }));
  await house.append(sessionId, messages);
  const updates = await pullTo(follow(house, { sessionId }), sessionId, messages.length);
  // 300 KB each, 1 MiB an update.
  expect(updates.map(({ edges }) => edges.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
});
