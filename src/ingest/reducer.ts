import type { EventInput } from '../events/content.js';
import type { Frame } from './frames.js';
import type { IgnoredKind } from './ignored.js';
import type { IngestLimits } from './limits.js';
import type { ToolTitles } from './titles.js';

/** What a reducer is told about the stream it reads. None of it is state: a stream that is resumed gets it afresh. */
export interface IngestContext {
  /** The format's name, which is part of every id. */
  readonly format: string;
  readonly sessionId: string;
  readonly titles: ToolTitles;
  readonly limits: IngestLimits;
}

/**
 * How a stream ended: `eof` as HTTP ends one, `cutoff` in the middle, `limit` past one of ours, `timeout` after a silence,
 * `stopped` because its session was asked to stop.
 */
export type EndReason = 'eof' | 'cutoff' | 'limit' | 'timeout' | 'stopped';

/** Where a reducer puts what it makes of a stream, in order. */
export interface Output {
  readonly events: EventInput[];
  readonly ignored: IgnoredKind[];
}

/** One step of a reduction: the state it works on and where its results go. */
export interface Step<State> extends Output {
  readonly state: State;
  readonly context: IngestContext;
}

/**
 * One format: objects in, events out. It reads no clock, no randomness and nothing but its arguments, so the same stream gives
 * the same events. `State` is plain JSON (whatever a stream names is a value in it, never a key) and all there is: written
 * down and read again between any two objects, it changes nothing. `reduce` and `end` change the state in place and throw
 * only `pastLimit` faults.
 */
export interface Reducer<State> {
  /** Whether a stream that begins with this object is of this format. No other format's is. */
  recognises(first: Frame): boolean;
  start(): State;
  reduce(step: Step<State>, frame: Frame): void;
  end(step: Step<State>, why: EndReason): void;
}
