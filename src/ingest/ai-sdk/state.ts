import type { ConfiguredDelivery } from '../deliveries.js';
import type { Holder } from '../held.js';
import type { Part, PendingCitation } from '../message.js';
import type { OccurrenceState } from '../occurrences.js';
import type { Step } from '../reducer.js';
import type { RunState } from '../run.js';

/** A call whose input is still coming. */
export interface OpenInput {
  readonly activityId: string;
  readonly name: string;
  readonly isCallers: boolean;
  input: string;
}

/** A file that it delivers, as far as it is told. */
export interface OpenFile {
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** What the agent does at one go: text, and calls with their results. All but its calls is told when it is over. */
export interface OpenStep extends Holder {
  /** 0, 1, 2, … in its message. */
  readonly number: number;
  /** In the order in which they began, which is their order in its text. */
  texts: Pick<Part, 'text' | 'isApart'>[];
  /** Those that go on: what the stream calls each, in this step alone, and its place. */
  openTexts: { readonly id: string; readonly at: number }[];
  /** A digest of how its text begins: what the stream calls that, and its first piece. */
  opening: string | null;
  inputs: OpenInput[];
  /** Works that it names as its sources: of no place in its text. */
  sources: PendingCitation[];
  files: OpenFile[];
  /** What data of the application delivers. */
  deliveries: ConfiguredDelivery[];
  /** Questions whether a call may be made, by the stream's name for each. */
  requests: { readonly id: string; readonly title: string }[];
  /** The activities that it began, to take them back with it. */
  calls: string[];
  /** Whether something other than text came since its last text. */
  isApart: boolean;
  /** `told` once, however often it pauses to think. */
  thinking: 'none' | 'open' | 'told';
  /** It is over. Whether it was cut is known with what comes next; then it is told. */
  isOver: boolean;
}

export interface OpenMessage {
  /** The public id that its parts' ids come from. */
  readonly id: string;
  /** A digest of the upstream id, to know the same message when it is announced again. */
  readonly upstream: string;
  /** How many steps began. */
  steps: number;
  step: OpenStep | null;
  /** Sources of steps without text: the next text cites them. */
  sources: PendingCitation[];
  hasAsked: boolean;
  /** Files delivered so far, to name the nameless. */
  files: number;
}

/** All that a stream leaves to remember; plain JSON. `message` is there exactly while `run` is `open`. */
export interface AiSdkState extends RunState, OccurrenceState {
  message: OpenMessage | null;
  /** Activities that wait for permission: they end by a result of their own, however long that takes. */
  waiting: string[];
}

export type AiSdkStep = Step<AiSdkState>;
