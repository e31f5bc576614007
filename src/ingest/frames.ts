import { isDeeperThan } from '../json.js';
import type { IgnoredKind } from './ignored.js';
import { isObject, type JsonObject, parseJson } from './json.js';
import { type IngestLimits, pastLimit } from './limits.js';

/** Where in a stream something is, counted from 1: for whoever has to mend it. */
export interface Place {
  readonly unit: 'line' | 'event' | 'element' | 'object';
  readonly at: number;
}

/** One object of a stream; `event` is the name that SSE gave it. */
export interface Frame {
  readonly value: JsonObject;
  readonly event: string | undefined;
  readonly place: Place;
  /** What an event that SSE gave a name holds instead of an object; `value` is then empty. */
  readonly list?: readonly unknown[] | undefined;
}

/** Where a reader puts what it finds, in the order of the stream. */
export interface FrameSink {
  frame(frame: Frame): void;
  ignored(kind: IgnoredKind, place: Place): void;
}

/** Where a reader is, between two objects. */
export interface ReaderState {
  /** How many lines, events, elements or objects came before. */
  readonly at: number;
  /** It came to a CR, whose LF may follow. */
  readonly isAfterCr?: true;
  /** Of an array. */
  readonly place?: 'before' | 'between' | 'after';
}

/** Takes the bytes of a stream piece by piece, cut anywhere. Throws the `pastLimit` fault; what came before has reached the sink. */
export interface FrameReader {
  push(bytes: Buffer): void;
  end(): void;
  /** Bytes, of those that it was given, up to the end of the last that was read whole: with `state` a reader goes on there. */
  readonly read: number;
  readonly state: ReaderState;
}

/**
 * Hands the object in `json` to the sink; what is no object is counted, never fatal, and not parsed. Under a name a list or nothing, which
 * is `null`, says something too. Returns whether it was an object.
 */
export function readFrame(
  json: string,
  event: string | undefined,
  place: Place,
  sink: FrameSink,
  limits: IngestLimits,
): boolean {
  const isNamed = event !== undefined && /^\s*(?:\[|null\s*$)/.test(json);
  if (!isNamed && !/^\s*\{/.test(json)) {
    sink.ignored('noise', place);
    return false;
  }
  if (isDeeperThan(json, limits.jsonDepth)) throw pastLimit('jsonDepth', limits);
  const value = parseJson(json);
  if (isObject(value)) sink.frame({ value, event, place });
  else if (isNamed && value === null) sink.frame({ value: {}, event, place });
  else if (Array.isArray(value)) sink.frame({ value: {}, event, list: value, place });
  else sink.ignored('truncated', place);
  return isObject(value);
}
