import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALL,
  activity,
  agentMessage,
  type ConversationHouse,
  delivered,
  type Entry,
  openConversations,
  userMessage,
} from './house.js';

let house: ConversationHouse;
beforeAll(async () => {
  house = await openConversations();
});
afterAll(() => house.close());

const mutate = (name: string) =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { session { id } } }`;

/** Entries without what differs from run to run. */
const plain = (entries: readonly Entry[]) => entries.map(({ id: _, createdAt: __, ...entry }) => entry);

describe('a conversation', () => {
  it('has what was said, settled and sent, in order, whatever wrote it', async () => {
    const { ask } = house;
    const sessionId = randomUUID();
    await ask('member', mutate('createSession'), { input: { sessionId, text: 'Hello' } });
    await ask('member', mutate('sendMessage'), {
      input: {
        sessionId,
        text: 'Read this',
        files: [
          { filename: 'a.pdf', contentType: 'application/pdf', sizeBytes: 2 ** 40 },
          { filename: 'b.txt' },
        ],
      },
    });
    await house.append(sessionId, [
      activity('t1', { status: 'STARTED' }),
      activity('t1-done', { activityId: 't1', summary: 'Two papers' }),
      activity('t2', { status: 'FAILED' }),
      agentMessage('m1', { text: 'It helps<citations>a,b</citations>.' }),
      delivered('f1', { filename: 'table.csv', contentType: 'text/csv', sizeBytes: 12 }),
      { question: { eventId: 'q1', questionId: 'q1', text: 'Which file?', responseFormat: 'FILE' } },
      { sessionIdle: { eventId: 'i1' } },
    ]);
    await ask('member', mutate('answerQuestion'), {
      input: {
        sessionId,
        questionId: 'q1',
        answers: [{ questionId: 'q1', text: 'This', files: [{ filename: 'c.md' }] }],
      },
    });
    const { nodes, totalCount } = await house.read(await house.runIn(sessionId), { types: ALL });
    const file = { type: 'ARTIFACT', contentType: null, sizeBytes: null };
    expect(plain(nodes)).toEqual([
      { type: 'MESSAGE', role: 'USER', content: 'Hello' },
      { type: 'MESSAGE', role: 'USER', content: 'Read this' },
      {
        ...file,
        direction: 'UPLOADED',
        filename: 'a.pdf',
        contentType: 'application/pdf',
        sizeBytes: 2 ** 40,
      },
      { ...file, direction: 'UPLOADED', filename: 'b.txt' },
      { type: 'TOOL_CALL', title: 'Did t1-done', status: 'COMPLETED', summary: 'Two papers' },
      { type: 'TOOL_CALL', title: 'Did t2', status: 'FAILED', summary: null },
      { type: 'MESSAGE', role: 'ASSISTANT', content: 'It helps.' },
      { ...file, direction: 'DELIVERED', filename: 'table.csv', contentType: 'text/csv', sizeBytes: 12 },
      { type: 'MESSAGE', role: 'USER', content: 'This' },
      { ...file, direction: 'UPLOADED', filename: 'c.md' },
    ]);
    expect(totalCount).toBe(10);
  });

  it('has one entry a message, tool call and file, which keeps its place and time and shows its latest snapshot', async () => {
    const at = (second: number) => ({ createdAt: `2026-03-01T10:00:0${second}.000Z` });
    const { sessionId, token } = await house.newConversation([
      agentMessage('e1', { messageId: 'm', ...at(1) }),
      // The same id said by the user is another message.
      userMessage('e2', { messageId: 'm', ...at(2) }),
      activity('e3', { activityId: 't', status: 'FAILED', ...at(3) }),
      delivered('e4', { artifactId: 'f', filename: 'draft.md', ...at(4) }),
      agentMessage('e5', { messageId: 'm', text: 'Again', ...at(5) }),
    ]);
    await house.append(sessionId, [
      agentMessage('e6', { messageId: 'm', text: 'At last', ...at(6) }),
      activity('e7', { activityId: 't', ...at(7) }),
      delivered(
        'e8',
        { artifactId: 'f', filename: 'final.md', ...at(8) },
        { artifactId: 'g', filename: 'new.md' },
      ),
    ]);
    const { nodes } = await house.read(token, { types: ALL });
    expect(nodes).toMatchObject([
      { content: 'At last', ...at(1) },
      { content: 'Said e2', ...at(2) },
      { title: 'Did e7', status: 'COMPLETED', ...at(3) },
      { filename: 'final.md', ...at(4) },
      { filename: 'new.md' },
    ]);
  });

  it('shows no citation markup, in messages, titles and summaries, however it is nested', async () => {
    const torn = 'Two<cita<citations>r1</citations>tions> papers';
    const literal = 'writes <\u2060citations>';
    const { token } = await house.newConversation([
      agentMessage('m', { text: torn }),
      activity('t', { title: `Read <citations>r1</citations>${literal}`, summary: torn }),
    ]);
    expect(plain((await house.read(token, { types: ALL })).nodes)).toEqual([
      { type: 'MESSAGE', role: 'ASSISTANT', content: 'Two papers' },
      { type: 'TOOL_CALL', title: `Read ${literal}`, status: 'COMPLETED', summary: 'Two papers' },
    ]);
    expect((await house.read(token, { search: 'two papers' })).totalCount).toBe(1);
  });

  it('has the files that went to the user: none that the agent only saved, or that a report cites', async () => {
    const { sessionId, token } = await house.newConversation([
      delivered(
        'd1',
        { artifactId: 'f1', kind: 'AGENT_SAVED_FILE' },
        { artifactId: 'f2', filename: 'report.pdf', kind: 'PROSE_EXPORT' },
        { artifactId: 'f3', kind: 'REPORT_CITATION' },
        { artifactId: 'f4', filename: 'plot.png', kind: 'REPORT_ASSET' },
      ),
    ]);
    const names = async () => (await house.read(token, { types: ALL })).nodes.map(({ filename }) => filename);
    expect(await names()).toEqual(['report.pdf', 'plot.png']);
    // It is delivered after all; and one that was delivered stays.
    await house.append(sessionId, [
      delivered('d2', { artifactId: 'f1', filename: 'saved.md' }),
      delivered('d3', { artifactId: 'f2', filename: 'kept.pdf', kind: 'AGENT_SAVED_FILE' }),
    ]);
    expect(await names()).toEqual(['report.pdf', 'plot.png', 'saved.md']);
  });

  it('keeps the files of a message that comes again with fewer', async () => {
    const files = [{ filename: 'a.pdf' }, { filename: 'b.pdf' }];
    const { token } = await house.newConversation([
      userMessage('e1', { messageId: 'm', files }),
      userMessage('e2', { messageId: 'm', files: [{ filename: 'c.pdf' }] }),
    ]);
    const { nodes } = await house.read(token, { types: ['ARTIFACT'] });
    expect(nodes.map(({ filename }) => filename)).toEqual(['c.pdf', 'b.pdf']);
  });

  it('takes nothing twice when a call is repeated, and nothing of a call that is refused', async () => {
    const { sessionId, token } = await house.newConversation([userMessage('e1')]);
    await house.append(sessionId, [userMessage('e1'), agentMessage('e2')]);
    await expect(
      house.append(sessionId, [agentMessage('e3'), agentMessage('e2', { text: 'Other' })]),
    ).rejects.toThrow('CONFLICT');
    const { nodes, totalCount } = await house.read(token);
    expect(nodes.map(({ content }) => content)).toEqual(['Said e1', 'Said e2']);
    expect(totalCount).toBe(2);
  });

  it('of a historical event without a time has none either', async () => {
    const { token } = await house.newConversation([userMessage('e1', { historical: true })]);
    expect((await house.read(token)).nodes).toMatchObject([{ createdAt: null }]);
  });

  it('is written by one statement more, however much an append brings', async () => {
    const { sessionId } = await house.newConversation();
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => agentMessage(`m${from + index}`));
    const statements = (events: readonly object[]) =>
      house.countStatements(() => house.append(sessionId, events));
    const without = await statements([activity('a0', { status: 'STARTED' })]);
    expect(await statements(many(0, 1))).toBe(without + 1);
    expect(await statements(many(1, 400))).toBe(without + 1);
  });
});

describe('its pages', () => {
  const contents = (entries: readonly Entry[]) => entries.map(({ content, title }) => content ?? title);
  const range = <T>(from: number, to: number, name: (index: number) => T) =>
    Array.from({ length: to - from + 1 }, (_, index) => name(from + index));

  it('are by default the newest 50 messages, oldest first, and older ones before them (cases 64, 65)', async () => {
    const said = (index: number) => `Said m${index}`;
    const { token } = await house.newConversation(
      range(1, 120, (index) => index)
        .flatMap((index) => [
          ...range(1, 4, (call) => activity(`t${index}-${call}`)),
          (index % 2 === 0 ? userMessage : agentMessage)(`m${index}`),
        ])
        .slice(0, 500),
    );
    const newest = await house.read(token);
    expect(contents(newest.nodes)).toEqual(range(51, 100, said));
    expect(newest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(newest.totalCount).toBe(100);
    const older = await house.read(token, { before: newest.pageInfo.startCursor, last: 40 });
    expect(contents(older.nodes)).toEqual(range(11, 50, said));
    expect(older.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const oldest = await house.read(token, { before: older.pageInfo.startCursor });
    expect(contents(oldest.nodes)).toEqual(range(1, 10, said));
    expect(oldest.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    // With `after` alone the first 50 behind it.
    const newer = await house.read(token, { after: oldest.pageInfo.endCursor });
    expect(contents(newer.nodes)).toEqual(range(11, 60, said));
    expect(newer.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const enriched = await house.read(token, { types: ALL });
    expect(enriched.totalCount).toBe(500);
    expect(enriched.nodes).toHaveLength(50);
    expect(contents(enriched.nodes.slice(-2))).toEqual(['Did t100-4', 'Said m100']);
    // A null means absent, hence messages.
    expect(await house.read(token, { types: null })).toEqual(newest);
  });

  it('are at most 200, of at least one type, and only by cursors of this list', async () => {
    const { token } = await house.newConversation([userMessage('m1')]);
    const other = await house.newConversation([userMessage('m1')]);
    const refusal = (variables: object) =>
      house.refusal(
        token,
        `query ($last: Int, $first: Int, $types: [ConversationEntryType!], $before: String) { conversation { entries(last: $last, first: $first, types: $types, before: $before) { nodes { __typename } } } }`,
        variables,
      );
    expect(await refusal({ last: 201 })).toBe('BAD_USER_INPUT');
    expect(await refusal({ last: 1, first: 1 })).toBe('BAD_USER_INPUT');
    expect(await refusal({ types: [] })).toBe('BAD_USER_INPUT');
    const { edges, checkpoint } = await house.read(token);
    expect(await refusal({ before: (await house.read(other.token)).edges[0]?.cursor })).toBe(
      'INVALID_CURSOR',
    );
    expect(await refusal({ before: checkpoint })).toBe('INVALID_CURSOR');
    expect(await refusal({ before: edges[0]?.cursor })).toBeUndefined();
  });

  it('of an empty conversation are empty', async () => {
    const { token } = await house.newConversation();
    expect(await house.read(token, { types: ALL })).toMatchObject({
      edges: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});
