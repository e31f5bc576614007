import { type ActivityState, type OpenActivity, startActivity } from './activities.js';
import { configuredDelivery } from './deliveries.js';
import { type HeldState, holdThing } from './held.js';
import type { JsonObject } from './json.js';
import { addSearches } from './methods.js';
import { prepareQuestions } from './questions.js';
import { publicSearches } from './redaction.js';
import type { Step } from './reducer.js';
import type { ToolTitle } from './titles.js';

/** A call whose input is complete. */
export interface Call extends Pick<OpenActivity, 'activityId' | 'messageId' | 'isCallers'> {
  readonly tool: ToolTitle;
}

/**
 * Tells that a call was made, once, and keeps what the title map lets it say: what it searches, what it asks (`tellQuestions`), what it
 * will have delivered when it ends well. Throws the faults of `openBlocks` and `heldBytes`.
 */
export function startCall<State extends ActivityState & HeldState>(
  step: Step<State>,
  { tool, ...call }: Call,
  input: JsonObject,
): void {
  // The same call twice is one call.
  if (step.state.activities.some(({ activityId }) => activityId === call.activityId)) return;
  const searches = addSearches(step.state.searches, publicSearches(tool, input));
  for (const { query } of searches) holdThing(step, query);
  const delivery = configuredDelivery(step, tool, input, call.activityId);
  if (delivery !== undefined) holdThing(step, JSON.stringify(delivery));
  startActivity(step, { ...call, title: tool.title, searches, ...(delivery && { delivery }) });
  prepareQuestions(step, call.activityId, tool, input);
}
