import type { Holder } from '../held.js';
import type { Part } from '../message.js';
import type { OccurrenceState } from '../occurrences.js';
import type { Step } from '../reducer.js';
import { type RunState, startRun } from '../run.js';

/** A text of a message. A draft came in pieces; it stands until its line comes, which has it whole. */
export interface TextPart extends Part {
  isDraft: boolean;
}

/** A block that comes in pieces: `part` is the place of its text in the message. A `silent` one waits for its line, or says nothing. */
export type OpenBlock =
  | { readonly kind: 'text'; readonly index: number; readonly part: number }
  | {
      readonly kind: 'tool';
      readonly index: number;
      readonly id: string | undefined;
      readonly name: string;
      input: string;
    }
  | { readonly kind: 'silent'; readonly index: number };

export interface OpenMessage extends Holder {
  readonly messageId: string;
  /** A digest of the upstream id: several lines, and the pieces before them, are one message if they share it. */
  readonly upstream: string;
  /** In the order in which they began. */
  parts: TextPart[];
  blocks: OpenBlock[];
  /** Whether something other than text came since its last text. */
  isApart: boolean;
  hasThought: boolean;
  /** Why the model stopped; null until the stream says so, which many leave out. */
  stopReason: string | null;
  /** A digest of the text as it was told last; '' before. */
  told: string;
  citations: number;
}

/** Work of the agent's beside its turns, and the activity that shows it. */
export interface OpenTask {
  /** A digest of the upstream id. */
  readonly task: string;
  readonly activityId: string;
}

/** All that a stream of the CLI leaves to remember; plain JSON. */
export interface ClaudeState extends RunState, OccurrenceState {
  /** The newest message of the agent itself, told or not. */
  message: OpenMessage | null;
  /** A digest of the session that the stream is of. */
  session: string | null;
  /** Whether these are the lines of a transcript, which has no results. */
  isTranscript: boolean;
  /** Whether this run has done anything, and whether it has said anything. */
  hasActed: boolean;
  hasSpoken: boolean;
  /** Whether the model ran into the end of what it may write. */
  isCut: boolean;
  tasks: OpenTask[];
  /** Activities that go on when their run is over. */
  background: string[];
  /** Calls that were told, newest last: a line that comes again tells none anew. */
  calls: string[];
  /** When the last line was written, where lines say so. */
  at: string | null;
}

export type ClaudeStep = Step<ClaudeState>;

export const startState = (): ClaudeState => ({
  ...startRun(),
  seen: [],
  message: null,
  session: null,
  isTranscript: false,
  hasActed: false,
  hasSpoken: false,
  isCut: false,
  tasks: [],
  background: [],
  calls: [],
  at: null,
});

const OVER = new Set(['none', 'idle', 'failed', 'stopped']);

/** Whether a run is going on, or waits to. */
export const isGoing = ({ run }: ClaudeState): boolean => !OVER.has(run);
