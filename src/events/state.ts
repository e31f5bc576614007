import type { EventRow } from './event.js';

/**
 * The number of the stop_requested that nothing has settled yet, after one more event. A second request changes nothing; an end of the
 * run, whatever its reason, settles it.
 */
export function pendingStopAfter(
  pending: number | null,
  { kind, number }: Pick<EventRow, 'kind' | 'number'>,
): number | null {
  switch (kind) {
    case 'stop_requested':
      return pending ?? number;
    case 'session_stopped':
    case 'session_idle':
    case 'error':
      return null;
    default:
      return pending;
  }
}
