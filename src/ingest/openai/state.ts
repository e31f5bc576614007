import type { Holder } from '../held.js';
import type { OccurrenceState } from '../occurrences.js';
import type { Step } from '../reducer.js';
import type { RunState } from '../run.js';
import type { ToolTitle } from '../titles.js';

/** What a text is annotated with. Places are counted in code points of the text, as the service counts. */
export type Annotation =
  | {
      readonly kind: 'link';
      readonly start: number;
      readonly end: number;
      readonly url: string;
      readonly title: string | undefined;
    }
  | {
      readonly kind: 'document';
      readonly at: number;
      readonly fileId: string;
      readonly title: string | undefined;
    }
  | { readonly kind: 'delivered'; readonly fileId: string; readonly filename: string | undefined };

export interface TextPart {
  /** `content_index`. */
  readonly index: number;
  text: string;
  annotations: Annotation[];
}

interface Item extends Holder {
  /** `output_index`: one service names each event's item anew, so ids tie nothing. */
  readonly index: number;
  /** As the stream calls it; the events about it are named after it. */
  readonly type: string;
}

export interface MessageItem extends Item {
  readonly kind: 'message';
  readonly messageId: string;
  parts: TextPart[];
  hasRefused: boolean;
}

export interface CallItem extends Item {
  readonly kind: 'call';
  readonly activityId: string;
  readonly tool: ToolTitle;
  readonly isCallers: boolean;
  /** Whether its result comes by itself: such a call goes on when its item is done. */
  readonly hasResult: boolean;
  input: string;
  isStarted: boolean;
}

/** Of the others something is told when they are whole, or nothing. */
export interface OtherItem extends Item {
  readonly kind: 'reasoning' | 'result' | 'approval' | 'silent';
}

export type OpenItem = MessageItem | CallItem | OtherItem;

export interface OpenResponse {
  /** The public id that its parts' ids come from. */
  readonly responseId: string;
  /** A digest of the upstream id, to know the same response when it is announced twice. */
  readonly upstream: string;
  /** The last `sequence_number`; -1 before the first. */
  sequence: number;
  items: OpenItem[];
  /** Items begin in the order of their index: one below this that is not open is over. */
  nextIndex: number;
  /** Whether its thinking was told, which happens once. */
  hasThought: boolean;
  hasRefused: boolean;
  hasAsked: boolean;
  /** Files delivered so far, to name the nameless. */
  files: number;
}

/** All that a stream of responses leaves to remember; plain JSON. `response` is there exactly while `run` is `open`. */
export interface OpenAiState extends RunState, OccurrenceState {
  response: OpenResponse | null;
}

export type OpenAiStep = Step<OpenAiState>;
