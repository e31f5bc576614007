/** Bytes of an event's text, so that a message has about 1.5 KB. */
export const TEXT = 'x'.repeat(1_300);

/** What the parent asks of a server. */
export type ServerOrder =
  | { readonly what: 'burst'; readonly events: number }
  | { readonly what: 'cpu' }
  | { readonly what: 'end' };

/** What a server answers: where it is, once, and then how it is. */
export type ServerReport =
  | { readonly what: 'ready'; readonly url: string; readonly token: string; readonly query: string }
  | { readonly what: 'sent' }
  | { readonly what: 'cpu'; readonly us: number; readonly rss: number };

/** What a server asks of the process that writes for it. */
export interface WriteOrder {
  readonly ids: readonly string[];
  /** Of each text. */
  readonly bytes: number;
}

export interface ClientsOrder {
  readonly url: string;
  readonly token: string;
  readonly query: string;
  readonly subscribers: number;
}

/** How many events have come, to all subscribers together; `ready` when all subscribers had their first update. */
export interface ClientsReport {
  readonly what: 'ready' | 'came';
  readonly events: number;
}
