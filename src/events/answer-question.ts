import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import { conflict, notFound } from '../errors.js';
import { id, parse } from '../parse.js';
import { requireNotRun } from '../sessions/access.js';
import { questionAnswer, replyOf } from './answers.js';
import { appendOne, currentOf, prepareEvent, type Written } from './append.js';
import type { EventRow } from './event.js';
import { derivedId, sessionIdOf } from './ids.js';
import { findQuestion } from './store.js';

export interface AnswerInput {
  readonly sessionId: string;
  readonly questionId: string;
  readonly answers: readonly z.input<typeof questionAnswer>[];
}

const givenAnswers = z.array(questionAnswer).min(1, 'expected at least one answer, got none').max(100);

/**
 * Answers a question, as a user_message that refers to it. A question has one answer: settled under the session's lock and by a unique
 * index. The same answers again give the message that they made.
 * @throws FORBIDDEN for RUN; NOT_FOUND for the session or the question; BAD_USER_INPUT where an answer does not fit what was asked;
 * CONFLICT with `current`, the answer that the question has.
 */
export async function answerQuestion(operation: Operation, input: AnswerInput): Promise<Written> {
  requireNotRun(operation.viewer, 'answerQuestion');
  const sessionId = sessionIdOf(input.sessionId);
  const questionId = parse(id(), input.questionId, 'input.questionId');
  const answers = parse(givenAnswers, input.answers, 'input.answers');
  const eventId = derivedId('answer', sessionId, questionId, answers);
  return appendOne(operation, sessionId, async (tx) => {
    const { question, reply } = await findQuestion(tx, sessionId, questionId);
    if (question?.kind !== 'question') throw noSuchQuestion(questionId);
    if (reply?.eventId === eventId) return reply;
    if (reply !== undefined) throw answered(reply);
    const messageId = derivedId('reply', sessionId, questionId);
    const said = replyOf(question, answers);
    const message = prepareEvent({
      kind: 'user_message',
      eventId,
      messageId,
      ...said,
      files: [...said.files],
    });
    return { ...message, repliesTo: questionId };
  });
}

const noSuchQuestion = (questionId: string) =>
  notFound(`Expected the id of a question of this session, got "${questionId}". Read its QUESTION events.`);

const answered = (reply: EventRow) =>
  conflict(
    'Expected a question that is open, got one that was answered before, with other answers. Read its reply.',
    currentOf(reply),
  );
