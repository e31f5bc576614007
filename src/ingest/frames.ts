import type { IgnoredKind } from './ignored.js';
import { isDeeperThan, isObject, type JsonObject, parseJson } from './json.js';
import { type IngestLimits, pastLimit } from './limits.js';

/** One object of a stream; `event` is the name that SSE gave it. */
export interface Frame {
  readonly value: JsonObject;
  readonly event: string | undefined;
}

/** Where a reader puts what it finds, in the order of the stream. */
export interface FrameSink {
  frame(frame: Frame): void;
  ignored(kind: IgnoredKind): void;
}

/** Takes the text of a stream piece by piece, cut anywhere. Throws the `pastLimit` fault; what came before has reached the sink. */
export interface TextReader {
  push(text: string): void;
  end(): void;
}

/** Hands the object in `json` to the sink; what is no object is counted, never fatal, and not parsed. */
export function readFrame(
  json: string,
  event: string | undefined,
  sink: FrameSink,
  limits: IngestLimits,
): void {
  if (!/^\s*\{/.test(json)) {
    sink.ignored('noise');
    return;
  }
  if (isDeeperThan(json, limits.jsonDepth)) throw pastLimit('jsonDepth', limits);
  const value = parseJson(json);
  if (isObject(value)) sink.frame({ value, event });
  else sink.ignored('truncated');
}
