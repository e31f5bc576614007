import type { Operation } from '../accounts/operation.js';
import { type FollowOptions, follow, type Update } from '../live/follow.js';
import type { Entry, Log } from '../live/log.js';
import type { Pulled } from '../live/pulled.js';
import { builder } from './builder.js';
import { decodeCursorWithin, logTag } from './cursors.js';

export interface LogPosition<F> {
  /** A cursor of the log, as a client gave it; without one the whole log. */
  readonly after: string | null | undefined;
  /** Where the log ends, as the database has it now. */
  readonly head: number;
  readonly filter?: FollowOptions<F>['filter'];
}

/** Follows a log from a client's position on, once it is found good (P2). @throws INVALID_CURSOR. */
export function followFrom<E extends Entry, F>(
  { tails }: Operation,
  log: Log<E, F>,
  { after, head, filter }: LogPosition<F>,
): Pulled<Update<E>> {
  const position = typeof after === 'string' ? decodeCursorWithin(logTag(log.key), after, head) : 0;
  return follow(tails, log, { after: position, filter });
}

/** Adds to an update what its reader resumes by. */
export function resumable<U extends Update<unknown>>(
  ref: ReturnType<ReturnType<typeof builder.objectRef<U>>['implement']>,
  checkpointOf: (update: U) => string,
): void {
  builder.objectFields(ref, (t) => ({
    checkpoint: t.string({
      description: 'How far the log was read: `after` for whoever comes back.',
      resolve: checkpointOf,
    }),
    caughtUp: t.boolean({
      description: 'Whether this reaches the end of the log; if not, the next update follows at once.',
      resolve: ({ caughtUp }) => caughtUp,
    }),
  }));
}
