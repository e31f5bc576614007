import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  activity,
  agentMessage,
  type ConversationHouse,
  delivered,
  openConversations,
  userMessage,
} from './house.js';
import { walkBack } from './walk.js';

let house: ConversationHouse;
beforeAll(async () => {
  house = await openConversations();
});
afterAll(() => house.close());

type Type = 'MESSAGE' | 'TOOL_CALL' | 'ARTIFACT';

/** What happens: few ids, so that much comes again. */
const happening = fc.record({
  what: fc.constantFrom('user', 'files', 'agent', 'running', 'done', 'failed', 'delivered', 'idle'),
  id: fc.integer({ min: 0, max: 4 }),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const eventOf = ({ what, id }: Happening, index: number): object => {
  const eventId = `e${index}`;
  const text = { messageId: `m${id}`, text: eventId };
  switch (what) {
    case 'user':
      return userMessage(eventId, text);
    case 'files':
      return userMessage(eventId, {
        ...text,
        files: [{ filename: `${eventId}-0` }, { filename: `${eventId}-1` }],
      });
    case 'agent':
      return agentMessage(eventId, text);
    case 'delivered':
      return delivered(eventId, { artifactId: `f${id}`, filename: eventId });
    case 'idle':
      return { sessionIdle: { eventId } };
    default: {
      const status = what === 'running' ? 'STARTED' : what === 'done' ? 'COMPLETED' : 'FAILED';
      return activity(eventId, { activityId: `t${id}`, title: eventId, status });
    }
  }
};

/** What the conversation is by its description: each thing once, where it came first, as it came last. */
function describeAs(log: readonly Happening[]): { readonly type: Type; readonly shows: string }[] {
  const entries = new Map<string, { readonly type: Type; readonly shows: string }>();
  for (const [index, { what, id }] of log.entries()) {
    const shows = `e${index}`;
    if (what === 'user' || what === 'files') entries.set(`user ${id}`, { type: 'MESSAGE', shows });
    if (what === 'agent') entries.set(`agent ${id}`, { type: 'MESSAGE', shows });
    if (what === 'done' || what === 'failed') entries.set(`tool ${id}`, { type: 'TOOL_CALL', shows });
    if (what === 'delivered') entries.set(`file ${id}`, { type: 'ARTIFACT', shows });
    for (const place of what === 'files' ? [0, 1] : []) {
      entries.set(`upload ${id} ${place}`, { type: 'ARTIFACT', shows: `${shows}-${place}` });
    }
  }
  return [...entries.values()];
}

const logs = fc.array(happening, { maxLength: 60 });
/** Where the log is cut into calls. */
const calls = fc.integer({ min: 1, max: 60 });
const types = fc.uniqueArray(fc.constantFrom<Type>('MESSAGE', 'TOOL_CALL', 'ARTIFACT'), { minLength: 1 });
const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));

describe('older and older pages of a conversation, of any size and types', () => {
  it('give exactly its entries, in order', async () => {
    await fc.assert(
      fc.asyncProperty(logs, calls, types, sizes, async (log, call, wanted, size) => {
        const { sessionId, token } = await house.newConversation();
        const events = log.map(eventOf);
        for (let from = 0; from < events.length; from += call) {
          await house.append(sessionId, events.slice(from, from + call));
        }
        const expected = describeAs(log).filter(({ type }) => wanted.includes(type));
        const found = await walkBack(
          house,
          token,
          { types: wanted },
          expected.length,
          () => size.next().value ?? 1,
        );
        expect(
          found.map(({ type, content, title, filename }) => ({ type, shows: content ?? title ?? filename })),
        ).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  }, 180_000);
});
