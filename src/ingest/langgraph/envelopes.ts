import type { Frame } from '../frames.js';
import { countAt, isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.js';

/** What a stream says at a time, in either protocol. */
export interface Envelope {
  readonly isClassic: boolean;
  /** The channel, or the event. */
  readonly method: string;
  /** Where in the graph: the nodes on the way to the graph within the graph; the outermost is at []. */
  readonly namespace: readonly string[];
  readonly data: JsonObject;
  /** The data, where it is a list. */
  readonly list: readonly unknown[];
  readonly seq: number | undefined;
}

export const openEnvelope = (frame: Frame): Envelope | undefined =>
  openProtocol(frame.value) ?? openClassic(frame);

/** Protocol v2: an object says all. */
function openProtocol(value: JsonObject): Envelope | undefined {
  const method = stringAt(value, 'method');
  const params = objectAt(value, 'params');
  if (value.type !== 'event' || method === undefined || params === undefined) return undefined;
  return {
    isClassic: false,
    method,
    namespace: listAt(params, 'namespace').filter((node) => typeof node === 'string'),
    data: objectAt(params, 'data') ?? {},
    list: listAt(params, 'data'),
    seq: countAt(value, 'seq'),
  };
}

/** Before it: events with a name and data, which server-sent events have outside their data and JSON lines in one object. */
function openClassic({ value, event, list }: Frame): Envelope | undefined {
  const inner = stringAt(value, 'event');
  const isWhole = inner !== undefined && 'data' in value;
  const name = isWhole ? inner : event;
  if (name === undefined) return undefined;
  const [method = '', ...namespace] = name.split('|');
  const data = isWhole ? value.data : value;
  return {
    isClassic: true,
    method,
    namespace,
    data: isObject(data) ? data : {},
    list: list ?? (Array.isArray(data) ? data : []),
    seq: undefined,
  };
}
