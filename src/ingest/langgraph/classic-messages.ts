import { countAt, isObject, type JsonObject, listAt, stringAt } from '../json.js';
import { blocksOf, callOf, completionOf, typeOf } from './content.js';
import { takeMessage } from './conversation.js';
import type { Envelope } from './envelopes.js';
import { addCall, addText, closeMessage, openMessage, setContent, think } from './messages.js';
import type { LangGraphStep, OpenMessage, OpenRun } from './state.js';

/** `messages/partial`: each message as far as it has come. */
export function takePartial(step: LangGraphStep, run: OpenRun, { namespace, list }: Envelope): void {
  for (const given of list) {
    const type = isObject(given) ? typeOf(given) : '';
    if (!isObject(given) || type === '') step.ignored.push('not_an_event');
    else if (type === 'ai') {
      const message = openNamed(run, stringAt(given, 'id') ?? '') ?? open(step, run, namespace, given);
      setContent(step, message, given);
    }
  }
}

const openNamed = (run: OpenRun, name: string): OpenMessage | undefined =>
  run.messages.find((message) => message.name === name);

const open = (
  step: LangGraphStep,
  run: OpenRun,
  namespace: readonly string[],
  given: JsonObject,
  stage: number | null = null,
): OpenMessage => {
  const name = stringAt(given, 'id') ?? '';
  return openMessage(step, run, { key: name, name, type: 'ai', isOwn: namespace.length === 0, stage });
};

/** `messages/complete`: also of those that lay before the run, so that only a message that was coming makes calls. */
export function takeComplete(step: LangGraphStep, run: OpenRun, { namespace, list }: Envelope): void {
  for (const given of list) takeWhole(step, run, given, namespace.length === 0);
}

function takeWhole(step: LangGraphStep, run: OpenRun, given: unknown, isOwn: boolean): void {
  const message = isObject(given) ? openNamed(run, stringAt(given, 'id') ?? '') : undefined;
  if (isOwn) takeMessage(step, given, message !== undefined);
  else if (message !== undefined) closeMessage(step, run, message, 'COMPLETE');
}

/** `messages`: a piece of a message, or a whole one, and what is known of it. */
export function takePiece(step: LangGraphStep, run: OpenRun, { namespace, list }: Envelope): void {
  const [given, about] = list;
  if (!isObject(given)) {
    step.ignored.push('not_an_event');
    return;
  }
  const known = isObject(about) ? about : {};
  const stage = countAt(known, 'langgraph_step') ?? null;
  const within = (stringAt(known, 'langgraph_checkpoint_ns') ?? '').split('|').slice(1);
  endBefore(step, run, stage);
  if (!String(given.type).endsWith('Chunk'))
    takeWhole(step, run, given, [...namespace, ...within].length === 0);
  else if (typeOf(given) === 'ai') addPiece(step, run, [...namespace, ...within], given, stage);
}

/** No piece says that it is the last one in every version, but a step of the graph is over when the next begins. */
function endBefore(step: LangGraphStep, run: OpenRun, stage: number | null): void {
  const over = run.messages.filter(
    (message) => stage !== null && message.stage !== null && message.stage < stage,
  );
  for (const message of over) closeMessage(step, run, message, 'COMPLETE');
}

function addPiece(
  step: LangGraphStep,
  run: OpenRun,
  namespace: readonly string[],
  given: JsonObject,
  stage: number | null,
): void {
  const name = stringAt(given, 'id') ?? '';
  const message = openNamed(run, name) ?? open(step, run, namespace, given, stage);
  for (const block of blocksOf(given)) {
    if (block.type === 'text')
      addText(step, message, countAt(block, 'index') ?? 0, stringAt(block, 'text') ?? '');
    else if (block.type === 'reasoning' || block.type === 'thinking') think(message);
  }
  for (const chunk of listAt(given, 'tool_call_chunks'))
    if (isObject(chunk)) addCallPiece(step, message, chunk);
  if (given.chunk_position === 'last') closeMessage(step, run, message, completionOf(given));
}

function addCallPiece(step: LangGraphStep, message: OpenMessage, chunk: JsonObject): void {
  const index = countAt(chunk, 'index') ?? Math.max(0, message.calls.length - 1);
  const before = message.calls.find((call) => call.index === index);
  const piece = callOf(chunk, index);
  const call = before ?? { index, id: '', name: '', input: '' };
  addCall(step, message, {
    index,
    id: call.id || piece.id,
    name: call.name || piece.name,
    input: call.input + piece.input,
  });
}
