import type { Part } from '../message.js';
import type { OccurrenceState } from '../occurrences.js';
import type { Step } from '../reducer.js';
import { type RunState, startRun } from '../run.js';

/** A call whose input is still coming; `initial` is what its block began with. */
export interface OpenTool {
  readonly kind: 'tool';
  readonly index: number;
  readonly activityId: string;
  readonly name: string;
  readonly isCallers: boolean;
  readonly initial: string;
  input: string;
}

/** `part` is the place of the block's text in the message. A `silent` block is one of which nothing is told. */
export type OpenBlock =
  | { readonly kind: 'text'; readonly index: number; readonly part: number }
  | { readonly kind: 'thinking' | 'silent'; readonly index: number }
  | OpenTool;

export interface OpenMessage {
  readonly messageId: string;
  /** A digest of the upstream id, to know the same message when it is announced twice. */
  readonly upstream: string;
  /** In the order in which the text blocks began, which is their order in the message. */
  readonly parts: Part[];
  blocks: OpenBlock[];
  /** Null until the service has said why it stopped: from then on the message is whole, `message_stop` or not. */
  stopReason: string | null;
  /** Whether its thinking was told, which happens once a message. */
  hasThought: boolean;
  /** Whether something other than text came since its last text. */
  isApart: boolean;
  citations: number;
  /** Files delivered so far, to name the nameless. */
  files: number;
}

/** All that an Anthropic stream leaves to remember; plain JSON. `message` is there exactly while `run` is `open`. */
export interface AnthropicState extends RunState, OccurrenceState {
  message: OpenMessage | null;
}

export type AnthropicStep = Step<AnthropicState>;

export const startState = (): AnthropicState => ({ ...startRun(), message: null, seen: [] });
