/**
 * One connection to what carries text between processes: whatever is sent reaches all who are connected then, the sender included, at
 * most once and in the order of each sender.
 */
export interface Wire {
  /** Resolves when what is sent from then on arrives here. A server that does not answer leaves it pending. */
  readonly ready: Promise<void>;
  /** Resolves when they are with the server. Called by one at a time, and not before `ready`. */
  send(texts: readonly string[]): Promise<void>;
  /** Takes leave of the server. */
  close(): Promise<void>;
  /** Lets go at once, whatever the other side does. */
  cut(): void;
}

export interface WireEvents {
  text(text: string): void;
  /** The connection has broken. */
  lost(error: unknown): void;
}

/** Begins to connect. */
export type OpenWire = (events: WireEvents) => Wire;
