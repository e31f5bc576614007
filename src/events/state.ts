import type { EventRow } from './event.js';

/**
 * The number of the stop_requested that nothing has settled yet, after one more event. A second request changes nothing. An end of the
 * run settles it, whatever its reason; and so does the user who asks for more, for a request that came after the end would otherwise
 * stop the next run, and hide a request to stop that. What the agent does by itself settles nothing: to go on, with a new activity or
 * after a pause, is what it was asked not to do.
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
    case 'user_message':
      return null;
    default:
      return pending;
  }
}
