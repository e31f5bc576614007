/** The part of a format's state that tells apart what a stream calls by one id. */
export interface OccurrenceState {
  /** Upstream ids by digest, newest last, and how often each has begun: an id may be used again. */
  seen: [upstream: string, times: number][];
}

/** How many upstream ids are remembered; services use an id again, if ever, at once. */
const REMEMBERED_IDS = 64;

/** Which occurrence of this id now begins: 1, 2, … */
export function nextOccurrence(state: OccurrenceState, upstream: string): number {
  const times = (state.seen.find(([id]) => id === upstream)?.[1] ?? 0) + 1;
  const others = state.seen.filter(([id]) => id !== upstream);
  state.seen = [...others, [upstream, times] satisfies [string, number]].slice(-REMEMBERED_IDS);
  return times;
}
