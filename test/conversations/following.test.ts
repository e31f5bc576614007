import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALL,
  activity,
  agentMessage,
  type ConversationHouse,
  delivered,
  ENTRY,
  type Entry,
  openConversations,
  userMessage,
} from './house.js';

let house: ConversationHouse;
beforeAll(async () => {
  house = await openConversations();
});
afterAll(() => house.close());

const FOLLOW = `subscription ($after: String, $types: [ConversationEntryType!]) {
  conversationEntries(after: $after, types: $types) { edges { cursor node ${ENTRY} } checkpoint caughtUp }
}`;

interface Update {
  readonly edges: readonly { readonly cursor: string; readonly node: Entry }[];
  readonly checkpoint: string;
  readonly caughtUp: boolean;
}

const follow = (token: string, variables: object = {}) =>
  house.subscribe<{ conversationEntries: Update }>(FOLLOW, { token, variables: { ...variables } });
type Stream = ReturnType<typeof follow>;

async function pull(stream: Stream): Promise<Update> {
  const { value } = await stream.next();
  if (!value?.data) throw new Error(`Expected an update, got ${JSON.stringify(value)}`);
  return value.data.conversationEntries;
}

/** Updates until one that has come so far, in one. */
async function pullTo(stream: Stream, checkpoint: string): Promise<Update> {
  const edges: Update['edges'][number][] = [];
  for (;;) {
    const update = await pull(stream);
    edges.push(...update.edges);
    if (update.checkpoint === checkpoint) return { ...update, edges };
  }
}

const contents = ({ edges }: Update) => edges.map(({ node }) => node.content ?? node.title ?? node.filename);

describe('who follows a conversation', () => {
  it('from the checkpoint of a page misses nothing, and is told of what is new and of what changed', async () => {
    const { sessionId, token } = await house.newConversation([userMessage('m1'), agentMessage('m2')]);
    const page = await house.read(token);
    // Between the page and the subscription.
    await house.append(sessionId, [
      agentMessage('m2-again', { messageId: 'm2', text: 'Better' }),
      activity('t1'),
    ]);
    const stream = follow(token, { after: page.checkpoint });
    expect(contents(await pullTo(stream, (await house.read(token)).checkpoint))).toEqual(['Better']);
    await house.append(sessionId, [userMessage('m3')]);
    const update = await pullTo(stream, (await house.read(token)).checkpoint);
    expect(contents(update)).toEqual(['Said m3']);
    expect(update.caughtUp).toBe(true);
    // A cursor of an edge is its place in the list.
    expect((await house.read(token, { before: update.edges[0]?.cursor })).nodes).toHaveLength(2);
    expect(page.edges[1]?.cursor).toBe((await house.read(token)).edges[1]?.cursor);
    await stream.return?.();
  });

  it('without `after` gets the whole, several changes of an entry as it is now', async () => {
    const { token } = await house.newConversation([
      agentMessage('e1', { messageId: 'm', text: 'One' }),
      delivered('f1'),
      agentMessage('e2', { messageId: 'm', text: 'Two' }),
    ]);
    const { checkpoint } = await house.read(token);
    const [messages, all] = [follow(token), follow(token, { types: ALL })];
    expect(contents(await pullTo(messages, checkpoint))).toEqual(['Two', 'Two']);
    expect(contents(await pullTo(all, checkpoint))).toEqual(['Two', 'f1.csv', 'Two']);
    await messages.return?.();
    await all.return?.();
  });

  it('of other types passes over what it did not ask for, and says so far', async () => {
    const { sessionId, token } = await house.newConversation([userMessage('m1')]);
    const stream = follow(token, { types: ['TOOL_CALL'] });
    expect(await pull(stream)).toMatchObject({
      edges: [],
      caughtUp: true,
      checkpoint: (await house.read(token)).checkpoint,
    });
    await house.append(sessionId, [userMessage('m2'), activity('t0', { status: 'STARTED' }), activity('t1')]);
    expect(contents(await pull(stream))).toEqual(['Did t1']);
    await stream.return?.();
  });

  it('is refused without the scope, with another list’s cursor, and with no type', async () => {
    const { sessionId, token } = await house.newConversation([userMessage('m1')]);
    const other = await house.newConversation([userMessage('m1')]);
    const refusal = async (by: string, variables: object = {}) => {
      const { value } = await follow(by, variables).next();
      return value?.errors?.map(
        ({ extensions }: { extensions?: Record<string, unknown> }) => extensions?.reason ?? extensions?.code,
      );
    };
    for (const by of [
      house.tokens.member,
      house.tokens.service,
      house.tokens.run,
      await house.runIn(sessionId, []),
    ]) {
      expect(await refusal(by)).toEqual(['FORBIDDEN']);
    }
    const { edges, checkpoint } = await house.read(other.token);
    expect(await refusal(token, { after: checkpoint })).toEqual(['WRONG_LOG']);
    expect(await refusal(other.token, { after: edges[0]?.cursor })).toEqual(['WRONG_LOG']);
    expect(await refusal(token, { types: [] })).toEqual(['BAD_USER_INPUT']);
  });
});

/** Calls of a few messages each; a message may come again. */
const calls = fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
});

describe('a client that reads a page and follows from its checkpoint', () => {
  it('has in the end what the conversation has, whenever it broke off and came back', async () => {
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 0, max: 8 }), async (log, readAt) => {
        const { sessionId, token } = await house.newConversation();
        const known = new Map<string, string | undefined>();
        let checkpoint: string | undefined;
        let stream: Stream | undefined;
        for (const [place, messages] of log.entries()) {
          if (place === Math.min(readAt, log.length - 1)) {
            const page = await house.read(token, { last: 200 });
            for (const { id, content } of page.nodes) known.set(id, content);
            checkpoint = page.checkpoint;
          }
          await house.append(
            sessionId,
            messages.map((id, index) =>
              agentMessage(`e${place}-${index}`, { messageId: `m${id}`, text: `${place}-${index}` }),
            ),
          );
          if (checkpoint === undefined) continue;
          // Every other time over a new connection.
          if (stream === undefined || place % 2 === 0) {
            await stream?.return?.();
            stream = follow(token, { after: checkpoint });
          }
          const update = await pullTo(stream, (await house.read(token)).checkpoint);
          expect(update.edges).toHaveLength(messages.length);
          for (const { node } of update.edges) known.set(node.id, node.content);
          checkpoint = update.checkpoint;
        }
        await stream?.return?.();
        const { nodes } = await house.read(token, { last: 200 });
        expect([...known]).toEqual(nodes.map(({ id, content }) => [id, content]));
      }),
      { numRuns: 12 },
    );
  }, 180_000);
});
