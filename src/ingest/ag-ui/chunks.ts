import { type JsonObject, stringAt } from '../json.js';
import { addInput, endInput, inputOf, openInput } from './calls.js';
import { addText, endMessage, startMessage } from './messages.js';
import type { AgUiStep, InRun, OpenRun } from './state.js';

/** Events that begin what they are about, and end what the chunk before them was about. */
export const CHUNK_EVENTS: ReadonlyMap<string, InRun> = new Map<string, InRun>([
  ['TEXT_MESSAGE_CHUNK', addTextChunk],
  ['TOOL_CALL_CHUNK', addInputChunk],
]);

type About = NonNullable<OpenRun['chunk']>;

/** Without a name it is about the same as the chunk before. */
const nameIn = (run: OpenRun, kind: About['kind'], named: string | undefined): string =>
  named || (run.chunk?.kind === kind ? run.chunk.name : '');

function addTextChunk(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const messageId = nameIn(run, 'text', stringAt(value, 'messageId'));
  const named = { ...value, messageId };
  if (isAnother(step, run, { kind: 'text', name: messageId })) startMessage(step, run, named);
  addText(step, run, named);
}

function addInputChunk(step: AgUiStep, run: OpenRun, value: JsonObject): void {
  const toolCallId = nameIn(run, 'input', stringAt(value, 'toolCallId'));
  if (toolCallId === '') {
    step.ignored.push('not_an_event');
    return;
  }
  const named = { ...value, toolCallId };
  const isNew = isAnother(step, run, { kind: 'input', name: toolCallId });
  if (isNew && inputOf(run, toolCallId) === undefined) openInput(step, run, named);
  addInput(step, run, named);
}

function isAnother(step: AgUiStep, run: OpenRun, about: About): boolean {
  if (run.chunk?.kind === about.kind && run.chunk.name === about.name) return false;
  endChunk(step, run);
  run.chunk = about;
  return true;
}

/** Whatever else comes ends what the last chunk was about. */
export function endChunk(step: AgUiStep, run: OpenRun): void {
  const { chunk } = run;
  run.chunk = null;
  if (chunk?.kind === 'text') endMessage(step, run, { messageId: chunk.name });
  else if (chunk?.kind === 'input') endInput(step, run, { toolCallId: chunk.name });
}
