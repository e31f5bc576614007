import type { EventInput } from '../events/content.js';
import { type Emitted, identified } from './ids.js';
import type { FailedActivity, KnownTurn } from './store.js';
import type { Piece } from './stream.js';

/** What a piece of a stream comes to, once it is known how far its turns were read before. */
export interface Judged {
  /** Said before all else: what was told as over goes on. */
  readonly reopened: readonly EventInput[];
  /** Whether more is known than the piece ends with: then its ending is no news. */
  readonly isBehind: boolean;
  /** What is now known of its turns, where that has changed. */
  readonly turns: readonly KnownTurn[];
}

/**
 * The rule for a stream that comes more than once, whole or broken off, one after the other or side by side: the one that comes
 * furthest tells how it ends. An ending short of what is known is no news. Where a stream gets beyond an ending that was told, its
 * session goes on, and so does each activity that had failed with it.
 */
export function judge(
  sessionId: string,
  { ending, progress }: Pick<Piece, 'ending' | 'progress'>,
  known: readonly KnownTurn[],
): Judged {
  const before = new Map(known.map((turn) => [turn.turn, turn]));
  const turns = progress.map((now) => ({ now, was: before.get(now.turn) ?? NEVER_READ }));
  const beyond = turns.filter(({ now, was }) => now.objects > was.objects);
  const last = turns.at(-1);
  const isBehind = last !== undefined && last.now.objects < last.was.objects;
  const ended = ending.length === 0 || isBehind ? undefined : last?.now;
  const goneOn = beyond.filter(({ now }) => now !== ended).map(({ now }) => ({ ...now, failed: null }));
  return {
    reopened: beyond.flatMap(({ now, was }) => reopen(sessionId, { ...now, ...was })),
    isBehind,
    turns: ended === undefined ? goneOn : [...goneOn, { ...ended, failed: failedIn(ending) }],
  };
}

const NEVER_READ = { objects: 0, failed: null };

/** An ending is undone once, by whoever first gets beyond it. */
function reopen(sessionId: string, { turn, objects, failed }: KnownTurn): EventInput[] {
  if (failed === null) return [];
  const events: Emitted[] = [
    { kind: 'session_resumed' },
    ...failed.map((activity) => ({ kind: 'activity', status: 'STARTED', ...activity }) as const),
  ];
  return events.map((event) => identified(event, sessionId, 'reopened', turn, objects));
}

const failedIn = (ending: readonly EventInput[]): FailedActivity[] =>
  ending.flatMap((event) =>
    event.kind === 'activity' && event.status === 'FAILED'
      ? [{ activityId: event.activityId, title: event.title }]
      : [],
  );
