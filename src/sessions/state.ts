import type { SessionStatus } from '../generated/prisma/enums.js';
import type { SessionRow } from './store.js';

/** What the rule looks at: a kind as it is stored (user_message), and an activity's status. */
export interface LifecycleEvent {
  readonly kind: string;
  readonly status?: unknown;
}

/**
 * The status after more events, by what the last one that decides says. A session without events is COMPLETED (idle, it awaits
 * input); one whose events all leave it open is UNKNOWN. Depends on nothing but the events' order: appended in one call or in many, the
 * same events end in the same status.
 */
export function statusAfter(
  session: Pick<SessionRow, 'status' | 'eventHead'>,
  events: readonly LifecycleEvent[],
): SessionStatus {
  const decided = events.findLast((event) => decision(event) !== undefined);
  if (decided !== undefined) return decision(decided) ?? session.status;
  return session.eventHead === 0 && events.length > 0 ? 'UNKNOWN' : session.status;
}

function decision({ kind, status }: LifecycleEvent): SessionStatus | undefined {
  switch (kind) {
    case 'user_message':
    case 'session_resumed':
      return 'PROCESSING';
    case 'activity':
      return status === 'STARTED' ? 'PROCESSING' : undefined;
    case 'session_idle':
    case 'session_stopped':
      return 'COMPLETED';
    case 'session_paused':
      return 'PAUSED_FOR_INSUFFICIENT_QUOTA';
    case 'error':
      return 'FAILED';
    default:
      return undefined;
  }
}
