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
  /** What tells apart things that no stream names: the same for a stream that is sent again, another for the next run. */
  readonly run: string;
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
  /** What the stream says: the same whenever it is sent again. */
  readonly events: EventInput[];
  /** What is said only because the stream ends here, after `events`: not so if it is sent again and goes on. */
  readonly ending: EventInput[];
  readonly ignored: IgnoredKind[];
}

/** One step of a reduction: the state it works on and where its results go. */
export interface Step<State> extends Output {
  readonly state: State;
  readonly context: IngestContext;
  /** When what it tells of happened, where the stream says so. */
  readonly createdAt?: string;
}

/** The step of an `end` that tells what the stream itself did not say. */
export const asEnding = <State>(step: Step<State>): Step<State> => ({ ...step, events: step.ending });

/**
 * One format: objects in, events out. It reads no clock, no randomness and nothing but its arguments, so the same stream gives
 * the same events. `State` is plain JSON (whatever a stream names is a value in it, never a key) and all there is: written
 * down and read again between any two objects, it changes nothing. `reduce` and `end` change the state in place and throw
 * only `pastLimit` faults, or of a strict format what is wrong with an object.
 */
export interface Reducer<State> {
  /** Whether whatever is no object of the format is a fault, instead of something to be counted. */
  readonly isStrict?: true;
  /** Whether a stream that begins with this object is of this format. No other format's is. */
  recognises(first: Frame): boolean;
  start(): State;
  reduce(step: Step<State>, frame: Frame): void;
  end(step: Step<State>, why: EndReason): void;
  /**
   * What names, within the session, what is being read: the public id of a message for one; undefined before the first. A turn that was
   * left does not come back. How far each was read is remembered, for the turns of a stream that is sent again are the same.
   */
  turn(state: State, context: IngestContext): string | undefined;
}
