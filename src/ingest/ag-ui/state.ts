import type { Holder } from '../held.js';
import type { OccurrenceState } from '../occurrences.js';
import type { Step } from '../reducer.js';
import type { RunState } from '../run.js';
import type { ToldState } from '../told.js';
import type { UnclaimedState } from '../unclaimed-calls.js';

/** Whose text a message is. What systems and developers say to a model is `nobody`'s: it is not told. */
export type Speaker = 'agent' | 'user' | 'nobody';

/** A message of the run. One that is over is kept until its run is, for it may go on under its name. */
export interface RunMessage extends Holder {
  /** What the stream calls it; '' if it does not. */
  readonly name: string;
  readonly messageId: string;
  readonly speaker: Speaker;
  text: string;
  isOpen: boolean;
}

/** A call whose input is still coming. */
export interface OpenInput extends Holder {
  /** What the stream calls it. */
  readonly name: string;
  readonly activityId: string;
  /** The message that makes the call, or the run, by its public id. */
  readonly messageId: string;
  readonly tool: string;
  input: string;
}

export interface OpenStage {
  readonly name: string;
  readonly activityId: string;
}

export interface OpenRun {
  /** The public id that the ids of what has no name come from. */
  readonly id: string;
  /** A digest of the upstream id, to know the run when it is announced again, or ends. */
  readonly upstream: string;
  /** Runs within it, which it speaks for, by the same. */
  within: string[];
  /** In the order in which they began. */
  messages: RunMessage[];
  /** How many had no name. */
  nameless: number;
  inputs: OpenInput[];
  /** What the last chunk was about: another kind or name ends it. */
  chunk: { readonly kind: 'text' | 'input'; readonly name: string } | null;
  /** What the protocol calls steps, those that are open, and how many began. */
  stages: OpenStage[];
  stagesBegun: number;
  thinking: 'none' | 'open' | 'told';
  /** What it waits for, in the older way, which says so before its end: each as JSON. */
  interrupts: string[];
  /** How much data it delivered. */
  data: number;
}

/** All that a stream leaves to remember; plain JSON. `open` is there exactly while `run` is `open`. */
export interface AgUiState extends RunState, OccurrenceState, ToldState, UnclaimedState {
  open: OpenRun | null;
}

export type AgUiStep = Step<AgUiState>;

/** What an event of a run does. */
export type InRun = (step: AgUiStep, run: OpenRun, value: Readonly<Record<string, unknown>>) => void;
