import { z } from 'zod';
import { badUserInput } from '../errors.js';
import { id, MAX_TEXT, optional, text } from '../parse.js';
import { MAX_FILES, type UploadedFile, uploadedFile } from './content.js';
import type { EventOf } from './event.js';

/** One answer as it is sent; which of its parts count depends on what was asked for. */
export const questionAnswer = z.strictObject({
  questionId: id(),
  text: optional(text()),
  optionIds: optional(z.array(id()).max(500)),
  files: optional(z.array(uploadedFile).max(MAX_FILES)),
});
export type QuestionAnswer = z.output<typeof questionAnswer>;

/** A question by itself, or one of a form. */
type Asked = Pick<EventOf<'question'>, 'questionId' | 'text' | 'responseFormat' | 'options'>;

/** What the answering user_message says. */
export interface Reply {
  readonly text: string;
  readonly files: readonly UploadedFile[];
}

/**
 * Checks answers against the question and puts them into words: the answer's text, the labels of the options chosen or the names of
 * the files; for a form a line a question, led by the question.
 * @throws BAD_USER_INPUT that names the answer and what was asked for.
 */
export function replyOf(question: EventOf<'question'>, answers: readonly QuestionAnswer[]): Reply {
  const form = question.questions ?? [];
  const asked = form.length > 0 ? form : [question];
  const byQuestion = answersByQuestion(asked, answers);
  const lines = asked.map((one) => {
    const { answer, path } = byQuestion(one.questionId);
    const line = wordsOf(one, answer, path);
    return { path, text: form.length > 0 ? `${one.text}: ${line}` : line };
  });
  refuseTooLong(lines);
  refuseTooManyFiles(answers);
  return {
    text: lines.map(({ text }) => text).join('\n'),
    files: answers.flatMap(({ files }) => files ?? []),
  };
}

/** The answers become one message: the one that is too much for it is named. */
function refuseTooLong(lines: readonly { readonly path: string; readonly text: string }[]): void {
  let length = -1;
  for (const { path, text } of lines) {
    length += 1 + text.length;
    if (length > MAX_TEXT) {
      const most = `answers of at most ${MAX_TEXT.toLocaleString('en')} characters in all, with what was asked`;
      throw wrong(path, most, 'more');
    }
  }
}

function refuseTooManyFiles(answers: readonly QuestionAnswer[]): void {
  let count = 0;
  for (const [index, { files = [] }] of answers.entries()) {
    count += files.length;
    if (count > MAX_FILES) {
      throw wrong(`input.answers[${index}].files`, `at most ${MAX_FILES} files in all`, 'more');
    }
  }
}

interface Given {
  readonly answer: QuestionAnswer;
  readonly path: string;
}

/** Exactly one answer for each question asked, in any order. */
function answersByQuestion(asked: readonly Asked[], answers: readonly QuestionAnswer[]) {
  const open = new Set(asked.map(({ questionId }) => questionId));
  const given = new Map<string, Given>();
  for (const [index, answer] of answers.entries()) {
    const path = `input.answers[${index}]`;
    if (!open.delete(answer.questionId)) {
      throw wrong(
        `${path}.questionId`,
        given.has(answer.questionId) ? 'one answer for each question' : 'the id of a question that was asked',
        `"${answer.questionId}"${given.has(answer.questionId) ? ' twice' : ''}`,
      );
    }
    given.set(answer.questionId, { answer, path });
  }
  return (questionId: string): Given => {
    const found = given.get(questionId);
    if (found === undefined) {
      throw wrong(
        'input.answers',
        `an answer for each question asked, ${asked.length} in all`,
        answers.length,
      );
    }
    return found;
  };
}

function wordsOf(asked: Asked, answer: QuestionAnswer, path: string): string {
  switch (asked.responseFormat) {
    case 'TEXT':
      refuseOptions(answer, path);
      if (!answer.text) throw wrong(`${path}.text`, 'some text', 'none');
      return answer.text;
    case 'FILE': {
      refuseOptions(answer, path);
      const files = answer.files ?? [];
      if (files.length === 0) throw wrong(`${path}.files`, 'at least one file', 'none');
      return answer.text || files.map(({ filename }) => filename).join(', ');
    }
    case 'SINGLE_SELECT':
      return choice(asked, answer, path, 1);
    case 'MULTI_SELECT':
      return choice(asked, answer, path, Number.POSITIVE_INFINITY);
    default:
      return asked.responseFormat satisfies never;
  }
}

function refuseOptions({ optionIds = [] }: QuestionAnswer, path: string): void {
  if (optionIds.length > 0) {
    throw wrong(`${path}.optionIds`, 'none, for the question offers no choice', optionIds.length);
  }
}

/** The labels of the options chosen, in the order chosen; a text beside them follows. */
function choice(asked: Asked, { optionIds = [], text }: QuestionAnswer, path: string, most: number): string {
  if (optionIds.length === 0 || optionIds.length > most) {
    throw wrong(
      `${path}.optionIds`,
      most === 1 ? 'exactly one option' : 'at least one option',
      optionIds.length,
    );
  }
  const open = new Map((asked.options ?? []).map(({ optionId, label }) => [optionId, label]));
  const labels = optionIds.map((optionId, index) => {
    const label = open.get(optionId);
    if (label === undefined) {
      throw wrong(`${path}.optionIds[${index}]`, 'one of the options, each at most once', `"${optionId}"`);
    }
    open.delete(optionId);
    return label;
  });
  return text ? `${labels.join(', ')}: ${text}` : labels.join(', ');
}

const wrong = (path: string, expected: string, got: string | number) =>
  badUserInput(`${path}: expected ${expected}, got ${got}.`, { path });
