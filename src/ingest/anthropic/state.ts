import type { ActivityState } from '../activities.js';
import type { HeldState } from '../held.js';
import type { Part, Published } from '../message.js';
import type { Step } from '../reducer.js';

/**
 * Where the run is: `none` before anything came · `open` inside a message · `owing` its caller owes a tool result · `paused` by
 * the service, to be continued · `idle`, `failed` and `stopped` when it is over; the next message then begins a new run.
 */
export type Run = 'none' | 'open' | 'owing' | 'paused' | 'idle' | 'failed' | 'stopped';

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
export interface AnthropicState extends ActivityState, HeldState {
  run: Run;
  message: OpenMessage | null;
  /** Upstream message ids by digest, newest last, and how often each has begun: an id may be used again. */
  seen: [upstream: string, times: number][];
  /** The public id of the newest message, which lifecycle events and errors are about; '' before the first. */
  newest: string;
  /** The newest message that this run published. */
  answer: Published | null;
}

export type AnthropicStep = Step<AnthropicState>;

export const startState = (): AnthropicState => ({
  run: 'none',
  message: null,
  seen: [],
  newest: '',
  answer: null,
  activities: [],
  searches: [],
  held: 0,
});
