import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPEND, activity, type House, openHouse } from './house.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const ANSWER = `mutation ($input: AnswerQuestionInput!) { answerQuestion(input: $input) { edge { cursor } } }`;

const refuse = async (events: readonly object[]) => {
  const sessionId = await house.newSession();
  const refusals = await house.refuse('service', APPEND, { input: { sessionId, events } });
  const { session } = await house.ask<{ session: { events: { totalCount: number } } }>(
    'service',
    'query ($id: ID!) { session(sessionId: $id) { events { totalCount } } }',
    { id: sessionId },
  );
  return { refusals, written: session.events.totalCount };
};

const question = (fields: object) => ({
  question: { eventId: 'e1', questionId: 'q1', text: 'Which?', responseFormat: 'TEXT', ...fields },
});
const one = { optionId: 'a', label: 'A' };
const asks = (questionId: string, fields: object = {}) => ({
  ...{ questionId, text: 'Which?', responseFormat: 'TEXT' },
  ...fields,
});

describe('a question', () => {
  it.each([
    ['a choice without options', { responseFormat: 'SINGLE_SELECT' }, 'options'],
    ['a choice of none', { responseFormat: 'MULTI_SELECT', options: [] }, 'options'],
    ['a choice of none, with an empty form', { responseFormat: 'MULTI_SELECT', questions: [] }, 'options'],
    ['an option twice', { responseFormat: 'SINGLE_SELECT', options: [one, one] }, 'options[1].optionId'],
    ['a form’s question twice', { questions: [asks('a'), asks('b'), asks('a')] }, 'questions[2].questionId'],
    [
      'a form’s choice without options',
      { questions: [asks('a'), asks('b', { responseFormat: 'MULTI_SELECT' })] },
      'questions[1].options',
    ],
    [
      'a form’s option twice',
      { questions: [asks('a', { responseFormat: 'MULTI_SELECT', options: [one, one] })] },
      'questions[0].options[1].optionId',
    ],
  ])('that nobody could answer is refused: %s', async (_what, fields, place) => {
    const { refusals, written } = await refuse([activity('e0'), question(fields)]);
    const path = `input.events[1].question.${place}`;
    expect(refusals).toMatchObject([{ code: 'BAD_USER_INPUT', path }]);
    expect(refusals[0]?.message).toMatch(/expected (each \w+Id once|at least one option)/);
    expect(written).toBe(0);
  });

  it('of a form may have a format of its own that offers nothing', async () => {
    const { refusals, written } = await refuse([
      question({ responseFormat: 'SINGLE_SELECT', questions: [asks('a')] }),
    ]);
    expect([refusals, written]).toEqual([[], 1]);
  });

  it('names the answer that is too much for one message', async () => {
    const sessionId = await house.newSession();
    await house.append(sessionId, [question({ questions: [asks('a'), asks('b'), asks('c')] })]);
    const long = 'x'.repeat(1_100_000);
    const input = (answers: readonly object[]) => ({ input: { sessionId, questionId: 'q1', answers } });
    const short = { questionId: 'c', text: 'y' };
    // The path counts the answers as they were sent, not the questions.
    const answers = [short, { questionId: 'b', text: long }, { questionId: 'a', text: long }];
    expect(await house.refuse('member', ANSWER, input(answers))).toMatchObject([
      { code: 'BAD_USER_INPUT', path: 'input.answers[1]', message: expect.stringContaining('2,097,152') },
    ]);
    const files = Array.from({ length: 300 }, (_, index) => ({ filename: `${index}.csv` }));
    const withFiles = ['a', 'b', 'c'].map((questionId) => ({ questionId, text: 'y', files }));
    expect(await house.refuse('member', ANSWER, input(withFiles))).toMatchObject([
      {
        code: 'BAD_USER_INPUT',
        path: 'input.answers[1].files',
        message: expect.stringContaining('500 files'),
      },
    ]);
  });
});

it('two events of one id in one call are a CONFLICT in which nothing won', async () => {
  const { refusals, written } = await refuse([
    activity('e1'),
    { activity: { ...activity('e1').activity, title: 'Writing' } },
  ]);
  expect(refusals).toMatchObject([{ code: 'CONFLICT' }]);
  expect(refusals[0]).not.toHaveProperty('current');
  expect(written).toBe(0);
});
