import { type HeldState, holdThing } from './held.js';
import { emit, resourceId } from './ids.js';
import type { JsonObject } from './json.js';
import { type PublicQuestion, publicQuestions } from './redaction.js';
import type { Step } from './reducer.js';
import type { ToolTitle } from './titles.js';

/** A question that the agent has decided to ask. */
export interface PendingQuestion extends PublicQuestion {
  readonly questionId: string;
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
  for (const [at, question] of publicQuestions(tool, input).entries()) {
    holdThing(step, JSON.stringify(question));
    step.state.questions.push({
      questionId: resourceId(step.context, 'que', activityId, at),
      activityId,
      ...question,
    });
  }
}

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
