import { type HeldState, holdThing } from './held.js';
import { emit, resourceId } from './ids.js';
import type { JsonObject } from './json.js';
import { type PublicQuestion, publicQuestions } from './redaction.js';
import type { Step } from './reducer.js';
import type { ToolTitle } from './titles.js';

interface Asked extends PublicQuestion {
  readonly questionId: string;
}

/** A question that the agent has decided to ask, or several, which one answer answers. */
export interface PendingQuestion extends Asked {
  readonly questions?: Asked[];
  /** The call that asks it. */
  readonly activityId: string;
}

/** The part of a format's state that questions need. */
export interface QuestionState {
  /** Those to be told when the run rests: what the agent says beside them comes before. */
  questions: PendingQuestion[];
}

/** Keeps what a call asks by the title map. */
export function prepareQuestions<State extends QuestionState & HeldState>(
  step: Step<State>,
  activityId: string,
  tool: ToolTitle,
  input: JsonObject,
): void {
  const questions = publicQuestions(tool, input).map((question, at) => ({
    questionId: resourceId(step.context, 'que', activityId, at),
    ...question,
  }));
  const [first] = questions;
  if (first === undefined) return;
  holdThing(step, JSON.stringify(questions));
  const asked = questions.length === 1 ? first : formOf(step, activityId, questions);
  step.state.questions.push({ activityId, ...asked });
}

/** What a call asks at a time has one answer, so it is one question. */
const formOf = (
  step: Step<unknown>,
  activityId: string,
  questions: Asked[],
): Omit<PendingQuestion, 'activityId'> => ({
  questionId: resourceId(step.context, 'que', activityId),
  text: `The agent asks ${questions.length} things.`,
  responseFormat: 'TEXT',
  questions,
});

/** Asks what was decided to be asked: at the end of the run, or before, where the answer comes in the same stream. */
export function tellQuestions(step: Step<QuestionState>): void {
  for (const { activityId, ...question } of step.state.questions) {
    emit(step, { kind: 'question', ...question }, question.questionId);
  }
  step.state.questions = [];
}

/** The call that asks has ended: nobody waits for an answer. */
export function dropQuestions(state: QuestionState, activityId: string): void {
  state.questions = state.questions.filter((question) => question.activityId !== activityId);
}
