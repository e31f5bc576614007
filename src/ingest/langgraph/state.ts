import type { Holder } from '../held.js';
import type { PendingCitation } from '../message.js';
import type { OccurrenceState } from '../occurrences.js';
import type { Step } from '../reducer.js';
import type { RunState } from '../run.js';
import type { ToldState } from '../told.js';
import type { UnclaimedState } from '../unclaimed-calls.js';

/** A stretch of a message's text, and what it cites after how many of its characters. */
export interface TextBlock {
  /** Its place in the message. */
  readonly index: number;
  text: string;
  citations: { readonly at: number; readonly citation: PendingCitation }[];
}

/** A call that a message makes; told when the message is over. */
export interface MessageCall {
  readonly index: number;
  id: string;
  name: string;
  /** As JSON. */
  input: string;
}

/** A message of the graph that still comes. */
export interface OpenMessage extends Holder {
  /** What ties its pieces. */
  readonly key: string;
  /** What the stream calls it; '' if it does not. */
  readonly name: string;
  readonly messageId: string;
  readonly speaker: 'agent' | 'user' | 'nobody';
  /** Whether it is told: not one of a graph within the graph, or one that was told before. */
  readonly isTold: boolean;
  /** The call whose result it is. */
  readonly activityId: string | null;
  /** The step of the graph that says it, where that is known: what comes in a later one ends it. */
  readonly stage: number | null;
  blocks: TextBlock[];
  calls: MessageCall[];
  thinking: 'none' | 'open' | 'told';
}

export interface OpenRun {
  /** The public id that the ids of what has no name come from. */
  readonly id: string;
  /** A digest of the upstream id, to know the run when it is announced again. */
  readonly upstream: string;
  /** Whether nothing but the end of the stream need say that it is over. */
  readonly isClassic: boolean;
  /** The last `seq`; -1 before the first. */
  seq: number;
  messages: OpenMessage[];
  /** Digests of the names of those that began, newest last: a message may come again. */
  spoken: string[];
  /** How many had no name. */
  nameless: number;
  /** Whether an answer came last: a message that calls nothing. */
  isAnswered: boolean;
  /** What it waits for, each as JSON. */
  interrupts: { readonly name: string; readonly json: string }[];
  /** How much data it delivered. */
  data: number;
}

/** All that a stream leaves to remember; plain JSON. `open` is there exactly while `run` is `open`. */
export interface LangGraphState extends RunState, OccurrenceState, ToldState, UnclaimedState {
  open: OpenRun | null;
}

export type LangGraphStep = Step<LangGraphState>;
