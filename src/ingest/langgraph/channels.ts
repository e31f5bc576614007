import { deliverData } from '../deliveries.js';
import { isObject, stringAt } from '../json.js';
import { takeComplete, takePartial, takePiece } from './classic-messages.js';
import { takeMessages } from './conversation.js';
import type { Envelope } from './envelopes.js';
import { keepInterrupt, keepInterrupts } from './questions.js';
import type { LangGraphStep, OpenRun } from './state.js';
import { reduceStreamed } from './streamed.js';
import { reduceTool } from './tools.js';

/** What something on a channel does to its run. */
type InRun = (step: LangGraphStep, run: OpenRun, envelope: Envelope) => void;

const CHANNELS: ReadonlyMap<string, InRun> = new Map<string, InRun>([
  [
    'messages',
    (step, run, envelope) => (envelope.isClassic ? takePiece : reduceStreamed)(step, run, envelope),
  ],
  ['messages/partial', takePartial],
  ['messages/complete', takeComplete],
  ['tools', reduceTool],
  ['values', takeState],
  ['updates', takeUpdate],
  ['custom', takeData],
  ['input', request],
  ['input.requested', request],
]);

/** Channels that applications make have names of their own. */
export const channelOf = (method: string): InRun | undefined =>
  CHANNELS.get(method) ?? (method.startsWith(OWN) ? takeData : undefined);

const OWN = 'custom:';

/** `values`: the state, with the whole conversation, after each step of the graph. */
function takeState(step: LangGraphStep, run: OpenRun, { namespace, data }: Envelope): void {
  keepInterrupts(step, run, data);
  if (namespace.length === 0) takeMessages(step, data, false);
}

/** What the nodes of a step have added, by their names. */
function takeUpdate(step: LangGraphStep, run: OpenRun, { isClassic, namespace, data }: Envelope): void {
  const isInterrupt = data.node === '__interrupt__';
  keepInterrupts(step, run, isInterrupt ? { __interrupt__: data.values } : data);
  if (namespace.length > 0 || isInterrupt) return;
  const updates = isClassic ? Object.values(data).flat() : [data.values];
  for (const update of updates) if (isObject(update)) takeMessages(step, update, true);
}

function request(step: LangGraphStep, run: OpenRun, { data }: Envelope): void {
  keepInterrupt(step, run, stringAt(data, 'interrupt_id') ?? '', data.payload);
}

/** What a node writes for its application: told if the title map has its name. */
function takeData(step: LangGraphStep, run: OpenRun, { method, data }: Envelope): void {
  const payload = isObject(data.payload) ? data.payload : data;
  const channel = method.startsWith(OWN) ? method.slice(OWN.length) : undefined;
  const name = channel ?? stringAt(data, 'name') ?? stringAt(payload, 'type') ?? '';
  if (!deliverData(step, name, payload, run.id, run.data++)) step.ignored.push('unmapped_data');
}
