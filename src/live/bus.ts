/**
 * "Log L now ends at `head`": all that travels between processes, never data (P4). A hint may be lost, doubled, late or out of
 * order; that costs time, never an entry.
 */
export interface Hint {
  /** Who else may want to know, beside those who follow the log: the lists in which its owner appears. */
  readonly topics: readonly string[];
  /** The log's key, which is a topic too: a hint always reaches those who subscribed to it. */
  readonly log: string;
  readonly head: number;
}

export type HintListener = (hint: Hint) => void;

/** Carries hints between the processes that share a database, this one included. */
export interface Bus {
  /** Hints come from the other processes and go to them, as far as is known. */
  readonly connected: boolean;
  /** What the last message took to come back from where the processes meet; 0 where nothing travels. */
  readonly delayMs: number;
  /** How many subscriptions it has, for metrics and for tests that look for leaks. */
  readonly listeners: number;

  /**
   * Tells everyone, after the commit: this process before it returns, the others when they can be reached. Never throws and never
   * waits: what cannot be sent is lost, as a hint may be. Of hints of one log and the same topics that wait to be sent only the
   * greatest head goes.
   */
  publish(hint: Hint): void;

  /**
   * Calls `listener` once for each hint of the topic until the returned function is called, and not once after that. A listener
   * that throws is reported and stops no other. A bus that takes time to attach calls the `onReconnect` listeners when it has.
   */
  subscribe(topic: string, listener: HintListener): () => void;

  /** Calls `listener` each time hints may have been lost and flow again. Returns what takes it off. */
  onReconnect(listener: () => void): () => void;

  /** Sends what is left, if that is possible at once, and lets go of everything. A closed bus is silent: publishing and subscribing do nothing. */
  close(): Promise<void>;
}
