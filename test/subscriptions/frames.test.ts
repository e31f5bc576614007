import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { openRawSocket } from './raw-socket.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const TEXTS = `subscription ($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) { edges { node { ... on UserMessageEvent { text } } } }
}`;

interface Told {
  readonly sessionEvents: { readonly edges: readonly { readonly node: { readonly text: string } }[] };
}

/** Bytes of an update's message, but for its id and the one text in it. */
const REST = '{"id":"","type":"next","payload":{"data":{"sessionEvents":{"edges":[{"node":{"text":""}}]}}}}'
  .length;

describe("an update's message", () => {
  it.each([125, 126, 127, 65_535, 65_536, 65_537])(
    'of about %i bytes comes whole, with the next behind it, whatever the length of its id',
    async (bytes) => {
      const sessionId = await house.newSession();
      const longest = 20;
      const text = 'x'.repeat(bytes - REST - longest / 2);
      await house.append(sessionId, [{ userMessage: { eventId: 'first', messageId: 'first', text } }]);
      const { socket, messages, subscribe } = await openRawSocket(house.url, house.tokens.member);
      const ids = Array.from({ length: longest }, (_, length) => 'i'.repeat(length + 1));
      for (const id of ids) subscribe(TEXTS, { sessionId }, id);
      await eventually(() => expect(messages).toHaveLength(longest));
      await house.append(sessionId, [{ userMessage: { eventId: 'next', messageId: 'next', text } }]);
      await eventually(() => expect(messages).toHaveLength(2 * longest));
      for (const id of ids) {
        const own = messages.filter((message) => message.id === id).map(({ payload }) => payload?.data);
        const told = (own as unknown as Told[]).flatMap(({ sessionEvents }) => sessionEvents.edges);
        expect(told.map(({ node }) => node.text === text)).toEqual([true, true]);
      }
      socket.close();
    },
  );
});
