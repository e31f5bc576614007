import { emit, resourceId } from './ids.js';
import type { Step } from './reducer.js';
import { UNKNOWN_TOOL } from './titles.js';

/**
 * Emits the question whether a tool may be used. Of the tool it tells the title that we wrote for it, and no more (P10). `key`: what
 * the stream calls the request by.
 */
export function askPermission(step: Step<unknown>, title: string, ...key: unknown[]): void {
  const questionId = resourceId(step.context, 'que', ...key);
  const about = title === UNKNOWN_TOOL.title ? '.' : `: ${title}.`;
  emit(
    step,
    {
      kind: 'question',
      questionId,
      text: `The agent asks for permission to go on${about}`,
      responseFormat: 'SINGLE_SELECT',
      options: [
        { optionId: 'approve', label: 'Approve' },
        { optionId: 'reject', label: 'Reject' },
      ],
    },
    questionId,
  );
}
