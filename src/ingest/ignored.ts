/**
 * What a stream held and nothing was made of, in our own words: an upstream name would be unbounded, and may be private (P10).
 * What is understood and has no public meaning (pings, usage, signatures) is not counted.
 */
const IGNORED_KINDS = [
  // framing
  'noise',
  'truncated',
  'cut_off',
  // any format
  'not_an_event',
  'unknown_event',
  'unknown_block',
  'unknown_delta',
  'unknown_citation',
  'unknown_stop_reason',
  'outside_message',
  'late_delta',
  'misplaced_delta',
  'duplicate_message_start',
  'dropped_message',
  'unfinished_tool_input',
  'deep_tool_input',
  'repeated_error',
  'repeated_event',
  'unmapped_data',
  'surplus',
] as const;
export type IgnoredKind = (typeof IGNORED_KINDS)[number];

/** How often each kind was ignored; a kind that never was is absent. */
export type IgnoredCounts = Partial<Record<IgnoredKind, number>>;

/** Counts by kind. The kinds are a fixed list, so this stays small whatever a stream holds. */
export class Tally {
  readonly #counts = new Map<IgnoredKind, number>();

  add(kind: IgnoredKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  read(): IgnoredCounts {
    return Object.fromEntries(this.#counts);
  }
}
