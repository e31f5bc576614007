import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fold } from '../../src/conversations/folding.js';
import {
  ALL,
  activity,
  agentMessage,
  type ConversationHouse,
  openConversations,
  userMessage,
} from './house.js';
import { walkBack } from './walk.js';

let house: ConversationHouse;
beforeAll(async () => {
  house = await openConversations();
});
afterAll(() => house.close());

/** A conversation of these texts, said in turns, with a tool call after each that says the same. */
const conversationOf = (texts: readonly string[]) =>
  house.newConversation(
    texts.flatMap((text, index) => [
      (index % 2 === 0 ? userMessage : agentMessage)(`m${index}`, { text }),
      activity(`t${index}`, { title: text.slice(0, 4_000), summary: text }),
    ]),
  );

const contents = async (token: string, search: string, variables: object = {}) =>
  (await house.read(token, { ...variables, search })).nodes.map(({ content }) => content);

describe('a search', () => {
  it('finds messages that contain the text literally, upper and lower case alike (cases 66, 67, 69)', async () => {
    const texts = [
      '100% sure',
      '1000 sure',
      '50%% off',
      'a_b',
      'axb',
      'back\\slash',
      'Straße',
      'İSTANBUL',
      'Istanbul',
      'ΟΔΟΣΑ',
      'Cafe\u0301',
      "it's; DROP TABLE--",
      '💥 boom 💥',
      'Привет, мир',
      '北京大学',
    ];
    const { token } = await conversationOf(texts);
    const finds = async (search: string, ...expected: readonly string[]) =>
      expect([search, await contents(token, search, { types: ALL })]).toEqual([search, expected]);
    await finds('100%', '100% sure');
    await finds('%%', '50%% off');
    await finds('a_b', 'a_b');
    await finds('k\\s', 'back\\slash');
    await finds('strasse');
    await finds('STRAßE', 'Straße');
    await finds('istanbul', 'Istanbul');
    await finds('i̇stanbul', 'İSTANBUL');
    await finds('δος', 'ΟΔΟΣΑ');
    await finds('CAFÉ', 'Cafe\u0301');
    await finds("'s; drop", "it's; DROP TABLE--");
    await finds('💥 ', '💥 boom 💥');
    await finds('ПРИВЕТ', 'Привет, мир');
    await finds('京大', '北京大学');
    await finds('SURE', '100% sure', '1000 sure');
    await finds('nowhere');
  });

  it('needs two characters, which are code points, and at most 1,000 (case 68)', async () => {
    const { token } = await conversationOf(['💥💥', 'xx']);
    const document =
      'query ($search: String) { conversation { entries(search: $search) { nodes { __typename } } } }';
    const refusal = (search: string | null) => house.refusal(token, document, { search });
    for (const search of ['', 'x', '💥', 'x'.repeat(1_001), 'x\u0000']) {
      expect([search, await refusal(search)]).toEqual([search, 'BAD_USER_INPUT']);
    }
    for (const search of ['💥💥', 'xx', 'x'.repeat(1_000), null])
      expect(await refusal(search)).toBeUndefined();
  });

  it('sees a message as it is now, without its citation markup', async () => {
    const { sessionId, token } = await house.newConversation([
      agentMessage('e1', { messageId: 'm', text: 'Peat<citations>a,b</citations> decays.' }),
    ]);
    expect(await contents(token, 'peat decays')).toHaveLength(1);
    expect(await contents(token, 'citations')).toEqual([]);
    await house.append(sessionId, [agentMessage('e2', { messageId: 'm', text: 'Peat grows.' })]);
    expect(await contents(token, 'decays')).toEqual([]);
    expect(await contents(token, 'grows')).toEqual(['Peat grows.']);
  });

  it('counts only when the total is selected', async () => {
    const { token } = await conversationOf(Array.from({ length: 60 }, (_, index) => `Hit ${index}`));
    const statements = (selection: string) =>
      house.countStatements(() =>
        house.execute(`{ conversation { entries(search: "hit", last: 5) { ${selection} } } }`, { token }),
      );
    await statements('nodes { __typename }');
    const without = await statements('nodes { __typename } pageInfo { hasNextPage hasPreviousPage }');
    expect(await statements('nodes { __typename }')).toBe(without);
    expect(await statements('nodes { __typename } totalCount')).toBe(without + 1);
  });

  it('that takes longer than five seconds ends with TIMEOUT, and says what to do', async () => {
    const { token } = await conversationOf(Array.from({ length: 250 }, (_, index) => `Said ${index}`));
    const now = performance.now.bind(performance);
    let hours = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      hours += 1;
      return now() + hours * 3_600_000;
    });
    const { body } = await house.request(
      '{ conversation { entries(search: "no") { nodes { id: __typename } } } }',
      { token },
    );
    vi.restoreAllMocks();
    expect(body.errors).toMatchObject([
      {
        message: expect.stringContaining('Look for a longer or a rarer text'),
        extensions: { code: 'TIMEOUT' },
      },
    ]);
  });

  it('has cursors that the whole list understands', async () => {
    const { token } = await conversationOf(['one', 'two', 'one', 'two', 'one']);
    const found = await house.read(token, { search: 'one', last: 2 });
    expect(
      (await house.read(token, { before: found.pageInfo.startCursor })).nodes.map(({ content }) => content),
    ).toEqual(['one', 'two']);
    const between = await house.read(token, {
      search: 'one',
      after: (await house.read(token)).edges[1]?.cursor,
      first: 1,
    });
    expect(between.nodes).toHaveLength(1);
    expect(between.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });
});

/** Few letters, so that much is found, and what folding and LIKE could stumble over. */
const letter = fc.constantFrom(
  'a',
  'A',
  'b',
  ' ',
  '%',
  '_',
  '\\',
  'Σ',
  'ς',
  'ß',
  'İ',
  'ı',
  'ﬁ',
  'é',
  'e\u0301',
  '\u0307',
  '💥',
  'я',
  '北',
);
const texts = fc.array(fc.string({ unit: letter, minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 20,
});
const searches = fc.array(
  fc.string({ unit: letter, minLength: 2, maxLength: 4 }).filter((search) => [...search].length >= 2),
  { minLength: 3, maxLength: 3 },
);
const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 15 }));

const naive = (texts: readonly string[], search: string) =>
  texts.filter((text) => fold(text).includes(fold(search)));

describe('a search of any text in any conversation', () => {
  it('is a naive filter over the folded contents, by pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(texts, searches, sizes, async (said, wanted, size) => {
        const { token } = await conversationOf(said);
        // Whole characters: half of one is another character by the time it is looked for.
        const begun = [...(said[0] ?? '')].slice(0, 5).join('');
        for (const search of [...wanted, begun]) {
          if ([...search].length < 2) continue;
          const expected = naive(said, search);
          const found = await walkBack(
            house,
            token,
            { search },
            expected.length,
            () => size.next().value ?? 1,
          );
          expect(found.map(({ content }) => content)).toEqual(expected);
        }
      }),
      { numRuns: 12 },
    );
  }, 180_000);

  it('is that too where a conversation is so long that the index is asked', async () => {
    const words = ['peat', 'bog', 'fen', 'Moor', 'мох', '100%', 'a_b', 'ΣΑΣ'];
    // Each word in some, in few or in one of the messages, so that both ways are gone.
    const every = [2, 7, 50, 400, 900, 1_100, 1_999, 2_399];
    const said = Array.from({ length: 2_400 }, (_, index) => {
      const chosen = words.filter((_, place) => index % (every[place] ?? 1) === 0);
      return `${chosen.join(' ')} #${index}`;
    });
    const { sessionId, token } = await house.newConversation();
    for (let from = 0; from < said.length; from += 400) {
      await house.append(
        sessionId,
        said.slice(from, from + 400).map((text, index) => agentMessage(`m${from + index}`, { text })),
      );
    }
    const searches = [
      'peat',
      'bog',
      'fen',
      'MOOR',
      'мох',
      '00%',
      'a_b',
      'σας',
      '#1',
      '#123',
      '#2399',
      '11',
      'peat bog',
      'bog fen Moor',
      'nowhere',
    ];
    for (const search of searches) {
      const expected = naive(said, search);
      const newest = await house.read(token, { search, last: 200 });
      expect([search, newest.nodes.map(({ content }) => content)]).toEqual([search, expected.slice(-200)]);
      expect(newest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: expected.length > 200 });
      const oldest = await house.read(token, { search, first: 3 });
      expect(oldest.nodes.map(({ content }) => content)).toEqual(expected.slice(0, 3));
      expect(oldest.pageInfo).toMatchObject({ hasNextPage: expected.length > 3, hasPreviousPage: false });
      expect(oldest.totalCount).toBe(expected.length);
    }
  });
});
