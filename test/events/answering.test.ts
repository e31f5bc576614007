import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const ANSWER = `mutation ($input: AnswerQuestionInput!) {
  answerQuestion(input: $input) {
    session { status checkpoint }
    edge { cursor node { ... on UserMessageEvent { eventId messageId text isInitial repliesTo files { filename } } } }
  }
}`;
const QUESTIONS = `query ($sessionId: ID!) { session(sessionId: $sessionId) {
  events(kinds: [QUESTION]) { nodes { ... on QuestionEvent { eventId reply { eventId text } } } } events2: events { totalCount } } }`;

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { session { id } } }`;
const MESSAGES = `query ($sessionId: ID!) { session(sessionId: $sessionId) {
  events(kinds: [USER_MESSAGE]) { nodes { ... on UserMessageEvent { text repliesTo } } } } }`;

const options = [
  { optionId: 'y', label: 'Yes' },
  { optionId: 'n', label: 'No' },
  { optionId: 'm', label: 'Maybe' },
];
const file = { filename: 'a.csv' };

/** A session that was asked this; answers as the member. */
async function asked(question: object) {
  const sessionId = await house.newSession();
  await house.append(sessionId, [
    { question: { eventId: 'e1', questionId: 'q1', text: 'Well?', responseFormat: 'TEXT', ...question } },
  ]);
  const input = (answers: readonly object[]) => ({ input: { sessionId, questionId: 'q1', answers } });
  return {
    sessionId,
    answer: async (...answers: object[]) =>
      (await house.ask<{ answerQuestion: Answered }>('member', ANSWER, input(answers))).answerQuestion,
    refuse: (...answers: object[]) => house.refuse('member', ANSWER, input(answers)),
  };
}

interface Answered {
  readonly session: { readonly status: string; readonly checkpoint: string };
  readonly edge: {
    readonly cursor: string;
    readonly node: { readonly eventId: string; readonly text: string; readonly files: object[] };
  };
}

describe('answering a question', () => {
  it('adds a user_message that is its reply, and the agent goes on', async () => {
    const { sessionId, answer } = await asked({});
    const { session, edge } = await answer({ questionId: 'q1', text: 'Indeed.' });
    expect(edge.node).toMatchObject({ text: 'Indeed.', isInitial: false, repliesTo: 'q1', files: [] });
    expect(session).toEqual({ status: 'PROCESSING', checkpoint: edge.cursor });
    expect(await house.ask('member', QUESTIONS, { sessionId })).toMatchObject({
      session: { events: { nodes: [{ reply: { eventId: edge.node.eventId, text: 'Indeed.' } }] } },
    });
  });

  it('is told from a message of its own by the question that it names', async () => {
    const { sessionId, answer } = await asked({});
    await house.ask('member', SEND, { input: { sessionId, text: 'By the way.' } });
    await answer({ questionId: 'q1', text: 'Indeed.' });
    expect(await house.ask('member', MESSAGES, { sessionId })).toEqual({
      session: {
        events: {
          nodes: [
            { text: 'By the way.', repliesTo: null },
            { text: 'Indeed.', repliesTo: 'q1' },
          ],
        },
      },
    });
  });

  it.each([
    ['options by their labels', { responseFormat: 'SINGLE_SELECT', options }, { optionIds: ['n'] }, 'No'],
    [
      'several in the order chosen',
      { responseFormat: 'MULTI_SELECT', options },
      { optionIds: ['m', 'y'] },
      'Maybe, Yes',
    ],
    [
      'a remark behind the choice',
      { responseFormat: 'SINGLE_SELECT', options },
      { optionIds: ['m'], text: 'later' },
      'Maybe: later',
    ],
    ['files by their names', { responseFormat: 'FILE' }, { files: [file] }, 'a.csv'],
    ['files with a text', { responseFormat: 'FILE' }, { files: [file], text: 'Here.' }, 'Here.'],
  ])('puts into words %s', async (_, question, given, text) => {
    const { answer } = await asked(question);
    const { edge } = await answer({ questionId: 'q1', ...given });
    expect(edge.node.text).toBe(text);
    expect(edge.node.files).toEqual('files' in given ? given.files : []);
  });

  it('answers each question of a form, in any order, a line each (case 85)', async () => {
    const { answer, refuse } = await asked({
      responseFormat: 'FILE',
      questions: [
        { questionId: 'a', text: 'Which?', responseFormat: 'SINGLE_SELECT', options },
        { questionId: 'b', text: 'Why?', responseFormat: 'TEXT' },
      ],
    });
    const [why, which] = [
      { questionId: 'b', text: 'Because.' },
      { questionId: 'a', optionIds: ['y'] },
    ];
    for (const [answers, path] of [
      [[why], 'input.answers'],
      [[why, why], 'input.answers[1].questionId'],
      [[why, which, { questionId: 'q1', text: 'x' }], 'input.answers[2].questionId'],
    ] as const) {
      expect(await refuse(...answers)).toMatchObject([{ code: 'BAD_USER_INPUT', path }]);
    }
    expect((await answer(why, which)).edge.node.text).toBe('Which?: Yes\nWhy?: Because.');
  });

  it.each([
    ['no text', {}, {}, 'text'],
    ['an empty text', {}, { text: '' }, 'text'],
    ['options where there is no choice', {}, { text: 'x', optionIds: ['y'] }, 'optionIds'],
    [
      'two of a single choice',
      { responseFormat: 'SINGLE_SELECT', options },
      { optionIds: ['y', 'n'] },
      'optionIds',
    ],
    ['none of a single choice', { responseFormat: 'SINGLE_SELECT', options }, { text: 'Yes' }, 'optionIds'],
    ['an unknown option', { responseFormat: 'SINGLE_SELECT', options }, { optionIds: ['z'] }, 'optionIds[0]'],
    [
      'an option twice',
      { responseFormat: 'MULTI_SELECT', options },
      { optionIds: ['y', 'y'] },
      'optionIds[1]',
    ],
    ['none of several choices', { responseFormat: 'MULTI_SELECT', options }, { optionIds: [] }, 'optionIds'],
    ['no file', { responseFormat: 'FILE' }, { text: 'x' }, 'files'],
  ])('refuses %s and names the place', async (_, question, given, place) => {
    const { sessionId, refuse } = await asked(question);
    expect(await refuse({ questionId: 'q1', ...given })).toMatchObject([
      { code: 'BAD_USER_INPUT', path: `input.answers[0].${place}` },
    ]);
    expect(await house.ask('member', QUESTIONS, { sessionId })).toMatchObject({
      session: { events2: { totalCount: 1 } },
    });
  });

  it('refuses no answer, and one to another question', async () => {
    const { refuse } = await asked({});
    expect(await refuse()).toMatchObject([{ code: 'BAD_USER_INPUT', path: 'input.answers' }]);
    expect(await refuse({ questionId: 'q2', text: 'x' })).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
  });

  it('gives the same message for the same answers, and CONFLICT with it for others', async () => {
    const { sessionId, answer, refuse } = await asked({ responseFormat: 'MULTI_SELECT', options });
    const first = await answer({ questionId: 'q1', optionIds: ['y'] });
    expect((await answer({ questionId: 'q1', optionIds: ['y'], text: null })).edge).toEqual(first.edge);
    expect(await refuse({ questionId: 'q1', optionIds: ['n'] })).toMatchObject([
      { code: 'CONFLICT', current: { eventId: first.edge.node.eventId, kind: 'USER_MESSAGE' } },
    ]);
    expect(await house.ask('member', QUESTIONS, { sessionId })).toMatchObject({
      session: { events2: { totalCount: 2 } },
    });
  });

  it('takes one of two answers that come at once', async () => {
    const { sessionId } = await asked({});
    const variables = (text: string) => ({
      input: { sessionId, questionId: 'q1', answers: [{ questionId: 'q1', text }] },
    });
    const refused = await Promise.all(
      ['a', 'b', 'c'].map((text) => house.refuse('member', ANSWER, variables(text))),
    );
    expect(refused.flat()).toMatchObject([{ code: 'CONFLICT' }, { code: 'CONFLICT' }]);
  });

  it('is asked of the question as it was asked last; a question asked again stays answered', async () => {
    const { sessionId, answer, refuse } = await asked({ responseFormat: 'SINGLE_SELECT', options });
    await house.append(sessionId, [
      { question: { eventId: 'e2', questionId: 'q1', text: 'Once more?', responseFormat: 'TEXT' } },
    ]);
    const { edge } = await answer({ questionId: 'q1', text: 'Fine.' });
    await house.append(sessionId, [
      { question: { eventId: 'e3', questionId: 'q1', text: 'And again?', responseFormat: 'TEXT' } },
    ]);
    expect(await refuse({ questionId: 'q1', text: 'No.' })).toMatchObject([{ code: 'CONFLICT' }]);
    const { session } = await house.ask<{ session: { events: { nodes: object[] } } }>('member', QUESTIONS, {
      sessionId,
    });
    expect(session.events.nodes).toMatchObject(Array(3).fill({ reply: { eventId: edge.node.eventId } }));
  });

  it('needs a question, a session that one may write to, and no RUN credential', async () => {
    const { sessionId, refuse } = await asked({});
    const input = (questionId: string) => ({
      input: { sessionId, questionId, answers: [{ questionId, text: 'x' }] },
    });
    expect(await house.refuse('member', ANSWER, input('q9'))).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(await house.refuse('stranger', ANSWER, input('q1'))).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(await house.refuse('admin', ANSWER, input('q1'))).toMatchObject([{ code: 'NOT_FOUND' }]);
    expect(await house.refuse('run', ANSWER, input('q1'))).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(await refuse({ questionId: '', text: 'x' })).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
  });
});
